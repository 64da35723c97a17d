/* METADATA of a metapackage from anywhere: refused with a message, or a list of named packages. */
#include <stdint.h>
#include <stdlib.h>

#include "core/wheelmeta.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wheelmeta m;
	struct err err = {0};
	if (!wheelmeta_parse((const char *)data, size, "x86_64", &m, &err)) {
		if (err.code != ERR_INTEGRITY || !err.msg[0])
			abort();
		return 0;
	}
	if (!m.name[0] || !m.version[0] || m.n > WHEELMETA_NEEDS_MAX)
		abort();
	for (size_t i = 0; i < m.n; i++) {
		if (!m.needs[i].package[0] || !wheelmeta_find(&m, m.needs[i].package))
			abort();
		wheelmeta_extra(&m, m.needs[i].package);
	}
	wheelmeta_clear(&m);
	return 0;
}
