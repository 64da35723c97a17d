/* What was collected of `verify --json`: no line crashes, texts are printable, and rates are numbers. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "core/results.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const char *s)
{
	autofree char *copy = xstrdup(s);
	err_sanitize(copy);
	if (strcmp(copy, s))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	autoresults struct results r = {0};
	struct err err = {0};
	char remark[64];
	if (!results_add(&r, (const char *)data, size, &err))
		return 0;
	results_finish(&r);
	for (size_t i = 0; i < r.n; i++) {
		const struct result *x = &r.items[i];
		if (!x->host[0] || !x->version[0] || !x->verdict[0])
			abort();
		check_text(x->host);
		check_text(x->version);
		check_text(x->verdict);
		check_text(x->detail);
		result_remark(x, remark, sizeof remark);
		for (size_t j = 0; j < x->n; j++)
			if (!(x->rates[j].gbps > 0) || !isfinite(x->rates[j].off) ||
			    !x->rates[j].bytes)
				abort();
	}
	return 0;
}
