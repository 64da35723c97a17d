#include "core/choose.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "core/choose_wanted.h"

static const struct source *const sources[] = {&source_redist, &source_runfile, &source_wheels,
					       &source_deb};
const char *const choose_sources[] = {"auto", "redist", "runfile", "wheels", "deb", NULL};

enum { SOURCES = ARRAY_LEN(sources), MISSES_MAX = 3 };

const struct source *choose_source(const char *name)
{
	for (size_t i = 0; i < SOURCES; i++)
		if (!strcmp(name, sources[i]->name))
			return sources[i];
	return NULL;
}

/* What is known of one source by now. */
struct view {
	const struct source *source;
	bool down;     /* not asked any more */
	bool listed;   /* its own list of releases was asked for */
	bool has_list; /* and came */
	struct strlist labels;
	int misses;
	struct err err; /* the failure that says most */
};

struct choice {
	const struct source_ctx *ctx;
	struct request rq; /* label is set before each question */
	struct wanted wanted;
	struct view views[SOURCES];
	size_t n;
	struct release *out;
};

/* How much an error says: that something is wrong, that nobody answered, that it is not there. */
static int weight(const struct err *err)
{
	switch ((int)err->code) {
	case ERR_NONE:
		return 0;
	case ERR_NO_VERSION:
		return 1;
	case ERR_NETWORK:
		return 2;
	case ERR_INTERRUPTED:
		return 4;
	default:
		return 3;
	}
}

static void keep_error(struct view *v, const struct err *err)
{
	if (weight(err) > weight(&v->err))
		v->err = *err;
}

/* Where apt knows no repository, the last source is none. */
static bool has_next(const struct choice *c, size_t i)
{
	struct err ignored;
	if (i + 2 == c->n && c->rq.label && c->views[i + 1].source == &source_deb)
		return source_deb.possible(c->ctx, &c->rq, &ignored);
	return i + 1 < c->n;
}

static struct source_ctx context_for(const struct choice *c, size_t i)
{
	struct source_ctx ctx = *c->ctx;
	ctx.quick = has_next(c, i);
	return ctx;
}

/* Asks once for the source's own list. */
static bool get_list(struct choice *c, size_t i)
{
	struct view *v = &c->views[i];
	struct source_ctx ctx = context_for(c, i);
	struct err err;
	if (!v->listed) {
		v->has_list = v->source->labels(&ctx, c->rq.arch, &v->labels, &err);
		/* Not having a list says less than not having a release. */
		if (!v->has_list && !v->err.code)
			v->err = err;
	}
	v->listed = true;
	return v->has_list;
}

/* Where several releases would do, the source's own list says which of them it has. */
static bool worth_asking(struct choice *c, size_t i)
{
	struct view *v = &c->views[i];
	struct err err;
	if (v->down)
		return false;
	if (!v->source->possible(c->ctx, &c->rq, &err)) {
		keep_error(v, &err);
		return false;
	}
	if (v->misses && get_list(c, i))
		return strlist_has(&v->labels, c->rq.label);
	return v->misses < MISSES_MAX;
}

static bool ask(struct choice *c, size_t i)
{
	struct view *v = &c->views[i];
	struct source_ctx ctx = context_for(c, i);
	struct err err = {0};
	if (v->source->find(&ctx, &c->rq, c->out, &err))
		return true;
	keep_error(v, &err);
	v->misses++;
	/* It has no such release: then it may have another one. Any other trouble stays. */
	v->down = err.code != ERR_NO_VERSION;
	if (err.code == ERR_INTERRUPTED)
		for (size_t k = 0; k < c->n; k++)
			c->views[k].down = true;
	return false;
}

static bool ask_all(struct choice *c, const char *label)
{
	c->rq.label = label;
	for (size_t i = 0; i < c->n; i++)
		if (worth_asking(c, i) && ask(c, i))
			return true;
	return false;
}

