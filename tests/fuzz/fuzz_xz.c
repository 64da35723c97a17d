/* With the checks our own decoder takes what liblzma takes, and makes the same bytes of it; without, no less. */
#include <lzma.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ext/xz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX = 4 << 20 };
#define MEMORY (320ull << 20)

struct input {
	const uint8_t *data;
	size_t size;
};

static ptrdiff_t on_read(void *ctx, void *buf, size_t n, struct err *err)
{
	struct input *in = ctx;
	(void)err;
	n = n > in->size ? in->size : n;
	if (n)
		memcpy(buf, in->data, n);
	in->data += n;
	in->size -= n;
	return (ptrdiff_t)n;
}

/* *n: bytes at out, MAX at most. false: refused. */
static bool decode(const uint8_t *packed, size_t size, bool check, uint8_t *out, size_t *n)
{
	struct input in = {packed, size};
	struct err err = {0};
	struct xz *x = xz_open(on_read, &in, 1, check, "fuzz.xz");
	const void *data;
	size_t got = 1;
	bool ok = true;
	*n = 0;
	while (ok && got && *n < MAX && (ok = xz_next(x, &data, &got, &err))) {
		got = got > MAX - *n ? MAX - *n : got;
		if (got)
			memcpy(out + *n, data, got);
		*n += got;
	}
	xz_close(x);
	if (!ok && !err.msg[0])
		abort();
	return ok;
}

/* The same by liblzma. */
static bool reference(const uint8_t *packed, size_t size, uint8_t *out, size_t *n)
{
	lzma_stream s = LZMA_STREAM_INIT;
	lzma_ret r = lzma_stream_decoder(&s, MEMORY, LZMA_CONCATENATED);
	s.next_in = packed;
	s.avail_in = size;
	s.next_out = out;
	s.avail_out = MAX;
	while (r == LZMA_OK && s.avail_out)
		r = lzma_code(&s, LZMA_FINISH);
	*n = MAX - s.avail_out;
	lzma_end(&s);
	return r == LZMA_OK || r == LZMA_STREAM_END;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t theirs[MAX], ours[MAX];
	size_t n, k;
	bool right = reference(data, size, theirs, &n), taken = decode(data, size, true, ours, &k);
	/* What comes behind MAX bytes one of them may have seen. */
	if (right && (!taken || n != k || memcmp(theirs, ours, n) != 0))
		abort();
	if (taken && !right && k < MAX)
		abort();
	taken = decode(data, size, false, ours, &k);
	if (right && (!taken || n != k || memcmp(theirs, ours, n) != 0))
		abort();
	return 0;
}
