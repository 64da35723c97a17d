#include "core/catalog.h"

bool catalog_gpu_list(const struct catalog_release *r, struct gpuarch_list *out)
{
	gpuarch_numbers(r->sm ? r->sm : "", out);
	return out->n > 0;
}

enum catalog_gpu catalog_gpu(const struct catalog_release *r, int cc)
{
	struct gpuarch_list l;
	int use;
	if (cc <= 0 || !catalog_gpu_list(r, &l))
		return CATALOG_GPU_UNKNOWN;
	switch (gpuarch_fit(&l, cc, &use)) {
	case GPUARCH_DROPPED:
		return CATALOG_GPU_DROPPED;
	case GPUARCH_TOO_NEW:
		return CATALOG_GPU_TOO_NEW;
	case GPUARCH_FITS:
		break;
	}
	return CATALOG_GPU_SERVED;
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
