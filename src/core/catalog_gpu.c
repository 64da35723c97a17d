#include <stdlib.h>

#include "core/catalog.h"

/* Machine code for X.y runs on X.z with z >= y; code for another major does not run. */
enum catalog_gpu catalog_gpu(const struct catalog_release *r, int cc)
{
	bool older = false, newer = false;
	if (!r->sm || cc <= 0)
		return CATALOG_GPU_UNKNOWN;
	for (const char *p = r->sm; *p;) {
		char *end;
		int sm = (int)strtol(p, &end, 10);
		if (sm / 10 == cc / 10 && sm <= cc)
			return CATALOG_GPU_SERVED;
		older |= sm < cc;
		newer |= sm > cc;
		p = end;
	}
	return newer && !older ? CATALOG_GPU_DROPPED : CATALOG_GPU_TOO_NEW;
}

bool catalog_gpu_range(const struct catalog *c, int cc, const struct catalog_release **first,
		       const struct catalog_release **last)
{
	const struct catalog_release *from = NULL, *to = NULL;
	for (size_t i = 0; i < c->n; i++)
		if (catalog_gpu(&c->releases[i], cc) == CATALOG_GPU_SERVED) {
			from = from ? from : &c->releases[i];
			to = &c->releases[i];
		}
	if (!from)
		return false;
	*first = from;
	*last = to;
	return true;
}
