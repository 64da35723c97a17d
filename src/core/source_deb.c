#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "core/aptrelease.h"
#include "core/aptrepo.h"
#include "core/config.h"
#include "core/debpick.h"
#include "core/debset.h"

/* What is found while one repository after the other is asked. */
struct search {
	const struct source_ctx *ctx;
	const struct request *rq; /* NULL: all releases are wanted */
	const char *arch;
	struct aptrepos repos;
	struct strlist labels; /* that were seen */
	struct strlist down;   /* servers that do not answer: their other suites are not asked */
	struct err worst;
	bool decided; /* the one that has it cannot serve: no other is asked */
	struct release found;
};

static bool is_absent(const struct err *err)
{
	return err->code == ERR_NETWORK && err->sys == ENOENT;
}

/* "Not here" says less than any other trouble. */
static void keep_error(struct search *s, const struct aptrepo *r, const struct err *err)
{
	if (err->code == ERR_NETWORK && !is_absent(err))
		strlist_add(&s->down, r->base);
	event_debug(s->ctx->events, "%s", err->msg);
	if (!is_absent(err) && (!s->worst.code || s->worst.code == ERR_NO_VERSION))
		s->worst = *err;
}

static bool none_for_arch(const struct debset *set, const char *words, const char *arch,
			  struct err *err)
{
	if (set->n || !set->others)
		return true;
	return err_set(err, ERR_NO_VERSION,
		       "'%s' has packages for '%s' where those for '%s' should "
		       "be",
		       words, set->other, aptrepo_arch(arch));
}

/* What the toolkit needs of the distribution's free packages. */
static bool read_rest(struct search *s, const struct aptrepo *r, const struct aptrelease *release,
		      struct debset *set, struct err *err)
{
	autostrlist struct strlist lacking = {0}, still = {0};
	debpick_lacking(set, s->rq->label, !r->suite, true, &lacking);
	if (lacking.n &&
	    !debset_read(set, &s->repos, r, release, s->ctx, s->arch,
			 !strcmp(r->component, "multiverse") ? "universe" : "main", &lacking, err))
		return false;
	debpick_lacking(set, s->rq->label, !r->suite, false, &still);
	for (size_t i = 0; i < still.n; i++)
		event_warn(s->ctx->events, NULL, "the repository has no '%s', which %s needs",
			   still.items[i], s->rq->label);
	return true;
}

static void finish(struct search *s, const struct aptrepo *r, const struct aptrelease *release)
{
	struct release *out = &s->found;
	autofree char *words = aptrepo_words(r);
	const char *ca = aptconf_get(&s->repos.conf, "acquire::https::cainfo");
	out->source = source_deb.name;
	snprintf(out->label, sizeof out->label, "%s", s->rq->label);
	snprintf(out->arch, sizeof out->arch, "%s", s->arch);
	out->ca_file = ca && *ca ? xstrdup(ca) : NULL;
	out->proxy = aptconf_proxy(&s->repos.conf, r->base);
	if (release->signer[0])
		event_note(s->ctx->events, "packages of %s, signed by %s", words, release->signer);
}

/* What a repository has, of all or of the wanted release. */
static bool read_repository(struct search *s, const struct aptrepo *r, struct aptrelease *release,
			    struct debset *set, struct strlist *labels, struct err *err)
{
	autofree char *words = aptrepo_words(r);
	if (!aptrelease_get(&s->repos, r, s->ctx, s->arch, release, err) ||
	    !debset_read(set, &s->repos, r, release, s->ctx, s->arch, r->component, NULL, err) ||
	    !none_for_arch(set, words, s->arch, err))
		return false;
	debpick_labels(set, labels);
	for (size_t i = 0; i < labels->n; i++)
		if (!strlist_has(&s->labels, labels->items[i]))
			strlist_add(&s->labels, labels->items[i]);
	return true;
}

