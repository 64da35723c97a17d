#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/version.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is accepted is safe as a file name, says the same when read again, and any number can be
 * asked. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct version numbers[] = {{1, {0}}, {2, {12, 4}}, {4, {999999999, 0, 0, 1}}};
	struct spec spec, again;
	struct err err;
	if (!spec_parse((const char *)data, size, "input", &spec, &err))
		return 0;
	if (strchr(spec.text, '/') || strstr(spec.text, "..") || strchr(".-", spec.text[0]))
		abort();
	if (!spec_parse(spec.text, strlen(spec.text), "text", &again, &err) ||
	    again.kind != spec.kind || strcmp(again.text, spec.text) != 0)
		abort();
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		if (spec_matches(&spec, &numbers[i]) != spec_matches(&again, &numbers[i]))
			abort();
	return 0;
}
