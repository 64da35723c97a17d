#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/nearest.h"
#include "base/path.h"
#include "core/cache.h"
#include "core/catalog.h"
#include "core/config.h"
#include "core/redist.h"
#include "core/store.h"

struct pick {
	const struct redist_manifest *m;
	const struct request *rq;
	char platform[32];
};

static bool on_platform(const struct pick *p, const struct manifest_file *f)
{
	return !f->variant &&
	       (!strcmp(f->platform, p->platform) || !strcmp(f->platform, "linux-all"));
}

static const struct manifest_file *find(const struct pick *p, const char *component)
{
	for (size_t i = 0; i < p->m->m.n; i++) {
		const struct manifest_file *f = &p->m->m.files[i];
		if (!strcmp(f->component, component) && on_platform(p, f))
			return f;
	}
	return NULL;
}

static bool chosen(const struct pick *p, const char *component)
{
	if (!p->rq->components.n)
		return profile_wants(p->rq->profile, component);
	return strlist_has(&p->rq->components, component) ||
	       (strlist_has(&p->rq->components, "cuda_nvcc") && component_nvcc_needs(component));
}

/* nvcc for cuda_nvcc, cublas for libcublas. */
static bool is_short_for(const char *want, const char *name)
{
	size_t n = strlen(want), len = strlen(name);
	return len > n && !strcmp(name + len - n, want) &&
	       (name[len - n - 1] == '_' || (len - n == 3 && !strncmp(name, "lib", 3)));
}

/* Every component that was asked for by name is there, for this platform. */
static bool check_names(const struct pick *p, const char *label, struct err *err)
{
	const struct manifest *m = &p->m->m;
	for (size_t i = 0; i < p->rq->components.n; i++) {
		const char *want = p->rq->components.items[i];
		if (find(p, want))
			continue;
		const char **names = xcalloc(m->n + 1, sizeof *names);
		const char *meant = NULL;
		bool elsewhere = false;
		for (size_t k = 0; k < m->n; k++) {
			names[k] = m->files[k].component;
			if (is_short_for(want, names[k]))
				meant = names[k];
			elsewhere = elsewhere || !strcmp(names[k], want);
		}
		const char *near = meant ? meant : nearest(want, names);
		free(names);
		if (elsewhere)
			return err_set(err, ERR_NO_VERSION,
				       "component '%s' of %s is not made for %s", want, label,
				       p->platform);
		err_set(err, ERR_NO_VERSION, "%s has no component '%s'", label, want);
		return near ? err_hint(err, "did you mean '%s'?", near)
			    : err_hint(err, "see 'cudaenv install %s --dry-run'", label);
	}
	return true;
}

static void add(struct release *r, const struct pick *p, const struct manifest_file *f)
{
	struct component c = {
		.name = xstrdup(f->component),
		.package = xstrdup(f->component),
		.version = xstrdup(f->version),
		.file = xstrdup(path_base(f->path)),
		.size = f->size,
		.kind = ARCHIVE_REDIST,
	};
	memcpy(c.sha256, f->sha256, sizeof c.sha256);
	for (size_t i = 0; i < p->m->bases.n; i++) {
		autofree char *url = xasprintf("%s%s", p->m->bases.items[i], f->path);
		strlist_add(&c.urls, url);
	}
	release_take(r, &c);
}

/* One line for all that the profile has on the usual platform and not on this one. */
static void tell_left_out(const struct source_ctx *ctx, const struct pick *p, const char *label)
{
	const struct manifest *m = &p->m->m;
	autobuf struct buf names = BUF_INIT(1024);
	for (size_t i = 0; i < m->n; i++) {
		const char *name = m->files[i].component;
		if (!strcmp(m->files[i].platform, "linux-x86_64") && !m->files[i].variant &&
		    chosen(p, name) && !find(p, name))
			buf_addf(&names, "%s%s", names.len ? ", " : "", name);
	}
	if (names.len)
		event_note(ctx->events, "left out, since %s of %s has them not: %s", p->platform,
			   label, buf_str(&names));
}

static bool pick_components(const struct pick *p, struct release *r, struct err *err)
{
	const struct manifest *m = &p->m->m;
	if (!check_names(p, r->label, err))
		return false;
	for (size_t i = 0; i < m->n; i++)
		/* A component may be there twice: for this platform, and for all. */
		if (chosen(p, m->files[i].component) &&
		    find(p, m->files[i].component) == &m->files[i])
			add(r, p, &m->files[i]);
	if (r->n)
		return true;
	err_set(err, ERR_NO_VERSION, "CUDA %s is not made for %s", r->label, p->platform);
	return err_hint(err, "see 'cudaenv list-remote --all' for the platforms of each release");
}

