#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "core/metapackage.h"
#include "core/pyindex.h"
#include "core/source.h"
#include "core/wheelpick.h"

/* What the release is made of, while it is put together. */
struct builder {
	struct pyindex *ix;
	const struct request *rq;
	struct metapackage meta;
	struct wheelpicks picks;
	struct release release;
};

/* Why there is no wheel; true: it may be left out. */
static bool no_wheel(struct builder *b, const struct wheelpick *pick, const struct pyfiles *files,
		     struct err *err)
{
	const char *words = pyindex_words(b->ix), *label = b->meta.label, *arch = b->rq->arch;
	const char *package = pick->need->package;
	switch (pyfiles_miss(files, &pick->need->spec)) {
	case PYFILES_OTHER_PLATFORM:
		if (pick->optional) {
			event_note(b->ix->fetch->events, "%s of %s has no wheel for %s: left out",
				   pick->component, label, arch);
			return true;
		}
		err_set(err, ERR_NO_VERSION,
			"'%s' of %s has no wheel for %s, only for other platforms", package, label,
			arch);
		return err_hint(err, "see 'cudaenv list-remote' for what there is");
	case PYFILES_YANKED:
		err_set(err, ERR_NO_VERSION, "'%s' of %s was withdrawn from the package index %s",
			package, label, words);
		return err_hint(err, "install another release: cudaenv list-remote");
	case PYFILES_PRE:
		err_set(err, ERR_NO_VERSION,
			"'%s' of %s is only a pre-release in the package index %s", package, label,
			words);
		return err_hint(err, "install another release: cudaenv list-remote");
	case PYFILES_NO_VERSION:
		break;
	}
	err_set(err, ERR_NETWORK,
		"the version of '%s' that %s wants is not in the package index %s", package, label,
		words);
	return err_hint(err, "the mirror may be behind; another one: cudaenv config set index URL");
}

static bool add_component(struct builder *b, const struct wheelpick *pick,
			  const struct pyfiles *files, struct err *err)
{
	const struct pyspec *spec = &pick->need->spec;
	/* The lowest of a range is the one that this release was made with. */
	const struct pyfile *f = pyfiles_pick(files, spec, pyspec_exact(spec));
	struct release *r = &b->release;
	struct component c = {.kind = ARCHIVE_WHEEL};
	if (!f)
		return no_wheel(b, pick, files, err);
	if (!pyfiles_source(files, f, c.sha256, &c.urls, err))
		return false;
	c.size = f->size;
	c.name = xstrdup(pick->component);
	c.package = xstrdup(pick->need->package);
	c.version = xstrdup(f->name.version);
	c.file = xstrdup(f->file);
	r->components = array_grow(r->components, r->n, sizeof *r->components);
	r->components[r->n++] = c;
	return true;
}

static bool add_components(struct builder *b, struct err *err)
{
	size_t n = b->picks.n;
	autofree struct pyquery *queries = xcalloc(n, sizeof *queries);
	for (size_t i = 0; i < n; i++)
		queries[i].project = b->picks.items[i].need->package;
	if (!pyindex_get(b->ix, queries, n, err))
		return false;
	bool ok = true;
	for (size_t i = 0; ok && i < n; i++) {
		ok = queries[i].ok && add_component(b, &b->picks.items[i], &queries[i].files, err);
		if (!queries[i].ok)
			*err = queries[i].err;
	}
	pyqueries_clear(queries, n);
	return ok;
}

static void finish(struct builder *b)
{
	struct release *r = &b->release;
	r->source = source_wheels.name;
	snprintf(r->label, sizeof r->label, "%s", b->meta.label);
	snprintf(r->arch, sizeof r->arch, "%s", b->rq->arch);
	r->manifest = xstrdup(b->meta.file);
	memcpy(r->manifest_sha256, b->meta.sha256, sizeof r->manifest_sha256);
	r->ca_file = b->ix->conf->ca_file ? xstrdup(b->ix->conf->ca_file) : NULL;
}

static bool build(struct pyindex *ix, const struct source_ctx *ctx, const struct request *rq,
		  struct release *out, struct err *err)
{
	struct builder b = {.ix = ix, .rq = rq};
	bool ok = metapackage_find(ix, ctx, rq, &b.meta, err) &&
		  wheelpick_select(&b.meta.meta, rq, b.meta.label, &b.picks, err) &&
		  add_components(&b, err);
	if (ok) {
		finish(&b);
		*out = b.release;
	} else {
		release_clear(&b.release);
	}
	wheelpicks_clear(&b.picks);
	metapackage_clear(&b.meta);
	return ok;
}

/* What is asked of the index: rq for a release, labels for the list of all. */
struct question {
	const struct source_ctx *ctx;
	const struct request *rq;
	struct release *out;
	struct strlist *labels;
};

static bool ask(struct pyindex *ix, void *arg, struct err *err)
{
	struct question *q = arg;
	event_step(q->ctx->events, "look for %s in the package index %s",
		   q->rq ? q->rq->label : "releases", pyindex_words(ix));
	return q->rq ? build(ix, q->ctx, q->rq, q->out, err)
		     : metapackage_labels(ix, q->labels, err);
}

static bool find(const struct source_ctx *ctx, const struct request *rq, struct release *out,
		 struct err *err)
{
	struct question q = {.ctx = ctx, .rq = rq, .out = out};
	return metapackage_possible(ctx, rq, err) && pyindex_ask(ctx, rq->arch, ask, &q, err);
}

static bool labels(const struct source_ctx *ctx, const char *arch, struct strlist *out,
		   struct err *err)
{
	struct question q = {.ctx = ctx, .labels = out};
	return pyindex_ask(ctx, arch, ask, &q, err);
}

const struct source source_wheels = {
	.name = "wheels",
	.possible = metapackage_possible,
	.find = find,
	.labels = labels,
};
