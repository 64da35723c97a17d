/*
 * Runfiles, for the releases of which NVIDIA has no component archives (up to 11.4.1), and for any other one on
 * request. Path and digest of each are in the catalog.
 */
#include <stdio.h>
#include <string.h>

#include "core/catalog.h"
#include "core/config.h"
#include "core/redist_mirrors.h"
#include "core/source.h"

/* In front of the catalog's paths, and what stands for it on a mirror. */
static const char tree[] = "compute/";

static const struct catalog_runfile *find_file(const struct source_ctx *ctx,
					       const struct request *rq)
{
	const struct catalog_release *r = catalog_find(ctx->catalog, rq->label);
	for (size_t i = 0; r && i < r->n_runfiles; i++)
		if (!strcmp(r->runfiles[i].arch, rq->arch))
			return &r->runfiles[i];
	return NULL;
}

static bool possible(const struct source_ctx *ctx, const struct request *rq, struct err *err)
{
	const struct catalog_release *r = catalog_find(ctx->catalog, rq->label);
	const struct catalog_runfile *f = find_file(ctx, rq);
	bool asked = !strcmp(config_get(ctx->config, CONFIG_SOURCE), "runfile");
	if (!f)
		return err_set(err, ERR_NO_VERSION, "no runfile of %s for %s is known", rq->label,
			       rq->arch);
	if (!f->sha256) {
		err_set(err, ERR_NO_VERSION, "the sha256 of the runfile of %s is not known",
			rq->label);
		return err_hint(err, "download it yourself and give it as --from FILE");
	}
	return asked || !catalog_offers(ctx->catalog, r, "redist", rq->arch) ||
	       err_set(err, ERR_NO_VERSION, "%s has component archives, which are smaller",
		       rq->label);
}

/* Below each mirror as NVIDIA has it, and in the mirror's own folder. */
static void add_urls(const struct source_ctx *ctx, const struct catalog_runfile *f,
		     struct strlist *urls)
{
	autostrlist struct strlist mirrors = {0};
	bool below = !strncmp(f->path, tree, sizeof tree - 1);
	bool own = *config_get(ctx->config, CONFIG_MIRROR);
	redist_mirrors(ctx, &mirrors);
	for (size_t i = 0; i < mirrors.n; i++) {
		const char *mirror = mirrors.items[i];
		autofree char *same =
			xasprintf("%s/%s", mirror, f->path + (below ? sizeof tree - 1 : 0));
		autofree char *plain = xasprintf("%s/%s", mirror, f->file);
		if (below)
			strlist_add(urls, same);
		if (own)
			strlist_add(urls, plain);
	}
	if (!below && !own)
		strlist_add(urls, f->path);
}

static bool find_release(const struct source_ctx *ctx, const struct request *rq,
			 struct release *out, struct err *err)
{
	const struct catalog_runfile *f = find_file(ctx, rq);
	struct release r = {.source = source_runfile.name, .pinned = true};
	struct component c = {.kind = ARCHIVE_RUNFILE};
	if (rq->components.n) {
		err_set(err, ERR_USAGE, "a runfile comes whole: it has no single components");
		return err_hint(err, "leave --components out");
	}
	if (!possible(ctx, rq, err))
		return false;
	snprintf(r.label, sizeof r.label, "%s", rq->label);
	snprintf(r.arch, sizeof r.arch, "%s", rq->arch);
	c.name = xstrdup("cuda_toolkit");
	c.package = xstrdup(f->file);
	c.version = xstrdup(rq->label);
	c.file = xstrdup(f->file);
	memcpy(c.sha256, f->sha256, sizeof c.sha256);
	add_urls(ctx, f, &c.urls);
	release_take(&r, &c);
	r.manifest = xstrdup(f->file);
	*out = r;
	return true;
}

/* The catalog names all that are known. */
static bool labels(const struct source_ctx *ctx, const char *arch, struct strlist *out,
		   struct err *err)
{
	for (size_t i = 0; i < ctx->catalog->n; i++)
		if (catalog_offers(ctx->catalog, &ctx->catalog->releases[i], "runfile", arch))
			strlist_add(out, ctx->catalog->releases[i].label);
	return true;
}

const struct source source_runfile = {
	.name = "runfile",
	.possible = possible,
	.find = find_release,
	.labels = labels,
};