/* The release that was taken, and in one line each why those before it were not. */
static void tell(const struct choice *c)
{
	const struct release *r = c->out;
	for (size_t i = 0; i < c->n; i++) {
		const struct view *v = &c->views[i];
		if (v->err.code && strcmp(v->source->name, r->source) != 0)
			event_note(c->ctx->events, "source %s does not serve: %s", v->source->name,
				   v->err.msg);
	}
	if (c->wanted.labels.n && strcmp(c->wanted.labels.items[0], r->label) != 0)
		event_note(c->ctx->events, "%s is the newest that can be had, not %s", r->label,
			   c->wanted.labels.items[0]);
	event_step(c->ctx->events, "take %s from source %s", r->label, r->source);
}

static bool find_known(struct choice *c)
{
	for (size_t i = 0; i < c->wanted.labels.n; i++)
		if (ask_all(c, c->wanted.labels.items[i]))
			return true;
	return false;
}

/* A release that the catalog does not know: each source's own list says what it has. */
static bool find_unknown(struct choice *c)
{
	char label[VERSION_TEXT];
	if (wanted_exact(&c->wanted))
		return ask_all(c, c->wanted.spec.text);
	for (size_t i = 0; i < c->n; i++) {
		const char *newest =
			get_list(c, i) ? wanted_newest(&c->wanted, &c->views[i].labels) : NULL;
		if (!newest)
			continue;
		snprintf(label, sizeof label, "%s", newest);
		c->rq.label = label;
		if (worth_asking(c, i) && ask(c, i))
			return true;
	}
	return false;
}

static bool none_serves(const struct choice *c, struct err *err)
{
	const struct err *worst = &c->views[0].err;
	char what[VERSION_TEXT + 8];
	for (size_t i = 1; i < c->n; i++)
		if (weight(&c->views[i].err) > weight(worst))
			worst = &c->views[i].err;
	*err = *worst;
	if (c->n == 1 || worst->code == ERR_INTERRUPTED)
		return false;
	snprintf(what, sizeof what, "%s",
		 c->wanted.labels.n ? c->wanted.labels.items[0] : c->wanted.spec.text);
	err_set(err, worst->code, "no source serves CUDA %s", what);
	for (size_t i = 0; i < c->n; i++) {
		size_t n = strlen(err->msg);
		snprintf(err->msg + n, sizeof err->msg - n, "; %s: %.400s",
			 c->views[i].source->name, c->views[i].err.msg);
	}
	err->sys = worst->sys;
	return err_hint(err, "%s", worst->hint[0] ? worst->hint : "see 'cudaenv list-remote'");
}

static bool unknown(const struct choice *c, struct err *err)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct err *e = &c->views[i].err;
		if (e->code == ERR_INTERRUPTED) {
			*err = *e;
			return false;
		}
		if (e->code && e->code != ERR_NO_VERSION)
			event_note(c->ctx->events, "source %s cannot say: %s",
				   c->views[i].source->name, e->msg);
	}
	*err = c->wanted.unknown;
	return false;
}

static bool use_sources(struct choice *c, const char *name, struct err *err)
{
	autostrlist struct strlist names = {0};
	for (const char *s = name; *s; s += strspn(s, ",")) {
		autofree char *one = xstrndup(s, strcspn(s, ","));
		strlist_add(&names, one);
		s += strlen(one);
	}
	for (size_t i = 0; i < SOURCES; i++)
		if (!strcmp(name, "auto") || strlist_has(&names, sources[i]->name))
			c->views[c->n++].source = sources[i];
	return c->n || err_set(err, ERR_USAGE, "there is no source '%s'", name);
}

bool choose_release(const struct source_ctx *ctx, const struct host *host, const char *source,
		    const char *spec, const char *where, const struct request *rq,
		    struct release *out, struct err *err)
{
	struct choice c = {.ctx = ctx, .rq = *rq, .out = out};
	if (!use_sources(&c, source, err) ||
	    !wanted_find(ctx->catalog, host, spec, where, &c.wanted, err))
		return false;
	bool known = c.wanted.labels.n > 0;
	bool ok = known ? find_known(&c) : find_unknown(&c);
	if (ok)
		tell(&c);
	else if (known)
		none_serves(&c, err);
	else
		unknown(&c, err);
	wanted_clear(&c.wanted);
	for (size_t i = 0; i < c.n; i++)
		strlist_clear(&c.views[i].labels);
	return ok;
}