/* Whether all archives are on this machine, so that no mirror is needed. */
static bool all_here(const struct source_ctx *ctx, const struct release *r)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct component *c = &r->components[i];
		autofree char *path = cache_path(ctx->cache_dir, c->sha256, c->file);
		if (access(path, F_OK) < 0 && !(ctx->layout && store_has(ctx->layout, c->sha256)))
			return false;
	}
	return true;
}

static bool make_release(const struct source_ctx *ctx, const struct redist_manifest *m,
			 const struct request *rq, bool pinned, struct release *out,
			 struct err *err)
{
	struct release r = {.source = source_redist.name, .pinned = pinned};
	struct pick p = {.m = m, .rq = rq};
	snprintf(p.platform, sizeof p.platform, "linux-%s", rq->arch);
	snprintf(r.label, sizeof r.label, "%s", rq->label);
	snprintf(r.arch, sizeof r.arch, "%s", rq->arch);
	memcpy(r.manifest_sha256, m->sha256, sizeof r.manifest_sha256);
	r.manifest = xstrdup(m->file);
	if (pick_components(&p, &r, err)) {
		tell_left_out(ctx, &p, r.label);
		*out = r;
		return true;
	}
	release_clear(&r);
	return false;
}

/*
 * A manifest that was kept says nothing about whether a mirror can be reached. Where another source
 * may serve, that is found out now rather than by downloads that fail.
 */
static bool needs_mirror(const struct source_ctx *ctx, const struct redist_manifest *m,
			 const struct release *r)
{
	return m->cached && ctx->quick && !all_here(ctx, r);
}

static bool find_release(const struct source_ctx *ctx, const struct request *rq,
			 struct release *out, struct err *err)
{
	const struct catalog_release *known = catalog_find(ctx->catalog, rq->label);
	const char *pin = rq->manifest_sha256 ? rq->manifest_sha256
			  : known	      ? known->manifest_sha256
					      : NULL;
	struct redist_manifest m;
	struct release r = {0};
	event_step(ctx->events, "look for %s in NVIDIA's archives", rq->label);
	if (!redist_manifest(ctx, "cuda", rq->label, pin, &m, err))
		return false;
	bool ok = make_release(ctx, &m, rq, pin != NULL, &r, err);
	if (ok && needs_mirror(ctx, &m, &r)) {
		release_clear(&r);
		ok = redist_ask(ctx, "cuda", rq->label, pin, &m, err) &&
		     make_release(ctx, &m, rq, pin != NULL, &r, err);
	}
	redist_manifest_clear(&m);
	if (!ok)
		return false;
	if (!r.pinned)
		event_note(ctx->events,
			   "the manifest of %s is not pinned: no digest of it is in the catalog",
			   r.label);
	*out = r;
	return true;
}

static const struct catalog_release *newest_with_manifest(const struct catalog *c)
{
	for (size_t i = c->n; i-- > 0;)
		if (c->releases[i].platforms.n)
			return &c->releases[i];
	return NULL;
}

/* A release newer than the newest known manifest may have got one meanwhile, and a mirror may hold
 * anything. */
static bool possible(const struct source_ctx *ctx, const struct request *rq, struct err *err)
{
	const struct catalog_release *r = catalog_find(ctx->catalog, rq->label);
	const struct catalog_release *newest = newest_with_manifest(ctx->catalog);
	if (!r || *config_get(ctx->config, CONFIG_MIRROR) ||
	    catalog_offers(ctx->catalog, r, "redist", rq->arch))
		return true;
	if (r->platforms.n)
		return err_set(err, ERR_NO_VERSION, "NVIDIA's archives of %s are not for %s",
			       rq->label, rq->arch);
	return (newest && version_compare(&r->v, &newest->v) > 0) ||
	       err_set(err, ERR_NO_VERSION, "NVIDIA has no component archives of %s", rq->label);
}

static bool labels(const struct source_ctx *ctx, const char *arch, struct strlist *out,
		   struct err *err)
{
	(void)arch;
	return redist_labels(ctx, "cuda", out, err);
}
const struct source source_redist = {
	.name = "redist",
	.possible = possible,
	.find = find_release,
	.labels = labels,
};
