/* The central directory: read whole, and every claim in it checked against the file. */
#include "ext/zip_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

enum {
	CENTRAL_BYTES = 46,
	LOCAL_BYTES = 30,
	DIRECTORY_MAX = 64 << 20, /* bytes of the central directory */
	ENTRIES_MAX = 1 << 18,
	DEFLATE_MAX_RATIO = 1032, /* what the format can reach at all */
};
/* The largest library of a toolkit has 1 GB. */
#define ENTRY_MAX UINT32_MAX
#define TOTAL_MAX (16ull << 30)

enum {
	FLAG_ENCRYPTED = 1,
	FLAG_DESCRIPTOR = 1 << 3,
	FLAG_PATCH = 1 << 5,
	FLAG_STRONG = 1 << 6,
	FLAG_MASKED = 1 << 13
};

bool zip_entry_bad(const struct zip *z, const char *name, struct err *err, const char *fmt, ...)
{
	char why[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(why, sizeof why, fmt, ap);
	va_end(ap);
	return err_set(err, ERR_INTEGRITY, "'%s': entry '%.300s' %s", z->path, name, why);
}

/* Sizes and place from the zip64 extra field, for those fields that say "see there". */
static bool zip64_extra(const unsigned char *x, size_t n, struct zip_entry *e)
{
	uint64_t *fields[] = {&e->size, &e->packed, &e->offset};
	bool wanted = e->size == UINT32_MAX || e->packed == UINT32_MAX || e->offset == UINT32_MAX;
	while (n >= 4) {
		size_t len = u16(x + 2);
		if (len > n - 4)
			return false;
		if (u16(x) == 0x0001) {
			const unsigned char *p = x + 4;
			for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
				if (*fields[i] != UINT32_MAX)
					continue;
				if (len < 8)
					return false;
				*fields[i] = u64(p);
				p += 8;
				len -= 8;
			}
			return true;
		}
		x += 4 + len;
		n -= 4 + len;
	}
	return !wanted;
}

/* Kinds of files that have no place in a wheel: only plain files and folders are let through. */
static const char *kind_fault(const struct zip_entry *e, uint32_t attributes, size_t len)
{
	mode_t type = attributes >> 16 & S_IFMT;
	bool folder = e->name[len - 1] == '/';
	if (S_ISLNK(type))
		return "is a symbolic link";
	if (type && !S_ISREG(type) && !S_ISDIR(type))
		return "is a device, socket or fifo";
	if (type && folder != !!S_ISDIR(type))
		return "is a file and a folder";
	if (folder && e->size)
		return "is a folder with content";
	return NULL;
}

static const char *entry_fault(const struct zip_entry *e, uint16_t flags)
{
	if (flags & (FLAG_ENCRYPTED | FLAG_STRONG | FLAG_MASKED))
		return "is encrypted";
	if (flags & FLAG_PATCH)
		return "is a patch";
	if (e->method != 0 && e->method != 8)
		return "is packed by an unknown method";
	if (e->size > ENTRY_MAX || e->packed > ENTRY_MAX)
		return "is larger than 4 GiB";
	if (e->method == 0 && e->size != e->packed)
		return "is stored but has two sizes";
	if (e->method == 8 && e->size / DEFLATE_MAX_RATIO > e->packed)
		return "claims more than its packed data can hold";
	return NULL;
}

/* One record at p, of n bytes left; its length, 0 on error. names: room for the name and a NUL. */
static size_t parse_central(const struct zip *z, const unsigned char *p, size_t n, char *names,
			    struct zip_entry *e, struct err *err)
{
	if (n < CENTRAL_BYTES || u32(p) != 0x02014b50) {
		zip_bad(z, err, "the central directory is damaged");
		return 0;
	}
	size_t len = u16(p + 28), extra = u16(p + 30),
	       all = CENTRAL_BYTES + len + extra + u16(p + 32);
	if (all > n) {
		zip_bad(z, err, "the central directory is damaged");
		return 0;
	}
	memcpy(names, p + CENTRAL_BYTES, len);
	names[len] = '\0';
	*e = (struct zip_entry){
		.name = names,
		.size = u32(p + 24),
		.packed = u32(p + 20),
		.offset = u32(p + 42),
		.crc = u32(p + 16),
		.method = u16(p + 10),
		.mode = u32(p + 38) >> 16 & 06777,
	};
	const char *fault = zip_name_fault(names, len);
	if (!fault && !zip64_extra(p + CENTRAL_BYTES + len, extra, e))
		fault = "has a damaged zip64 field";
	if (!fault && u16(p + 34) != 0)
		fault = "lies in another part";
	if (!fault)
		fault = entry_fault(e, u16(p + 8));
	if (!fault)
		fault = kind_fault(e, u32(p + 38), len);
	if (fault)
		zip_entry_bad(z, names, err, "%s", fault);
	return fault ? 0 : all;
}