/* Whether the wanted release was found in it. */
static bool ask(struct search *s, const struct aptrepo *r, struct err *err)
{
	struct aptrelease release = {0};
	struct debset set = {0};
	autostrlist struct strlist labels = {0};
	bool ok = read_repository(s, r, &release, &set, &labels, err);
	s->decided = ok && s->rq && strlist_has(&labels, s->rq->label);
	if (s->decided)
		ok = read_rest(s, r, &release, &set, err) &&
		     debpick_select(&set, s->rq, r->base, !r->suite, &s->found, err);
	if (!ok) {
		release_clear(&s->found);
		keep_error(s, r, err);
	} else if (s->decided) {
		finish(s, r, &release);
	}
	debset_clear(&set);
	aptrelease_clear(&release);
	return ok && s->decided;
}

/* Those that are known to have the release come first. */
static bool ask_all(struct search *s, struct err *err)
{
	for (int known = 1; known >= 0; known--)
		for (size_t i = 0; i < s->repos.n; i++) {
			const struct aptrepo *r = &s->repos.items[i];
			/* A flat one has many releases. */
			bool first =
				!r->suite || (s->rq && r->label && !strcmp(r->label, s->rq->label));
			if (first != known || strlist_has(&s->down, r->base))
				continue;
			*err = (struct err){0};
			if (ask(s, r, err))
				return true;
			if (err->code == ERR_INTERRUPTED || s->decided)
				return false;
		}
	return false;
}

static bool no_repository(struct err *err)
{
	err_set(err, ERR_NO_VERSION, "apt here is set to no repository that may have CUDA");
	return err_hint(err, "name one: --source deb --mirror URL");
}

static bool not_found(const struct search *s, struct err *err)
{
	autobuf struct buf has = BUF_INIT(512);
	if (s->worst.code && s->worst.code != ERR_NO_VERSION) {
		*err = s->worst;
		return false;
	}
	if (s->worst.code && !s->labels.n) {
		*err = s->worst;
		return false;
	}
	for (size_t i = 0; i < s->labels.n; i++)
		buf_addf(&has, "%s%s", i ? ", " : "", s->labels.items[i]);
	err_set(err, ERR_NO_VERSION,
		"no apt repository that is set here has CUDA %s (they have: %s)", s->rq->label,
		has.len ? buf_str(&has) : "none");
	return err_hint(err, "another repository: --source deb --mirror URL");
}

static bool find(const struct source_ctx *ctx, const struct request *rq, struct release *out,
		 struct err *err)
{
	struct search s = {.ctx = ctx, .rq = rq, .arch = rq->arch};
	event_step(ctx->events, "look for %s in apt's repositories", rq->label);
	aptrepos_load(&s.repos, ctx, rq->arch);
	bool ok = s.repos.n ? ask_all(&s, err) : no_repository(err);
	if (ok)
		*out = s.found;
	else if (s.repos.n && err->code != ERR_INTERRUPTED && !s.decided)
		not_found(&s, err);
	strlist_clear(&s.labels);
	strlist_clear(&s.down);
	aptrepos_clear(&s.repos);
	return ok;
}

static bool labels(const struct source_ctx *ctx, const char *arch, struct strlist *out,
		   struct err *err)
{
	struct search s = {.ctx = ctx, .arch = arch};
	aptrepos_load(&s.repos, ctx, arch);
	if (s.repos.n)
		ask_all(&s, err);
	bool ok = s.labels.n > 0 && err->code != ERR_INTERRUPTED;
	if (!s.repos.n)
		no_repository(err);
	else if (!ok && s.worst.code)
		*err = s.worst;
	else if (!ok && err->code != ERR_INTERRUPTED)
		err_set(err, ERR_NO_VERSION, "no apt repository that is set here has CUDA");
	for (size_t i = 0; ok && i < s.labels.n; i++)
		strlist_add(out, s.labels.items[i]);
	strlist_clear(&s.labels);
	strlist_clear(&s.down);
	aptrepos_clear(&s.repos);
	return ok;
}

/* What a repository has is not known without asking it. */
static bool possible(const struct source_ctx *ctx, const struct request *rq, struct err *err)
{
	struct aptrepos repos;
	struct source_ctx silent = *ctx;
	silent.events = NULL;
	aptrepos_load(&repos, &silent, rq->arch);
	bool any = repos.n > 0;
	aptrepos_clear(&repos);
	return any || no_repository(err);
}

const struct source source_deb = {
	.name = "deb",
	.possible = possible,
	.find = find,
	.labels = labels,
};
