#include "core/catalog.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"

const char *const catalog_sources[] = {"redist", "wheels", "runfile", NULL};

static bool redist_offers(const struct catalog_release *r, const char *arch)
{
	char platform[32];
	if (!arch)
		return r->platforms.n > 0;
	snprintf(platform, sizeof platform, "linux-%s", arch);
	return strlist_has(&r->platforms, platform);
}

static bool wheels_offer(const struct catalog *c, const struct catalog_release *r, const char *arch)
{
	return r->wheels && c->wheels_nvcc.n && version_compare(&r->v, &c->wheels_nvcc) >= 0 &&
	       (!arch || !strcmp(arch, "x86_64") || !strcmp(arch, "sbsa"));
}

static bool runfile_offers(const struct catalog_release *r, const char *arch)
{
	for (size_t i = 0; i < r->n_runfiles; i++)
		if (!arch || !strcmp(r->runfiles[i].arch, arch))
			return true;
	return false;
}

bool catalog_offers(const struct catalog *c, const struct catalog_release *r, const char *source,
		    const char *arch)
{
	if (!strcmp(source, "redist"))
		return redist_offers(r, arch);
	if (!strcmp(source, "wheels"))
		return wheels_offer(c, r, arch);
	return !strcmp(source, "runfile") && runfile_offers(r, arch);
}

const char *catalog_offer_words(const struct catalog *c, const struct catalog_release *r,
				const char *arch, char *out, size_t cap)
{
	autobuf struct buf b = BUF_INIT(cap - 1);
	for (const char *const *s = catalog_sources; *s; s++)
		if (catalog_offers(c, r, *s, arch))
			buf_addf(&b, "%s%s", b.len ? ", " : "", *s);
	snprintf(out, cap, "%s", b.len ? buf_str(&b) : "none");
	return out;
}

static const struct catalog_release *newest(const struct catalog *c, const struct spec *spec,
					    const char *source)
{
	for (size_t i = c->n; i-- > 0;) {
		const struct catalog_release *r = &c->releases[i];
		if (spec_matches(spec, &r->v) && (!source || catalog_offers(c, r, source, NULL)))
			return r;
	}
	return NULL;
}

static bool same_minor(const struct catalog_release *r, const struct version *v)
{
	struct version minor = {.n = 2, .part = {v->part[0], v->part[1]}};
	return version_has_prefix(&r->v, &minor);
}

/* The releases on both sides of v; of a patch level that is missing only those of its minor. */
static void neighbours(const struct catalog *c, const struct version *v, char *out, size_t cap)
{
	const struct catalog_release *below = NULL, *above = NULL;
	for (size_t i = 0; i < c->n; i++) {
		if (version_compare(&c->releases[i].v, v) < 0) {
			below = &c->releases[i];
		} else {
			above = &c->releases[i];
			break;
		}
	}
	if (!above) {
		snprintf(out, cap, "the newest is %s", below->label);
		return;
	}
	if (!below) {
		snprintf(out, cap, "the oldest is %s", above->label);
		return;
	}
	bool b = v->n > 2 && same_minor(below, v), a = v->n > 2 && same_minor(above, v);
	if (a != b)
		snprintf(out, cap, "the nearest is %s", (b ? below : above)->label);
	else
		snprintf(out, cap, "the nearest are %s and %s", below->label, above->label);
}

static bool only_driver_has(const struct catalog *c, const struct version *v)
{
	for (size_t i = 0; i < c->n_driver_only; i++)
		if (version_has_prefix(v, &c->driver_only[i]))
			return true;
	return false;
}

static bool none_fits(const struct catalog *c, const struct spec *spec, struct err *err)
{
	char near[80];
	if (spec->kind == SPEC_NAME || spec->kind == SPEC_SYSTEM) {
		err_set(err, ERR_NO_VERSION, "'%s' is no CUDA version", spec->text);
	} else if (spec->kind == SPEC_RANGE) {
		err_set(err, ERR_NO_VERSION, "no CUDA release fits '%s'; the newest is %s",
			spec->text, c->releases[c->n - 1].label);
	} else {
		neighbours(c, &spec->v, near, sizeof near);
		if (only_driver_has(c, &spec->v))
			err_set(err, ERR_NO_VERSION,
				"there is no CUDA toolkit '%s': drivers report that number, no "
				"toolkit has it; %s",
				spec->text, near);
		else
			err_set(err, ERR_NO_VERSION, "there is no CUDA release '%s'; %s",
				spec->text, near);
	}
	return err_hint(err, "'cudaenv list-remote' shows what there is");
}

static bool elsewhere(const struct catalog *c, const struct catalog_release *r, const char *source,
		      struct err *err)
{
	char have[64];
	bool libraries = !strcmp(source, "wheels") && r->wheels;
	catalog_offer_words(c, r, NULL, have, sizeof have);
	err_set(err, ERR_NO_VERSION, "source '%s' has no CUDA %s%s; sources that have it: %s",
		source, r->label, libraries ? " with nvcc (only libraries)" : "", have);
	const struct catalog_release *first = NULL, *last = NULL;
	for (size_t i = 0; i < c->n; i++) {
		if (!catalog_offers(c, &c->releases[i], source, NULL))
			continue;
		first = first ? first : &c->releases[i];
		last = &c->releases[i];
	}
	if (!first)
		return err_hint(err, "leave the source out");
	return err_hint(err, "'%s' has releases from %s to %s", source, first->label, last->label);
}

bool catalog_select(const struct catalog *c, const struct spec *spec, const char *source,
		    const struct catalog_release **out, struct err *err)
{
	if (spec->kind == SPEC_SUPPORTED)
		return err_set(err, ERR_HOST, "'supported' needs the facts of this machine");
	const struct catalog_release *r = newest(c, spec, source);
	if (r) {
		*out = r;
		return true;
	}
	r = source ? newest(c, spec, NULL) : NULL;
	return r ? elsewhere(c, r, source, err) : none_fits(c, spec, err);
}
