#include "core/debpick.h"

#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/path.h"
#include "core/debdep.h"
#include "core/debname.h"
#include "core/debver.h"
#include "ext/digest.h"

static const char toolkit[] = "nvidia-cuda-toolkit";

/* The package that stands for a release: Debian's has the compiler, NVIDIA's names all others. */
static bool stands_for_all(const struct debpkg *p)
{
	return p->label[0] && (!strcmp(p->name, toolkit) ||
			       (!strncmp(p->name, "cuda-toolkit-", 13) &&
				strspn(p->name + 13, "0123456789-") == strlen(p->name + 13) &&
				strchr(p->name + 13, '-')));
}

static const struct debpkg *root_of(const struct debset *set, const char *label)
{
	const struct debpkg *best = NULL;
	for (size_t i = 0; i < set->n; i++) {
		const struct debpkg *p = &set->items[i];
		if (stands_for_all(p) && !strcmp(p->label, label) &&
		    (!best || debver_compare(p->version, best->version) > 0))
			best = p;
	}
	return best;
}

void debpick_labels(const struct debset *set, struct strlist *out)
{
	for (size_t i = 0; i < set->n; i++)
		if (stands_for_all(&set->items[i]) && !strlist_has(out, set->items[i].label))
			strlist_add(out, set->items[i].label);
}

void debpick_lacking(const struct debset *set, const char *label, bool flat, bool all,
		     struct strlist *out)
{
	static const char *const elsewhere[] = {"libcu++-dev", "libcub-dev", "libthrust-dev"};
	const struct debpkg *dev = flat ? NULL : debset_find(set, "nvidia-cuda-dev", label);
	bool any = false;
	for (size_t i = 0; dev && dev->depends && i < ARRAY_LEN(elsewhere); i++)
		any = any || debdep_names(dev->depends, elsewhere[i]);
	for (size_t i = 0; any && i < ARRAY_LEN(elsewhere); i++)
		if ((all || debdep_names(dev->depends, elsewhere[i])) &&
		    !debset_find(set, elsewhere[i], NULL))
			strlist_add(out, elsewhere[i]);
}

/* What the release is made of. */
struct parts {
	const struct debpkg **items;
	size_t n;
};

static bool has(const struct parts *p, const struct debpkg *pkg)
{
	for (size_t i = 0; i < p->n; i++)
		if (!strcmp(p->items[i]->name, pkg->name))
			return true;
	return false;
}

static void add(struct parts *p, const struct debpkg *pkg)
{
	if (!pkg || has(p, pkg))
		return;
	p->items = array_grow(p->items, p->n, sizeof *p->items);
	p->items[p->n++] = pkg;
}

/* All of one source, and what it needs from elsewhere. */
static void collect_source(struct parts *p, const struct debset *set, const char *label)
{
	add(p, root_of(set, label));
	for (size_t i = 0; i < set->n; i++) {
		const struct debpkg *pkg = &set->items[i];
		bool other = !strncmp(pkg->name, "libcu++", 7) ||
			     !strncmp(pkg->name, "libcub-", 7) ||
			     !strncmp(pkg->name, "libthrust", 9);
		if (other || !strcmp(pkg->label, label))
			add(p, debset_find(set, pkg->name, other ? NULL : label));
	}
}

/* What the package depends on, one by one: the lowest version that will do is the one of this release. */
static void collect_depends(struct parts *p, const struct debset *set, const char *label)
{
	add(p, root_of(set, label));
	for (size_t i = 0; i < p->n; i++) {
		struct debdep d;
		for (const char *s = p->items[i]->depends; s && (s = debdep_next(s, &d));) {
			const struct debpkg *best = NULL;
			for (size_t k = 0; k < set->n; k++) {
				const struct debpkg *q = &set->items[k];
				if (debdep_fits(&d, q->name, q->version) &&
				    (!best || debver_compare(q->version, best->version) < 0))
					best = q;
			}
			add(p, best);
		}
	}
}

static bool asked_for(const struct request *rq, const char *component, const char *package)
{
	return strlist_has(&rq->components, component) || strlist_has(&rq->components, package);
}

