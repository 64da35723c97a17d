#include "core/choose_wanted.h"

#include <string.h>

bool wanted_exact(const struct wanted *w)
{
	return w->spec.kind == SPEC_VERSION && w->spec.v.n >= 3;
}

static void add_fitting(struct wanted *w, const struct catalog *c, const struct host *h,
			enum host_fit fit)
{
	for (size_t i = c->n; i-- > 0;)
		if (host_fit(h, &c->releases[i]) == fit)
			strlist_add(&w->labels, c->releases[i].label);
}

static bool find_supported(struct wanted *w, const struct catalog *c, const struct host *h,
			   struct err *err)
{
	const struct catalog_release *r;
	if (!host_supported(h, c, NULL, &r, err))
		return false;
	add_fitting(w, c, h, HOST_FIT_FULL);
	add_fitting(w, c, h, HOST_FIT_MINOR);
	return true;
}

/* The newest that is known of the same minor release, else of the same major one, else of all. */
static const struct catalog_release *newest_beside(const struct catalog *c, const struct version *v)
{
	for (int parts = 2; parts >= 0; parts--) {
		struct version start = {.n = parts, .part = {v->part[0], v->part[1]}};
		for (size_t i = c->n; i-- > 0 && v->n >= parts;)
			if (version_has_prefix(&c->releases[i].v, &start))
				return &c->releases[i];
	}
	return NULL;
}

static bool may_be_newer(const struct catalog *c, const struct spec *s)
{
	if (s->kind == SPEC_RANGE)
		return true;
	const struct catalog_release *r = newest_beside(c, &s->v);
	return (s->kind == SPEC_VERSION || s->kind == SPEC_LATEST) &&
	       (!r || version_compare(&s->v, &r->v) > 0);
}

bool wanted_find(const struct catalog *c, const struct host *h, const char *spec, const char *where,
		 struct wanted *out, struct err *err)
{
	struct wanted w = {0};
	const struct catalog_release *r;
	if (!spec_parse(spec, strlen(spec), where, &w.spec, err))
		return false;
	if (w.spec.kind == SPEC_SYSTEM || w.spec.kind == SPEC_NAME) {
		err_set(err, ERR_NO_VERSION, "'%s' is no CUDA version that can be installed",
			w.spec.text);
		return err_hint(err, "see 'cudaenv list-remote'");
	}
	if (w.spec.kind == SPEC_SUPPORTED) {
		if (!find_supported(&w, c, h, err))
			return false;
	} else if (catalog_select(c, &w.spec, NULL, &r, &w.unknown)) {
		for (size_t i = c->n; i-- > 0;)
			if (spec_matches(&w.spec, &c->releases[i].v))
				strlist_add(&w.labels, c->releases[i].label);
	} else if (!may_be_newer(c, &w.spec)) {
		*err = w.unknown;
		return false;
	}
	*out = w;
	return true;
}

const char *wanted_newest(const struct wanted *w, const struct strlist *labels)
{
	const char *best = NULL;
	struct version v, top;
	for (size_t i = 0; i < labels->n; i++) {
		const char *s = labels->items[i];
		if (!version_parse(s, strlen(s), &v) || v.n != 3 || !spec_matches(&w->spec, &v) ||
		    (best && version_compare(&v, &top) <= 0))
			continue;
		best = s;
		top = v;
	}
	return best;
}

void wanted_clear(struct wanted *w)
{
	strlist_clear(&w->labels);
}
