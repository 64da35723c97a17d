#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "base/pool.h"
#include "core/metapackage.h"
#include "core/pyconf.h"
#include "core/pyindex.h"
#include "core/source.h"
#include "core/wheelpick.h"

/* At most one request a package and index; as many at once as a browser would have. */
enum { REQUESTS = 8, RETRIES = 3, RETRY_WAIT_MS = 300 };

struct resolver {
	struct pyindex *ix;
	const struct request *rq;
	const char *label;
	atomic_bool stop; /* something failed: the rest need not be asked */
};

struct job {
	struct resolver *r;
	const struct wheelpick *pick;
	struct component component; /* name NULL: left out */
	bool skipped;		    /* for other platforms only, and not needed */
	struct err err;		    /* code ERR_NONE: fine, or not asked */
};

static bool no_wheel(struct job *j, const struct pyfiles *files)
{
	const struct wheelneed *need = j->pick->need;
	const char *words = pyindex_words(j->r->ix), *label = j->r->label;
	struct err *err = &j->err;
	switch (pyfiles_miss(files, &need->spec)) {
	case PYFILES_OTHER_PLATFORM:
		j->skipped = j->pick->optional;
		if (j->skipped)
			return true;
		err_set(err, ERR_NO_VERSION,
			"'%s' of %s has no wheel for %s, only for other platforms", need->package,
			label, j->r->rq->arch);
		return err_hint(err, "see 'cudaenv list-remote' for what there is");
	case PYFILES_YANKED:
		err_set(err, ERR_NO_VERSION, "'%s' of %s was withdrawn from the package index %s",
			need->package, label, words);
		return err_hint(err, "install another release: cudaenv list-remote");
	case PYFILES_PRE:
		err_set(err, ERR_NO_VERSION,
			"'%s' of %s is only a pre-release in the package index %s", need->package,
			label, words);
		return err_hint(err, "install another release: cudaenv list-remote");
	case PYFILES_NO_VERSION:
		break;
	}
	err_set(err, ERR_NETWORK,
		"the version of '%s' that %s wants is not in the package index %s", need->package,
		label, words);
	return err_hint(err, "the mirror may be behind; another one: cudaenv config set index URL");
}

static bool make_component(struct job *j, const struct pyfiles *files, const struct pyfile *f)
{
	struct component c = {.kind = ARCHIVE_WHEEL, .size = f->size};
	if (!pyfiles_source(files, f, c.sha256, &c.urls, &j->err))
		return false;
	c.name = xstrdup(j->pick->component);
	c.package = xstrdup(j->pick->need->package);
	c.version = xstrdup(f->name.version);
	c.file = xstrdup(f->file);
	j->component = c;
	return true;
}

static bool resolve(struct job *j)
{
	struct pyfiles files = {0};
	const struct pyspec *spec = &j->pick->need->spec;
	if (!pyindex_get(j->r->ix, j->pick->need->package, &files, &j->err))
		return false;
	/* The lowest of a range is the one that this release was made with. */
	const struct pyfile *f = pyfiles_pick(&files, spec, pyspec_exact(spec));
	bool ok = f ? make_component(j, &files, f) : no_wheel(j, &files);
	pyfiles_clear(&files);
	return ok;
}

static void run_job(void *arg)
{
	struct job *j = arg;
	if (!atomic_load(&j->r->stop) && !resolve(j))
		atomic_store(&j->r->stop, true);
}

static void run_all(struct job *jobs, size_t n)
{
	struct pool *pool = pool_new(n < REQUESTS ? (int)n : REQUESTS);
	for (size_t i = 0; i < n; i++)
		pool_add(pool, run_job, &jobs[i]);
	pool_wait(pool);
	pool_free(pool);
}

static bool resolve_all(struct resolver *r, const struct wheelpicks *picks, struct release *out,
			struct err *err)
{
	autofree struct job *jobs = xcalloc(picks->n, sizeof *jobs);
	bool ok = true;
	for (size_t i = 0; i < picks->n; i++)
		jobs[i] = (struct job){.r = r, .pick = &picks->items[i]};
	run_all(jobs, picks->n);
	for (size_t i = 0; i < picks->n; i++) {
		struct job *j = &jobs[i];
		if (ok && j->err.code) {
			*err = j->err;
			ok = false;
		}
		if (j->skipped)
			event_note(r->ix->fetch->events, "%s of %s has no wheel for %s: left out",
				   j->pick->component, r->label, r->rq->arch);
		if (!j->component.name)
			continue;
		out->components = array_grow(out->components, out->n, sizeof *out->components);
		out->components[out->n++] = j->component;
	}
	return ok;
}

static bool build(struct pyindex *ix, const struct source_ctx *ctx, const struct request *rq,
		  struct release *out, struct err *err)
{
	struct metapackage m;
	struct wheelpicks picks = {0};
	if (!metapackage_find(ix, ctx, rq, &m, err))
		return false;
	struct resolver r = {.ix = ix, .rq = rq, .label = m.label};
	struct release rel = {.source = source_wheels.name};
	bool ok = wheelpick_select(&m.meta, rq, m.label, &picks, err) &&
		  resolve_all(&r, &picks, &rel, err);
	if (ok) {
		snprintf(rel.label, sizeof rel.label, "%s", m.label);
		snprintf(rel.arch, sizeof rel.arch, "%s", rq->arch);
		rel.manifest = xstrdup(m.file);
		memcpy(rel.manifest_sha256, m.sha256, sizeof rel.manifest_sha256);
		rel.ca_file = ix->conf->ca_file ? xstrdup(ix->conf->ca_file) : NULL;
		*out = rel;
	} else {
		release_clear(&rel);
	}
	wheelpicks_clear(&picks);
	metapackage_clear(&m);
	return ok;
}

static bool find(const struct source_ctx *ctx, const struct request *rq, struct release *out,
		 struct err *err)
{
	struct pyconf conf;
	struct pyindex ix;
	if (!metapackage_possible(ctx, rq, err) ||
	    !pyconf_load(&conf, ctx->config, ctx->events, err))
		return false;
	struct fetch_opts fetch = {.retries = RETRIES,
				   .retry_wait_ms = RETRY_WAIT_MS,
				   .offline = ctx->offline,
				   .ca_file = conf.ca_file,
				   .events = ctx->events};
	bool ok = pyindex_init(&ix, &conf, rq->arch, &fetch, ctx->cache_dir, err);
	if (ok) {
		event_step(ctx->events, "look for %s in the package index %s", rq->label,
			   pyindex_words(&ix));
		ok = build(&ix, ctx, rq, out, err);
		pyindex_clear(&ix);
	}
	pyconf_clear(&conf);
	return ok;
}

const struct source source_wheels = {.name = "wheels", .find = find};
