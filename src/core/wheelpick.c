#include "core/wheelpick.h"

#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/nearest.h"
#include "base/version.h"
#include "core/wheelpkg.h"

/* What becomes of each need of the meta, by index. */
struct choice {
	const struct wheelmeta *meta;
	char **components;
	bool *wanted;
};

static void want(struct choice *c, const char *package)
{
	const struct wheelneed *need = wheelmeta_find(c->meta, package);
	if (need)
		c->wanted[need - c->meta->needs] = true;
}

static size_t count(const struct choice *c)
{
	size_t n = 0;
	for (size_t i = 0; i < c->meta->n; i++)
		n += c->wanted[i];
	return n;
}

/* Until nothing new comes: what the rules name, and what the package's own extra brings along. */
static void close_over(struct choice *c)
{
	size_t before;
	do {
		before = count(c);
		for (size_t i = 0; i < c->meta->n; i++) {
			const char *package = c->meta->needs[i].package;
			const struct wheelextra *extra = wheelmeta_extra(c->meta, package);
			const char *const *needs = wheelpkg_needs(package);
			if (!c->wanted[i])
				continue;
			for (; *needs; needs++)
				want(c, *needs);
			for (size_t k = 0; extra && k < extra->packages.n; k++)
				want(c, extra->packages.items[k]);
		}
	} while (count(c) > before);
}

static bool unknown_name(const struct choice *c, const char *asked, const char *label,
			 struct err *err)
{
	autofree const char **names = xcalloc(c->meta->n + 1, sizeof *names);
	for (size_t i = 0; i < c->meta->n; i++)
		names[i] = c->components[i];
	const char *near = nearest(asked, names);
	err_set(err, ERR_NO_VERSION, "the wheels of %s have no component '%s'", label, asked);
	return near ? err_hint(err, "did you mean '%s'?", near)
		    : err_hint(err, "cudaenv install %s --dry-run --profile full lists them",
			       label);
}

static bool want_named(struct choice *c, const char *asked, const char *label, struct err *err)
{
	for (size_t i = 0; i < c->meta->n; i++) {
		const char *package = c->meta->needs[i].package;
		const struct wheelextra *extra = wheelmeta_extra(c->meta, package);
		if (!wheelpkg_means(asked, package) && !(extra && !strcmp(asked, extra->name)))
			continue;
		c->wanted[i] = true;
		return true;
	}
	return unknown_name(c, asked, label, err);
}

static bool choose(struct choice *c, const struct request *rq, const char *label, struct err *err)
{
	for (size_t i = 0; i < rq->components.n; i++)
		if (!want_named(c, rq->components.items[i], label, err))
			return false;
	for (size_t i = 0; !rq->components.n && i < c->meta->n; i++)
		c->wanted[i] = profile_wants(rq->profile, c->components[i]);
	close_over(c);
	return true;
}

static void collect(const struct choice *c, const struct request *rq, struct wheelpicks *out)
{
	for (size_t i = 0; i < c->meta->n; i++) {
		if (!c->wanted[i])
			continue;
		out->items = array_grow(out->items, out->n, sizeof *out->items);
		out->items[out->n++] = (struct wheelpick){
			.need = &c->meta->needs[i],
			.component = take_ptr(c->components[i]),
		};
		struct wheelpick *p = &out->items[out->n - 1];
		p->optional = !rq->components.n && !profile_wants(PROFILE_MINIMAL, p->component);
	}
}

bool wheelpick_select(const struct wheelmeta *meta, const struct request *rq, const char *label,
		      struct wheelpicks *out, struct err *err)
{
	struct choice c = {.meta = meta};
	struct version release = {0};
	if (!version_parse(label, strlen(label), &release))
		return err_set(err, ERR_USAGE, "'%s' is no release number", label);
	c.components = xcalloc(meta->n, sizeof *c.components);
	c.wanted = xcalloc(meta->n, sizeof *c.wanted);
	for (size_t i = 0; i < meta->n; i++)
		c.components[i] = wheelpkg_component(meta->needs[i].package, &release);
	bool ok = choose(&c, rq, label, err);
	if (ok) {
		*out = (struct wheelpicks){0};
		collect(&c, rq, out);
	}
	for (size_t i = 0; i < meta->n; i++)
		free(c.components[i]);
	free(c.components);
	free(c.wanted);
	return ok;
}

void wheelpicks_clear(struct wheelpicks *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->items[i].component);
	free(p->items);
	*p = (struct wheelpicks){0};
}
