#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/product.h"
#include "core/config.h"
#include "core/product_source.h"
#include "core/redist.h"

enum { TRIES_MAX = 3 };

static const struct product_release *known_as(const struct product_catalog *known,
					      const char *label)
{
	for (size_t i = 0; i < known->n; i++)
		if (!strcmp(known->releases[i].label, label))
			return &known->releases[i];
	return NULL;
}

/* What the catalog says of a label of a mirror: it may not know it. */
static bool worth_asking(const struct product_catalog *known, const struct product_wish *w,
			 const char *label)
{
	const struct product_release *r = known_as(known, label);
	struct version v;
	if (r)
		return product_release_matches(r, &w->spec) && product_release_fits(r, &w->cuda);
	return version_parse(label, strlen(label), &v) &&
	       (spec_matches(&w->spec, &v) ||
		(w->spec.kind == SPEC_VERSION && v.n >= 3 && version_has_prefix(&w->spec.v, &v)));
}

static int newest_first(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	struct version v, u;
	if (!version_parse(x, strlen(x), &v) || !version_parse(y, strlen(y), &u))
		return strcmp(y, x);
	int c = version_compare(&u, &v);
	/* 8.9.7 before 8.9.7.29: a second manifest of the same release, with fewer platforms. */
	return version_has_prefix(&v, &u) || version_has_prefix(&u, &v) ? v.n - u.n : c;
}

/*
 * Labels to ask for, newest first. A mirror says itself what it has; of NVIDIA's own host that is
 * known, and only what is not known is looked up.
 */
static bool find_labels(const struct source_ctx *ctx, const struct product_catalog *known,
			const struct product_wish *w, struct strlist *out, struct err *err)
{
	autostrlist struct strlist listed = {0};
	struct err why = {0};
	bool mirror = *config_get(ctx->config, CONFIG_MIRROR);
	for (size_t i = 0; !mirror && i < known->n; i++)
		if (known->releases[i].redist && worth_asking(known, w, known->releases[i].label))
			strlist_add(out, known->releases[i].label);
	if (out->n)
		return true;
	/* A mirror on this machine has a list offline as well. */
	if (redist_labels(ctx, w->product->name, &listed, &why)) {
		for (size_t i = 0; i < listed.n; i++)
			if (worth_asking(known, w, listed.items[i]))
				strlist_add(out, listed.items[i]);
	} else {
		/* Without a list: what is known, or the number itself. */
		for (size_t i = 0; i < known->n; i++)
			if (known->releases[i].redist &&
			    worth_asking(known, w, known->releases[i].label))
				strlist_add(out, known->releases[i].label);
		if (!out->n && w->spec.kind == SPEC_VERSION && w->spec.v.n >= 3)
			strlist_add(out, w->spec.text);
	}
	if (out->n) {
		qsort(out->items, out->n, sizeof *out->items, newest_first);
		return true;
	}
	if (why.code && why.code != ERR_NO_VERSION && !ctx->offline) {
		*err = why;
		return false;
	}
	err_set(err, ERR_NO_VERSION, "NVIDIA's archives have no %s that is '%s'", w->product->title,
		w->spec.text);
	return err_hint(err, "see 'cudaenv %s'",
			!strcmp(w->product->name, "cudnn") ? "cudnn list-remote"
							   : "product list-remote");
}

/* "cuda12" */
static bool variant_fits(const char *variant, const struct version *cuda)
{
	static const char start[] = "cuda";
	struct version built;
	if (!variant)
		return true;
	return !strncmp(variant, start, sizeof start - 1) &&
	       version_parse(variant + sizeof start - 1, strlen(variant + sizeof start - 1),
			     &built) &&
	       product_fits(&built, cuda);
}

static const struct manifest_file *pick(const struct manifest *m, const struct product_wish *w,
					const char *label, struct err *err)
{
	char platform[32], have[128] = "";
	snprintf(platform, sizeof platform, "linux-%s", w->arch);
	for (size_t i = 0; i < m->n; i++) {
		const struct manifest_file *f = &m->files[i];
		size_t n = strlen(have);
		if (strcmp(f->component, w->product->component) != 0 ||
		    strcmp(f->platform, platform) != 0)
			continue;
		if (variant_fits(f->variant, &w->cuda))
			return f;
		snprintf(have + n, sizeof have - n, "%s%s", n ? ", " : "", f->variant);
	}
	if (have[0])
		err_set(err, ERR_NO_VERSION, "%s %s is made for %s on %s, not for CUDA %u",
			w->product->title, label, have, platform, w->cuda.part[0]);
	else
		err_set(err, ERR_NO_VERSION, "%s %s is not made for %s", w->product->title, label,
			platform);
	return NULL;
}

/* What it is built for; an archive for all is taken for the toolkit's. */
static struct version built_for(const struct manifest_file *f, const struct version *cuda)
{
	struct version v;
	if (f->variant && version_parse(f->variant + 4, strlen(f->variant + 4), &v))
		return v;
	return *cuda;
}

static bool take(const struct redist_manifest *m, const struct product_wish *w, const char *label,
		 bool pinned, struct release *out, struct err *err)
{
	const struct manifest_file *f = pick(&m->m, w, label, err);
	struct release r = {.source = "redist", .pinned = pinned};
	if (!f)
		return false;
	struct version cuda = built_for(f, &w->cuda);
	struct component c = {
		.name = xstrdup(w->product->name),
		.package = xstrdup(f->component),
		.version = xstrdup(f->version),
		.file = xstrdup(path_base(f->path)),
		.size = f->size,
		.kind = ARCHIVE_REDIST,
	};
	memcpy(c.sha256, f->sha256, sizeof c.sha256);
	for (size_t i = 0; i < m->bases.n; i++) {
		autofree char *url = xasprintf("%s%s", m->bases.items[i], f->path);
		strlist_add(&c.urls, url);
	}
	product_label(r.label, label, &cuda);
	snprintf(r.arch, sizeof r.arch, "%s", w->arch);
	memcpy(r.manifest_sha256, m->sha256, sizeof r.manifest_sha256);
	r.manifest = xstrdup(m->file);
	release_take(&r, &c);
	*out = r;
	return true;
}

bool product_from_redist(const struct source_ctx *ctx, const struct product_catalog *known,
			 const struct product_wish *w, struct release *out, struct err *err)
{
	autostrlist struct strlist labels = {0};
	event_step(ctx->events, "look for %s %s in NVIDIA's archives", w->product->title,
		   w->spec.text);
	if (!find_labels(ctx, known, w, &labels, err))
		return false;
	for (size_t i = 0; i < labels.n && i < TRIES_MAX; i++) {
		const struct product_release *r = known_as(known, labels.items[i]);
		const char *pin = r && r->sha256[0] ? r->sha256 : NULL;
		struct redist_manifest m;
		struct err why;
		if (redist_manifest(ctx, w->product->name, labels.items[i], pin, &m, &why)) {
			bool ok = take(&m, w, labels.items[i], pin != NULL, out, &why);
			redist_manifest_clear(&m);
			if (ok)
				return true;
		}
		if (i == 0)
			*err = why;
		if (why.code != ERR_NO_VERSION)
			return false;
	}
	return false;
}
