#include <archive.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "ext/unpack_priv.h"

enum { READ_SIZE = 1 << 20, MAGIC = 6 };

/* What was read to look at it comes first. */
static ptrdiff_t read_input(void *ctx, void *buf, size_t n, struct err *err)
{
	struct unpack_input *in = ctx;
	if (!in->first)
		return in->u->read(in->u->ctx, buf, n, err);
	size_t k = in->first < n ? in->first : n;
	memmove(buf, in->in + MAGIC - in->first, k);
	in->first -= k;
	return (ptrdiff_t)k;
}

static la_ssize_t on_read(struct archive *a, void *ctx, const void **data)
{
	struct unpack_input *in = ctx;
	size_t n = 0;
	ptrdiff_t got = -1;
	*data = in->in;
	if (!in->xz)
		got = read_input(in, in->in, READ_SIZE, in->err);
	else if (xz_next(in->xz, data, &n, in->err))
		got = (ptrdiff_t)n;
	if (got < 0) {
		in->failed = true;
		archive_set_error(a, EIO, "read failed");
	}
	return got;
}

static bool read_magic(struct unpack_input *in)
{
	in->in = xmalloc(READ_SIZE);
	while (in->first < MAGIC) {
		ptrdiff_t got =
			in->u->read(in->u->ctx, in->in + in->first, MAGIC - in->first, in->err);
		if (got < 0)
			return false;
		if (got == 0)
			return err_set(in->err, ERR_INTEGRITY, "'%s' is empty or ends too early",
				       in->u->name);
		in->first += (size_t)got;
	}
	return true;
}

bool unpack_input_open(struct unpack_input *in)
{
	static const char xz_magic[MAGIC] = "\xfd"
					    "7zXZ";
	if (!read_magic(in))
		return false;
	if (memcmp(in->in, xz_magic, MAGIC) == 0)
		in->xz = xz_open(read_input, in, in->u->threads, !in->u->verified, in->u->name);
	in->a = archive_read_new();
	if (!in->a)
		return err_set(in->err, ERR_FAILED, "cannot start libarchive");
	archive_read_support_format_tar(in->a);
	/* Names are bytes: no locale decides what they are. */
	archive_read_set_options(in->a, "hdrcharset=BINARY");
	if (!in->xz) {
		/* Not all filters: some would start programs by name. */
		archive_read_support_filter_gzip(in->a);
		archive_read_support_filter_bzip2(in->a);
		archive_read_support_filter_zstd(in->a);
	}
	return archive_read_open(in->a, in, NULL, on_read, NULL) == ARCHIVE_OK ||
	       unpack_input_bad(in);
}

bool unpack_input_bad(struct unpack_input *in)
{
	const char *why = archive_error_string(in->a);
	return !in->failed && err_set(in->err, ERR_INTEGRITY, "'%s' is damaged or no archive: %s",
				      in->u->name, why ? why : "unknown reason");
}

bool unpack_input_drain(struct unpack_input *in)
{
	const void *p;
	la_ssize_t n;
	while ((n = on_read(in->a, in, &p)) > 0)
		;
	return n == 0;
}

void unpack_input_close(struct unpack_input *in)
{
	/* After a failure the decoder may wait for bytes that come late or never. */
	if (in->u->cancel)
		in->u->cancel(in->u->ctx);
	xz_close(in->xz);
	if (in->a)
		archive_read_free(in->a);
	free(in->in);
}
