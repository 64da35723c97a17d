/* What liblzma decodes and finds right by its checks, our own decoder makes the same bytes of. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ext/xz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX = 4 << 20 };

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t theirs[MAX], ours[MAX];
	size_t n, k;
	bool right = decode(data, size, true, theirs, &n),
	     taken = decode(data, size, false, ours, &k);
	if (right && (!taken || n != k || memcmp(theirs, ours, n) != 0))
		abort();
	return 0;
}