static bool chosen(const struct request *rq, const char *component, const char *package)
{
	if (!rq->components.n)
		return debname_wanted(component, rq->profile);
	return asked_for(rq, component, package) ||
	       (asked_for(rq, "cuda_nvcc", toolkit) && debname_wanted(component, PROFILE_MINIMAL));
}

/* A name in the store for the part that the minimal profile takes. */
static void name_part(struct component *c)
{
	struct digest *d = digest_new(DIGEST_SHA256);
	memcpy(c->archive_sha256, c->sha256, sizeof c->archive_sha256);
	digest_update(d, "lean ", 5);
	digest_update(d, c->sha256, 64);
	digest_hex(d, c->sha256);
	digest_free(d);
}

static void take(struct release *r, const struct request *rq, const struct debpkg *p,
		 const char *component, const char *base)
{
	struct component c = {
		.name = xstrdup(component),
		.package = xstrdup(p->name),
		.version = debver_own(p->version),
		.file = xstrdup(path_base(p->file)),
		.size = p->size,
		.unpacked = p->unpacked,
		.kind = ARCHIVE_DEB,
	};
	autofree char *url = xasprintf("%s/%s", base, p->file);
	strlist_add(&c.urls, url);
	memcpy(c.sha256, p->sha256, sizeof c.sha256);
	bool lean = rq->components.n ? !asked_for(rq, component, p->name)
				     : rq->profile == PROFILE_MINIMAL;
	if (lean && debname_is_large(component)) {
		name_part(&c);
		c.unpacked = c.size / 8;
	}
	release_take(r, &c);
}

/* nvcc for cuda_nvcc, cublas for libcublas. */
static bool is_short_for(const char *want, const char *name)
{
	size_t n = strlen(want), len = strlen(name);
	return len > n && !strcmp(name + len - n, want) &&
	       (name[len - n - 1] == '_' || (len - n == 3 && !strncmp(name, "lib", 3)));
}

static bool check_names(const struct parts *p, const struct request *rq, struct err *err)
{
	for (size_t i = 0; i < rq->components.n; i++) {
		const char *want = rq->components.items[i], *meant = NULL;
		autostrlist struct strlist known = {0};
		for (size_t k = 0; k < p->n; k++) {
			autofree char *component = debname_component(p->items[k]->name);
			if (!component)
				continue;
			strlist_add(&known, component);
			strlist_add(&known, p->items[k]->name);
		}
		if (strlist_has(&known, want))
			continue;
		autofree const char **list = xcalloc(known.n + 1, sizeof *list);
		for (size_t k = 0; k < known.n; k++) {
			list[k] = known.items[k];
			if (is_short_for(want, list[k]))
				meant = list[k];
		}
		const char *near = meant ? meant : nearest(want, list);
		err_set(err, ERR_NO_VERSION, "%s has no component '%s' in this repository",
			rq->label, want);
		return near ? err_hint(err, "did you mean '%s'?", near)
			    : err_hint(err, "see 'cudaenv install --source deb %s --dry-run'",
				       rq->label);
	}
	return true;
}

bool debpick_select(const struct debset *set, const struct request *rq, const char *base, bool flat,
		    struct release *r, struct err *err)
{
	struct parts p = {0};
	if (flat)
		collect_depends(&p, set, rq->label);
	else
		collect_source(&p, set, rq->label);
	bool ok =
		p.n > 0 ? check_names(&p, rq, err)
			: err_set(err, ERR_NO_VERSION, "the repository has no CUDA %s", rq->label);
	for (size_t i = 0; ok && i < p.n; i++) {
		autofree char *component = debname_component(p.items[i]->name);
		if (component && chosen(rq, component, p.items[i]->name) &&
		    !release_find(r, component))
			take(r, rq, p.items[i], component, base);
	}
	if (ok) {
		r->manifest = xstrdup(path_base(p.items[0]->file));
		memcpy(r->manifest_sha256, p.items[0]->sha256, sizeof r->manifest_sha256);
	}
	free(p.items);
	return ok;
}
