/* Lines as versions, conditions and names of wheels: the order of versions is one. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "core/pyspec.h"
#include "core/wheelname.h"

enum { LINES = 3 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int sign(int d)
{
	return (d > 0) - (d < 0);
}

static void check_order(const struct pep440 *a, const struct pep440 *b, const struct pep440 *c)
{
	int ab = sign(pep440_compare(a, b)), bc = sign(pep440_compare(b, c));
	if (pep440_compare(a, a) != 0 || ab != -sign(pep440_compare(b, a)))
		abort();
	if (ab == bc && sign(pep440_compare(a, c)) != ab)
		abort();
}

static void check_name(const char *file)
{
	struct wheelname w;
	bool fits;
	char again[PEP440_TEXT];
	if (!wheelname_parse(file, "x86_64", &w, &fits))
		return;
	if (strchr(file, '/') || !wheelname_project(w.project, strlen(w.project), again) ||
	    strcmp(again, w.project) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pep440 v[LINES];
	int versions = 0;
	for (int i = 0; i < LINES && size; i++) {
		const uint8_t *nl = memchr(data, '\n', size);
		size_t n = nl ? (size_t)(nl - data) : size;
		autofree char *line = xstrndup((const char *)data, n);
		struct pyspec spec;
		versions += pep440_parse(line, strlen(line), &v[versions]);
		if (versions && pyspec_parse(line, strlen(line), &spec))
			pyspec_holds(&spec, &v[0]);
		check_name(line);
		data += n + (nl != NULL);
		size -= n + (nl != NULL);
	}
	if (versions == LINES)
		check_order(&v[0], &v[1], &v[2]);
	return 0;
}
