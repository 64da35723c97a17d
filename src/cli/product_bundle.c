/* A product's wheel in a bundle: what the index would give. NVIDIA's archives in one are found as on any mirror. */
#include <string.h>

#include "base/product.h"
#include "cli/product.h"
#include "core/bundle.h"

static bool fits(const struct bundle_release *r, const struct product *p, const struct spec *spec,
		 const struct version *cuda, struct version *v)
{
	struct product_name name;
	if (strcmp(r->product, p->name) != 0 || !bundle_is_wheels(r) ||
	    !product_name_parse(r->version, &name) || !product_fits(&name.cuda, cuda))
		return false;
	*v = name.v;
	return spec_matches(spec, v);
}

bool product_in_bundle(const char *path, const struct product *p, const struct spec *spec,
		       const struct version *cuda, const char *arch, bool *found,
		       struct release *out, struct err *err)
{
	struct request rq = {.arch = arch};
	const struct bundle_release *best = NULL;
	struct version v, newest = {0};
	struct bundle b;
	*found = false;
	if (!path || !bundle_is(path))
		return true;
	if (!bundle_open(path, &b, err))
		return false;
	for (size_t i = 0; i < b.n; i++)
		if (fits(&b.releases[i], p, spec, cuda, &v) &&
		    (!best || version_compare(&v, &newest) > 0)) {
			best = &b.releases[i];
			newest = v;
		}
	for (size_t i = 0; best && i < best->n; i++)
		strlist_add(&rq.components, best->files[i].component);
	bool ok = !best || bundle_wheels(path, best, &rq, out, err);
	*found = best && ok;
	strlist_clear(&rq.components);
	bundle_clear(&b);
	return ok;
}
