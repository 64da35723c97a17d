#include "ext/unpack_text.h"

#include <archive.h>
#include <archive_entry.h>

#include "base/attr.h"
#include "base/intr.h"

enum { READ_SIZE = 256 << 10, PIECE = 256 << 10 };

static bool bad(struct archive *a, const char *path, struct err *err)
{
	const char *why = archive_error_string(a);
	return err_set(err, ERR_INTEGRITY, "'%s' is damaged: %s", path,
		       why ? why : "unknown reason");
}

static bool read_all(struct archive *a, const char *path, uint64_t max, unpack_text_fn *fn,
		     void *ctx, struct err *err)
{
	struct archive_entry *e;
	autofree char *piece = xmalloc(PIECE);
	uint64_t total = 0;
	int k = archive_read_open_filename(a, path, READ_SIZE);
	if (k == ARCHIVE_OK)
		k = archive_read_next_header(a, &e);
	if (k == ARCHIVE_EOF)
		return true;
	if (k != ARCHIVE_OK)
		return bad(a, path, err);
	for (;;) {
		la_ssize_t n = archive_read_data(a, piece, PIECE);
		if (n < 0)
			return bad(a, path, err);
		if (n == 0)
			return true;
		total += (uint64_t)n;
		if (total > max)
			return err_set(err, ERR_INTEGRITY, "'%s' holds more than %llu bytes", path,
				       (unsigned long long)max);
		if (!fn(ctx, piece, (size_t)n, err) || !intr_check(err))
			return false;
	}
}

bool unpack_text(const char *path, uint64_t max, unpack_text_fn *fn, void *ctx, struct err *err)
{
	struct archive *a = archive_read_new();
	if (!a)
		return err_set(err, ERR_FAILED, "cannot start libarchive");
	archive_read_support_format_raw(a);
	archive_read_support_format_empty(a);
	archive_read_support_filter_gzip(a);
	archive_read_support_filter_bzip2(a);
	archive_read_support_filter_xz(a);
	archive_read_support_filter_zstd(a);
	bool ok = read_all(a, path, max, fn, ctx, err);
	archive_read_free(a);
	return ok;
}
