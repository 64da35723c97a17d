/* The end record, which says where the central directory is, and its zip64 form. */
#include "ext/zip_priv.h"

#include "base/io.h"

enum {
	EOCD_BYTES = 22,
	EOCD64_BYTES = 56,
	LOCATOR_BYTES = 20,
	COMMENT_MAX = 0xffff,
};

bool zip_bad(const struct zip *z, struct err *err, const char *why)
{
	return err_set(err, ERR_INTEGRITY, "'%s' is no sound zip archive: %s", z->path, why);
}

bool zip_read_at(const struct zip *z, void *p, size_t n, uint64_t offset, struct err *err)
{
	ptrdiff_t got = io_pread_all(z->fd, p, n, (long long)(z->base + offset));
	if (got < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot read '%s'", z->path);
	if ((size_t)got != n)
		return zip_bad(z, err, "it ends early");
	return true;
}

/* The end record stands at `end`. Fields that say "see zip64" are taken from there. */
static bool read_zip64(const struct zip *z, uint64_t end, struct zip_directory *d,
		       uint64_t *dir_end, struct err *err)
{
	unsigned char l[LOCATOR_BYTES], r[EOCD64_BYTES];
	bool wanted = d->count == 0xffff || d->size == UINT32_MAX || d->offset == UINT32_MAX;
	*dir_end = end;
	if (end < LOCATOR_BYTES + EOCD64_BYTES)
		return !wanted || zip_bad(z, err, "the zip64 record is missing");
	if (!zip_read_at(z, l, sizeof l, end - LOCATOR_BYTES, err))
		return false;
	if (u32(l) != 0x07064b50)
		return !wanted || zip_bad(z, err, "the zip64 record is missing");
	uint64_t at = u64(l + 8);
	if (u32(l + 4) != 0 || u32(l + 16) > 1)
		return zip_bad(z, err, "it is one of several parts");
	if (at > end - LOCATOR_BYTES - EOCD64_BYTES)
		return zip_bad(z, err, "the zip64 record lies outside");
	if (!zip_read_at(z, r, sizeof r, at, err))
		return false;
	if (u32(r) != 0x06064b50 || u64(r + 4) != end - LOCATOR_BYTES - at - 12 ||
	    u32(r + 16) != 0 || u32(r + 20) != 0 || u64(r + 24) != u64(r + 32))
		return zip_bad(z, err, "the zip64 record is damaged");
	struct zip_directory big = {u64(r + 48), u64(r + 40), u64(r + 32)};
	/* Readers differ in which of the two they believe, so they must agree. */
	if ((d->count != 0xffff && d->count != big.count) ||
	    (d->size != UINT32_MAX && d->size != big.size) ||
	    (d->offset != UINT32_MAX && d->offset != big.offset))
		return zip_bad(z, err, "the zip64 record contradicts the end record");
	*d = big;
	*dir_end = at;
	return true;
}

bool zip_find_directory(const struct zip *z, struct zip_directory *d, struct err *err)
{
	size_t n = z->file_size < EOCD_BYTES + COMMENT_MAX ? (size_t)z->file_size
							   : EOCD_BYTES + COMMENT_MAX;
	uint64_t start = z->file_size - n, dir_end;
	autofree unsigned char *tail = xmalloc(n);
	if (!zip_read_at(z, tail, n, start, err))
		return false;
	for (size_t i = n < EOCD_BYTES ? 0 : n - EOCD_BYTES + 1; i-- > 0;) {
		const unsigned char *p = tail + i;
		/* The record is the one whose comment ends with the file. */
		if (u32(p) != 0x06054b50 || i + EOCD_BYTES + u16(p + 20) != n)
			continue;
		if (u16(p + 4) != 0 || u16(p + 6) != 0 || u16(p + 8) != u16(p + 10))
			return zip_bad(z, err, "it is one of several parts");
		*d = (struct zip_directory){u32(p + 16), u32(p + 12), u16(p + 10)};
		if (!read_zip64(z, start + i, d, &dir_end, err))
			return false;
		if (d->offset > dir_end || d->size != dir_end - d->offset)
			return zip_bad(z, err,
				       "the central directory is not where the end record says");
		return true;
	}
	return zip_bad(z, err, "the end record is missing (cut short, or another kind of file)");
}
