/* A catalog from anywhere: it is refused with a message, or every question to it has an answer. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/catalog.h"
#include "core/host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const struct catalog *c, const char *text)
{
	struct spec spec;
	struct err err = {0};
	const struct catalog_release *r;
	if (!spec_parse(text, strlen(text), "the fuzzer", &spec, &err))
		abort();
	if (!catalog_select(c, &spec, NULL, &r, &err) && !err.msg[0])
		abort();
	if (!catalog_select(c, &spec, "wheels", &r, &err) && !err.msg[0])
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct catalog c;
	struct err err = {0};
	const struct host h = {.arch = "x86_64", .driver = "565.77", .cuda = 12070};
	const struct catalog_release *r;
	char words[64];

	if (!catalog_parse(&c, "fuzz.ini", (const char *)data, size, &err)) {
		if (!err.msg[0] || err.code != ERR_USAGE)
			abort();
		return 0;
	}
	for (size_t i = 0; i < c.n; i++) {
		if (i && version_compare(&c.releases[i - 1].v, &c.releases[i].v) > 0)
			abort();
		catalog_offer_words(&c, &c.releases[i], "sbsa", words, sizeof words);
		host_fit(&h, &c.releases[i]);
	}
	ask(&c, "12.7");
	ask(&c, "latest");
	ask(&c, ">=12.2,<13");
	if (!host_supported(&h, &c, NULL, &r, &err) && err.code != ERR_HOST)
		abort();
	catalog_clear(&c);
	return 0;
}
