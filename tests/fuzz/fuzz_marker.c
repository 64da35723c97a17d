/* METADATA of a metapackage, and the whole input as one marker: an error has words, and no marker
 * crashes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "core/marker.h"
#include "core/wheelmeta.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_meta(const char *text, size_t size, const char *arch)
{
	struct wheelmeta m;
	struct err err = {0};
	if (!wheelmeta_parse(text, size, arch, &m, &err)) {
		if (err.code != ERR_INTEGRITY || !err.msg[0])
			abort();
		return;
	}
	for (size_t i = 0; i < m.n; i++)
		if (wheelmeta_find(&m, m.needs[i].package) != &m.needs[i])
			abort();
	wheelmeta_clear(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	autofree char *text = xstrndup((const char *)data, size);
	struct marker_env env = marker_env("x86_64", "all");
	struct err err = {0};
	bool holds;
	if (!marker_holds(text, &env, &holds, &err) && (err.code != ERR_INTEGRITY || !err.msg[0]))
		abort();
	check_meta((const char *)data, size, "x86_64");
	check_meta((const char *)data, size, "sbsa");
	return 0;
}
