#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/pinfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pinfile p;
	struct err err;
	if (!pinfile_parse((const char *)data, size, "'f'", &p, &err))
		return 0;
	if (p.versions < 1 || p.versions > PINFILE_VERSIONS)
		abort();
	for (int i = 0; i < p.versions; i++)
		if (!p.version[i][0] || strpbrk(p.version[i], " \t\r\n"))
			abort();
	return 0;
}
