/* A redist manifest from anywhere: refused with a message, or a list of files below its folder. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "core/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct manifest m;
	struct err err = {0};
	if (!manifest_parse((const char *)data, size, "fuzz.json", &m, &err)) {
		if (err.code != ERR_INTEGRITY || !err.msg[0])
			abort();
		return 0;
	}
	for (size_t i = 0; i < m.n; i++)
		if (!path_safe_relative(m.files[i].path) || strlen(m.files[i].sha256) != 64 ||
		    !m.files[i].component[0] || !m.files[i].platform[0])
			abort();
	manifest_clear(&m);
	return 0;
}