/* Moves e->offset from the local header to the data behind it, once the two headers agree. */
static bool check_local(const struct zip *z, struct zip_entry *e, uint64_t end, struct err *err)
{
	unsigned char h[LOCAL_BYTES + 4096];
	size_t len = strlen(e->name);
	if (e->offset > end || end - e->offset < LOCAL_BYTES + len)
		return zip_entry_bad(z, e->name, err, "lies outside the archive");
	if (!zip_read_at(z, h, LOCAL_BYTES + len, e->offset, err))
		return false;
	bool later = u16(h + 6) & FLAG_DESCRIPTOR; /* sizes follow the data */
	bool same = u32(h) == 0x04034b50 && u16(h + 8) == e->method && u16(h + 26) == len &&
		    memcmp(h + LOCAL_BYTES, e->name, len) == 0 &&
		    !(u16(h + 6) & (FLAG_ENCRYPTED | FLAG_PATCH | FLAG_STRONG | FLAG_MASKED)) &&
		    (later || (u32(h + 14) == e->crc &&
			       (u32(h + 18) == UINT32_MAX || u32(h + 18) == e->packed) &&
			       (u32(h + 22) == UINT32_MAX || u32(h + 22) == e->size)));
	if (!same)
		return zip_entry_bad(z, e->name, err,
				     "has a local header that tells another story");
	uint64_t head = LOCAL_BYTES + len + u16(h + 28);
	if (head > end - e->offset || e->packed > end - e->offset - head)
		return zip_entry_bad(z, e->name, err, "lies outside the archive");
	e->offset += head;
	return true;
}

static int by_offset(const void *a, const void *b)
{
	const struct zip_entry *x = a, *y = b;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int by_name(const void *a, const void *b)
{
	const struct zip_entry *x = a, *y = b;
	return zip_name_cmp(x->name, y->name);
}

/* Entries that share bytes make a small archive unpack to any size. */
static bool check_places(struct zip *z, uint64_t end, struct err *err)
{
	uint64_t before = 0, total = 0;
	qsort(z->entries, z->n, sizeof *z->entries, by_offset);
	for (size_t i = 0; i < z->n; i++) {
		struct zip_entry *e = &z->entries[i];
		if (e->offset < before)
			return zip_entry_bad(z, e->name, err, "overlaps '%.80s'", e[-1].name);
		if (!check_local(z, e, end, err))
			return false;
		before = e->offset + e->packed;
		total += e->size;
	}
	if (total > TOTAL_MAX)
		return zip_bad(z, err, "it holds more than 16 GiB");
	return true;
}

static bool check_names(struct zip *z, struct err *err)
{
	if (z->n)
		qsort(z->entries, z->n, sizeof *z->entries, by_name);
	for (size_t i = 1; i < z->n; i++) {
		const char *clash = zip_name_clash(z->entries[i - 1].name, z->entries[i].name);
		if (clash)
			return zip_entry_bad(z, z->entries[i - 1].name, err, "%s", clash);
	}
	return true;
}

static bool read_directory(struct zip *z, struct err *err)
{
	struct zip_directory d = {0};
	if (!zip_find_directory(z, &d, err))
		return false;
	if (d.size > DIRECTORY_MAX || d.count > ENTRIES_MAX || d.count * CENTRAL_BYTES > d.size)
		return zip_bad(z, err, "the central directory is too large or too small");
	autofree unsigned char *dir = xmalloc(d.size);
	if (!zip_read_at(z, dir, d.size, d.offset, err))
		return false;
	z->entries = xcalloc(d.count, sizeof *z->entries);
	/* A name and its NUL take less room than the record they come from. */
	z->names = xmalloc(d.size);
	char *names = z->names;
	size_t at = 0;
	for (; z->n < d.count; z->n++) {
		struct zip_entry *e = &z->entries[z->n];
		size_t len = parse_central(z, dir + at, d.size - at, names, e, err);
		if (!len)
			return false;
		names += strlen(e->name) + 1;
		at += len;
	}
	if (at != d.size)
		return zip_bad(z, err, "the central directory has more entries than it says");
	return check_places(z, d.offset, err) && check_names(z, err);
}

bool zip_open(struct zip **out, const char *path, struct err *err)
{
	return zip_open_part(out, path, 0, 0, err);
}

bool zip_open_part(struct zip **out, const char *path, uint64_t offset, uint64_t size,
		   struct err *err)
{
	struct stat st;
	struct zip *z = xcalloc(1, sizeof *z);
	z->path = xstrdup(path);
	z->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool ok = z->fd >= 0 && fstat(z->fd, &st) == 0;
	if (!ok) {
		err_sys(err, ERR_FILESYSTEM, "cannot open '%s'", path);
	} else if (!S_ISREG(st.st_mode)) {
		ok = err_set(err, ERR_FILESYSTEM, "'%s' is not a regular file", path);
	} else {
		z->base = offset;
		z->file_size = size ? size : (uint64_t)st.st_size;
		ok = read_directory(z, err);
	}
	if (!ok) {
		zip_close(z);
		return false;
	}
	*out = z;
	return true;
}

void zip_close(struct zip *z)
{
	if (!z)
		return;
	if (z->fd >= 0)
		close(z->fd);
	free(z->path);
	free(z->entries);
	free(z->names);
	free(z);
}

size_t zip_entries(const struct zip *z, const struct zip_entry **entries)
{
	*entries = z->entries;
	return z->n;
}

const struct zip_entry *zip_find(const struct zip *z, const char *name)
{
	struct zip_entry want = {.name = (char *)(uintptr_t)name};
	return z->n ? bsearch(&want, z->entries, z->n, sizeof *z->entries, by_name) : NULL;
}
