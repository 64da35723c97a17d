/* A runfile's script and the manifest in it, from anywhere: refused with a message, or read to the announced end. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "ext/runfile.h"
#include "ext/runmanifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	const uint8_t *data;
	size_t left;
};

static ptrdiff_t on_read(void *ctx, void *buf, size_t n, struct err *err)
{
	struct input *in = ctx;
	(void)err;
	n = n < in->left ? n : in->left;
	memcpy(buf, in->data, n);
	in->data += n;
	in->left -= n;
	return (ptrdiff_t)n;
}

static void try_script(const uint8_t *data, size_t size)
{
	struct input in = {data, size};
	struct err err = {0};
	char buf[100];
	ptrdiff_t got;
	size_t sum = 0;
	struct runfile *rf = runfile_open(on_read, &in, true, "fuzz.run");
	while ((got = runfile_read(rf, buf, sizeof buf, &err)) > 0)
		sum += (size_t)got;
	if (sum > size || (got < 0 && (err.code != ERR_INTEGRITY || !err.msg[0])))
		abort();
	runfile_close(rf);
}

static void try_manifest(const uint8_t *data, size_t size)
{
	struct runmanifest m;
	struct err err = {0};
	if (!runmanifest_parse(&m, (const char *)data, size, &err)) {
		if (err.code != ERR_INTEGRITY || !err.msg[0])
			abort();
		return;
	}
	for (size_t i = 0; i < m.n; i++)
		if (!path_safe_relative(m.rules[i].build) ||
		    (m.rules[i].install && !path_safe_relative(m.rules[i].install)) ||
		    (m.rules[i].dir && !path_safe_relative(m.rules[i].dir)))
			abort();
	runmanifest_clear(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try_script(data, size);
	try_manifest(data, size);
	return 0;
}
