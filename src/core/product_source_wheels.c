#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/product_source.h"
#include "core/pyindex.h"

/* The newest version that the spec means: as wheels number it, and its text. */
static const struct pyfile *newest(const struct pyfiles *files, const struct spec *spec)
{
	const struct pyfile *best = NULL;
	struct version v, top = {0};
	for (size_t i = 0; i < files->n; i++) {
		const struct pyfile *f = &files->files[i];
		/* Numbers alone: what else stands there is a pre-release, or made anew. */
		if (!f->fits || f->yanked ||
		    !version_parse(f->name.version, strlen(f->name.version), &v) ||
		    !spec_matches(spec, &v) || (best && version_compare(&v, &top) <= 0))
			continue;
		best = f;
		top = v;
	}
	return best;
}

/* Several wheels of one version: the index's own rules say which. */
static const struct pyfile *best_of(const struct pyfiles *files, const char *version)
{
	struct pyspec only;
	autofree char *text = xasprintf("==%s", version);
	return pyspec_parse(text, strlen(text), &only) ? pyfiles_pick(files, &only, true) : NULL;
}

/* The label of the release that has this whole number. */
static void set_label(struct release *r, const struct product_catalog *known, const char *version,
		      const struct version *cuda)
{
	for (size_t i = 0; i < known->n; i++)
		if (!strcmp(known->releases[i].version, version)) {
			product_label(r->label, known->releases[i].label, cuda);
			return;
		}
	product_label(r->label, version, cuda);
}

static bool take(const struct pyindex *ix, const struct product_catalog *known,
		 const struct product_wish *w, const struct pyquery *q, struct release *out,
		 struct err *err)
{
	const struct pyfile *f = newest(&q->files, &w->spec);
	f = f ? best_of(&q->files, f->name.version) : NULL;
	if (!f) {
		err_set(err, ERR_NO_VERSION, "'%s' has no wheel of '%s' for %s in the index %s",
			q->project, w->spec.text, w->arch, pyindex_words(ix));
		return err_hint(err, "see 'cudaenv cudnn list-remote'");
	}
	struct release r = {.source = "wheels"};
	struct component c = {
		.kind = ARCHIVE_WHEEL,
		.size = f->size,
	};
	if (!pyfiles_source(&q->files, f, c.sha256, &c.urls, err))
		return false;
	c.name = xstrdup(w->product->name);
	c.package = xstrdup(q->project);
	c.version = xstrdup(f->name.version);
	c.file = xstrdup(f->file);
	struct version cuda = {.n = 1, .part = {w->cuda.part[0]}};
	set_label(&r, known, f->name.version, &cuda);
	snprintf(r.arch, sizeof r.arch, "%s", w->arch);
	r.manifest = xstrdup(f->file);
	memcpy(r.manifest_sha256, c.sha256, sizeof r.manifest_sha256);
	r.ca_file = ix->conf->ca_file ? xstrdup(ix->conf->ca_file) : NULL;
	release_take(&r, &c);
	*out = r;
	return true;
}

struct question {
	const struct product_catalog *known;
	const struct product_wish *wish;
	struct release *out;
};

static bool ask(struct pyindex *ix, void *arg, struct err *err)
{
	struct question *of = arg;
	const struct product_wish *w = of->wish;
	autofree char *package = xasprintf("%s%u", w->product->wheel, w->cuda.part[0]);
	struct pyquery q = {.project = package};
	event_step(ix->fetch->events, "look for %s in the package index %s", package,
		   pyindex_words(ix));
	if (!pyindex_get(ix, &q, 1, err))
		return false;
	bool ok = q.ok && take(ix, of->known, w, &q, of->out, err);
	if (!q.ok) {
		*err = q.err;
		if (err->sys == ENOENT)
			err->code = ERR_NO_VERSION;
	}
	pyqueries_clear(&q, 1);
	return ok;
}

bool product_from_wheels(const struct source_ctx *ctx, const struct product_catalog *known,
			 const struct product_wish *w, struct release *out, struct err *err)
{
	struct question q = {known, w, out};
	if (w->cuda.part[0] < 11)
		return err_set(err, ERR_NO_VERSION, "there are no wheels of %s for CUDA %u",
			       w->product->title, w->cuda.part[0]);
	return pyindex_ask(ctx, w->arch, ask, &q, err);
}
