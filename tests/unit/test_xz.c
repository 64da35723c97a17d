/* .xz decoded by liblzma and by our own decoder, with the checks of its data and without. */
#include "ext/xz.h"

#include "scratch.h"

#include <dirent.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/proc.h"

enum { MAX = 20 << 20 };

static int make(void **state)
{
	struct err err;
	struct proc_result r;
	autofree char *script = xasprintf("%s/tests/data/mkxz.py", getenv("SOURCE_ROOT"));
	const char *argv[] = {"python3", script, "files", NULL};
	if (scratch_enter(state) < 0 || !proc_run(&(struct proc){.argv = argv}, &r, &err) ||
	    r.status != 0)
		return -1;
	proc_result_clear(&r);
	return 0;
}

struct input {
	const struct buf *data;
	size_t at, end, piece; /* piece: as many bytes at a time */
};

static ptrdiff_t on_read(void *ctx, void *out, size_t n, struct err *err)
{
	struct input *in = ctx;
	size_t left = in->end - in->at;
	(void)err;
	n = n > left ? left : n;
	n = n > in->piece ? in->piece : n;
	if (n)
		memcpy(out, in->data->data + in->at, n);
	in->at += n;
	return (ptrdiff_t)n;
}

/* out NULL: what comes out does not matter. */
static bool decode(const struct buf *packed, size_t end, size_t piece, bool check, struct buf *out,
		   struct err *err)
{
	struct input in = {.data = packed, .end = end, .piece = piece};
	struct xz *x = xz_open(on_read, &in, 1, check, "f.xz");
	const void *data;
	size_t n = 1;
	bool ok = true;
	while (ok && n && (ok = xz_next(x, &data, &n, err)))
		if (out && n)
			assert_true(buf_add(out, data, n));
	xz_close(x);
	return ok;
}

static void read_file(const char *name, const char *ending, struct buf *out)
{
	struct err err;
	autofree char *path = xasprintf("files/%s%s", name, ending);
	assert_true(io_read_file(path, out, &err));
}

static void gives_what_was_packed(void **state)
{
	static const size_t pieces[] = {SIZE_MAX, 4099, 1};
	autodir DIR *d = opendir("files");
	size_t files = 0;
	for (struct dirent *e; (e = readdir(d));) {
		if (e->d_name[0] == '.' || strchr(e->d_name, '.'))
			continue;
		autobuf struct buf inside = BUF_INIT(MAX), packed = BUF_INIT(MAX);
		read_file(e->d_name, "", &inside);
		read_file(e->d_name, ".xz", &packed);
		files++;
		for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
			bool check = i == 1;
			struct err err = {0};
			autobuf struct buf out = BUF_INIT(MAX);
			if (packed.len > 100000 && pieces[i] == 1)
				continue;
			if (!decode(&packed, packed.len, pieces[i], check, &out, &err))
				fail_msg("%s: %s", e->d_name, err.msg);
			if (out.len != inside.len ||
			    (out.len && memcmp(out.data, inside.data, out.len) != 0))
				fail_msg("%s: not what was packed", e->d_name);
		}
	}
	assert_true(files > 15);
}

/* Cut anywhere it is never taken for whole. */
static void cut(void **state)
{
	autobuf struct buf packed = BUF_INIT(MAX);
	struct err err;
	read_file("props-221", ".xz", &packed);
	for (size_t end = 0; end < packed.len;
	     end += end < 64 || packed.len - end < 64 ? 1 : packed.len / 101) {
		if (decode(&packed, end, SIZE_MAX, false, NULL, &err))
			fail_msg("cut at %zu", end);
		assert_int_equal(err.code, ERR_INTEGRITY);
	}
}

/*
 * Without its check, damage inside of the data may stay unseen, and is harmless; that of headers and of the index
 * is always seen, and with the check all of it.
 */
static void damaged(void **state)
{
	autobuf struct buf packed = BUF_INIT(MAX);
	size_t seen = 0, tries = 0;
	read_file("props-310", ".xz", &packed);
	for (size_t at = 0; at < packed.len;
	     at += at < 40 || packed.len - at < 40 ? 1 : packed.len / 211) {
		struct err err;
		packed.data[at] ^= 0x44;
		bool ok = decode(&packed, packed.len, SIZE_MAX, false, NULL, &err);
		if (tries % 8 == 0 && decode(&packed, packed.len, SIZE_MAX, true, NULL, &err))
			fail_msg("byte %zu, with its check", at);
		packed.data[at] ^= 0x44;
		seen += !ok;
		tries++;
		if (ok ? at < 24 || packed.len - at < 20 : err.code != ERR_INTEGRITY)
			fail_msg("byte %zu", at);
	}
	assert_true(seen > tries / 2);
}

/* Where the check of the last block ends: in front of the index, whose length is in the footer. */
static uint8_t *check_end(const struct buf *packed)
{
	uint8_t *end = (uint8_t *)packed->data + packed->len;
	const uint8_t *size = end - 8;
	size_t index = 4 * ((size_t)size[0] + 1) + 1024 * (size_t)size[1];
	return end - 12 - index;
}

static void wrong_check(void **state)
{
	static const struct {
		const char *file;
		bool seen;
	} cases[] = {{"check-crc32", true},    {"props-310", true}, {"check-sha256", true},
		     {"check-unknown", false}, {"delta", true},	    {"streams", true}};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		autobuf struct buf packed = BUF_INIT(MAX);
		struct err err = {0};
		read_file(cases[i].file, ".xz", &packed);
		size_t padding = 0;
		while (packed.data[packed.len - padding - 1] == 0)
			padding++;
		packed.len -= padding;
		for (int byte = 1; byte <= 4; byte += 3) {
			check_end(&packed)[-byte] ^= 0x10;
			if (!decode(&packed, packed.len, SIZE_MAX, false, NULL, &err))
				fail_msg("%s: %s", cases[i].file, err.msg);
			bool ok = decode(&packed, packed.len, SIZE_MAX, true, NULL, &err);
			check_end(&packed)[-byte] ^= 0x10;
			if (ok == cases[i].seen)
				fail_msg("%s: byte %d", cases[i].file, byte);
			if (ok)
				continue;
			assert_int_equal(err.code, ERR_INTEGRITY);
			/* LZMA_DATA_ERROR, whoever found it. */
			assert_string_equal(err.msg, "'f.xz' is damaged (xz error 9)");
		}
	}
}

/* Nobody takes the rest: the decoder is waiting for room then, or for a larger history. */
static void closed_early(void **state)
{
	autobuf struct buf packed = BUF_INIT(MAX);
	const void *data;
	size_t n;
	struct err err;
	read_file("streams-grow", ".xz", &packed);
	for (int check = 0; check < 2; check++) {
		struct input in = {.data = &packed, .end = packed.len, .piece = SIZE_MAX};
		struct xz *x = xz_open(on_read, &in, 1, check, "f.xz");
		assert_true(xz_next(x, &data, &n, &err));
		assert_true(n > 0);
		xz_close(x);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_what_was_packed),
		cmocka_unit_test(cut),
		cmocka_unit_test(damaged),
		cmocka_unit_test(wrong_check),
		cmocka_unit_test(closed_early),
	};
	return cmocka_run_group_tests(tests, make, scratch_leave);
}
