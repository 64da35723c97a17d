#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "cli/from.h"
#include "cli/request.h"
#include "core/bundle.h"
#include "core/choose.h"

static bool is_toolkit(const struct bundle_release *r)
{
	return !strcmp(r->product, "cuda");
}

/* "12.4.1, 13.0.2" */
static void list_versions(const struct bundle *b, struct buf *out)
{
	for (size_t i = 0; i < b->n; i++)
		if (is_toolkit(&b->releases[i]))
			buf_addf(out, "%s%s", out->len ? ", " : "", b->releases[i].version);
}

static bool fits(const struct bundle_release *r, const struct spec *spec, struct version *v)
{
	return is_toolkit(r) && version_parse(r->version, strlen(r->version), v) &&
	       (!spec || spec_matches(spec, v));
}

/* The newest that spec means. */
static const struct bundle_release *choose(const struct bundle *b, const char *path,
					   const struct spec *spec, struct err *err)
{
	const struct bundle_release *best = NULL;
	autobuf struct buf have = BUF_INIT(512);
	struct version v, newest = {0};
	size_t found = 0;
	for (size_t i = 0; i < b->n; i++) {
		if (!fits(&b->releases[i], spec, &v))
			continue;
		found++;
		if (!best || version_compare(&v, &newest) > 0) {
			best = &b->releases[i];
			newest = v;
		}
	}
	list_versions(b, &have);
	if (found > 1 && !spec) {
		err_set(err, ERR_USAGE, "'%s' has several releases: %s", path, buf_str(&have));
		err_hint(err, "name one, as in 'cudaenv install %s --from ...'", best->version);
		return NULL;
	}
	if (!best)
		err_set(err, ERR_NO_VERSION, "'%s' has no CUDA %s: it has %s", path,
			spec ? spec->text : "", have.len ? buf_str(&have) : "none");
	return best;
}

static bool check_arch(const struct bundle *b, const char *path, const struct request *rq,
		       struct err *err)
{
	if (!strcmp(b->arch, rq->arch))
		return true;
	err_set(err, ERR_USAGE, "'%s' is for %s, not for %s", path, b->arch, rq->arch);
	return err_hint(err, "--arch %s installs it here all the same", b->arch);
}

/* As it was made, unless this line says otherwise. */
static void take_choice(const struct args *a, const struct bundle_release *r, struct request *rq)
{
	if (opt_value(a, "profile") || opt_value(a, "components") ||
	    profile_parse(r->profile, &rq->profile))
		return;
	for (size_t i = 0; i < r->n; i++)
		strlist_add(&rq->components, r->files[i].component);
}

/* What bundle.json says that is there must be. */
static bool check_listed(const struct bundle *b, const char *path, const struct bundle_release *r,
			 struct err *err)
{
	bool whole = bundle_is_wheels(r) || bundle_index_find(&b->index, r->manifest);
	const char *lacks = whole ? NULL : r->manifest;
	for (size_t i = 0; i < r->n && !lacks; i++)
		if (!bundle_index_find(&b->index, r->files[i].name))
			lacks = r->files[i].name;
	if (!lacks)
		return true;
	err_set(err, ERR_INTEGRITY, "'%s' is not whole: '%s' is missing", path, lacks);
	return err_hint(err, "make or copy it once more; 'cudaenv bundle verify' tells all");
}

static const struct bundle_member *member_of(const struct bundle *b, const struct bundle_release *r,
					     const struct component *c)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->files[i].component, bundle_is_wheels(r) ? c->name : c->package))
			return bundle_index_find(&b->index, r->files[i].name);
	return NULL;
}

/* Before anything is unpacked. */
static bool check_members(const struct bundle *b, const char *path, const struct bundle_release *r,
			  const struct release *want, struct err *err)
{
	autobuf struct buf lacks = BUF_INIT(512);
	for (size_t i = 0; i < want->n; i++) {
		const struct component *c = &want->components[i];
		const struct bundle_member *m = member_of(b, r, c);
		if (!m)
			buf_addf(&lacks, "%s%s", lacks.len ? ", " : "", c->name);
		else if (c->size && m->size != c->size)
			return err_set(err, ERR_INTEGRITY,
				       "'%s': '%s' has %llu bytes, its manifest says %llu", path,
				       m->name, (unsigned long long)m->size,
				       (unsigned long long)c->size);
	}
	if (!lacks.len)
		return true;
	err_set(err, ERR_NO_VERSION, "'%s' does not have of %s: %s", path, r->version,
		buf_str(&lacks));
	return err_hint(err, "it was made with the profile '%s'", r->profile);
}

static void tell_products(struct app *app, const struct args *a, const struct bundle *b)
{
	for (size_t i = 0; i < b->n; i++)
		if (!strcmp(b->releases[i].product, "cudnn") && !opt_value(a, "cudnn"))
			event_note(&app->events,
				   "the bundle has cuDNN %s as well: --cudnn %s installs it",
				   b->releases[i].version, b->releases[i].version);
}

static bool find(struct app *app, const struct args *a, const struct source_ctx *ctx,
		 const struct host *host, const struct bundle *b, const char *path,
		 const struct spec *spec, struct request *rq, struct release *out, struct err *err)
{
	struct release found = {0};
	const struct bundle_release *r = choose(b, path, spec, err);
	if (!r || !check_arch(b, path, rq, err) || !check_listed(b, path, r, err) ||
	    !from_set_mirror(app, path, err))
		return false;
	take_choice(a, r, rq);
	bool ok = bundle_is_wheels(r)
			  ? bundle_wheels(path, r, rq, &found, err)
			  : choose_release(ctx, host, "redist", r->version, path, rq, &found, err);
	if (!ok)
		return false;
	if (!check_members(b, path, r, &found, err)) {
		release_clear(&found);
		return false;
	}
	tell_products(app, a, b);
	*out = found;
	return true;
}

bool from_bundle(struct app *app, const struct args *a, const struct source_ctx *ctx,
		 const struct host *host, const char *path, const struct spec *spec,
		 struct request *rq, struct release *out, struct err *err)
{
	struct bundle b;
	if (!bundle_open(path, &b, err))
		return false;
	bool ok = find(app, a, ctx, host, &b, path, spec, rq, out, err);
	bundle_clear(&b);
	return ok;
}
