#include "core/component.h"

#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "core/choose.h"
#include "core/store.h"

static bool ask(const struct source_ctx *ctx, const struct release *r, const struct strlist *names,
		enum profile profile, struct release *out, struct err *err)
{
	const struct source *source = choose_source(r->source);
	struct release found = {0};
	struct request rq = {
		.label = r->label,
		.profile = profile,
		.arch = r->arch,
		.manifest_sha256 = r->manifest_sha256[0] ? r->manifest_sha256 : NULL,
	};
	if (!source) {
		err_set(err, ERR_USAGE, "%s came from '%s', which gives no single components",
			r->label, r->source);
		return err_hint(err, "cudaenv install --force %s builds it anew", r->label);
	}
	if (names)
		rq.components = *names;
	if (!source->find(ctx, &rq, &found, err))
		return false;
	if (rq.manifest_sha256 && strcmp(rq.manifest_sha256, found.manifest_sha256) != 0) {
		err_set(err, ERR_INTEGRITY, "'%s' has sha256 %s; %s was installed by one with %s",
			found.manifest, found.manifest_sha256, r->label, r->manifest_sha256);
		release_clear(&found);
		return err_hint(err, "it was replaced since: cudaenv install --force %s", r->label);
	}
	*out = found;
	return true;
}

bool component_all(const struct source_ctx *ctx, const struct release *r, struct release *out,
		   struct err *err)
{
	struct source_ctx offline = *ctx, quick = *ctx;
	offline.offline = true;
	offline.events = NULL;
	quick.quick = true;
	return ask(&offline, r, NULL, PROFILE_FULL, out, err) ||
	       (!ctx->offline && err->code != ERR_USAGE &&
		ask(&quick, r, NULL, PROFILE_FULL, out, err));
}

/* What is new goes from one to the other, with the certificates for its URLs. */
static void take_new(struct release *r, struct release *found)
{
	for (size_t i = 0; i < found->n; i++)
		if (!release_find(r, found->components[i].name))
			release_take(r, &found->components[i]);
	if (!r->ca_file)
		r->ca_file = take_ptr(found->ca_file);
	if (!r->proxy)
		r->proxy = take_ptr(found->proxy);
}

bool component_add(const struct source_ctx *ctx, struct release *r, const struct strlist *names,
		   enum profile profile, struct err *err)
{
	autostrlist struct strlist more = {0};
	struct release found = {0};
	for (size_t i = 0; i < names->n; i++)
		if (!release_find(r, names->items[i]))
			strlist_add(&more, names->items[i]);
	if (names->n && !more.n)
		return true;
	if (!ask(ctx, r, names->n ? &more : NULL, profile, &found, err))
		return false;
	take_new(r, &found);
	release_clear(&found);
	return true;
}

static bool unknown(const struct release *r, const char *name, struct err *err)
{
	autofree const char **names = xcalloc(2 * r->n + 1, sizeof *names);
	for (size_t i = 0; i < r->n; i++) {
		names[2 * i] = r->components[i].name;
		names[2 * i + 1] = r->components[i].package;
	}
	const char *near = nearest(name, names);
	err_set(err, ERR_NO_VERSION, "%s has no component '%s' installed", r->label, name);
	return near ? err_hint(err, "did you mean '%s'?", near)
		    : err_hint(err, "'cudaenv component list' shows what there is");
}

static bool keeps_nvcc(const struct release *r, const struct strlist *names, struct err *err)
{
	const struct component *nvcc = release_find(r, "cuda_nvcc");
	for (size_t i = 0; nvcc && i < names->n; i++) {
		const struct component *c = release_find(r, names->items[i]);
		if (c != nvcc && !component_nvcc_needs(c->name))
			continue;
		err_set(err, ERR_USAGE, "nothing compiles with %s without '%s'", r->label, c->name);
		return err_hint(err, "give -f if that is what you want");
	}
	return true;
}

bool component_remove(struct release *r, const struct strlist *names, bool force, struct err *err)
{
	size_t left = 0;
	for (size_t i = 0; i < names->n; i++)
		if (!release_find(r, names->items[i]))
			return unknown(r, names->items[i], err);
	if (!force && !keeps_nvcc(r, names, err))
		return false;
	for (size_t i = 0; i < r->n; i++)
		left += !strlist_has(names, r->components[i].name) &&
			!strlist_has(names, r->components[i].package);
	if (!left) {
		err_set(err, ERR_USAGE, "that is all that %s has", r->label);
		return err_hint(err, "cudaenv uninstall takes away a whole version");
	}
	for (size_t i = 0; i < names->n; i++) {
		struct component *c = release_find(r, names->items[i]);
		if (!c) /* named twice */
			continue;
		component_clear(c);
		memmove(c, c + 1, (size_t)(r->components + r->n - (c + 1)) * sizeof *c);
		r->n--;
	}
	return true;
}

bool component_restore(const struct source_ctx *ctx, struct release *r, struct err *err)
{
	autostrlist struct strlist lost = {0};
	struct release found = {0};
	for (size_t i = 0; i < r->n; i++)
		if (!r->components[i].urls.n && !store_has(ctx->layout, r->components[i].sha256))
			strlist_add(&lost, r->components[i].name);
	if (!lost.n)
		return true;
	if (!ask(ctx, r, &lost, PROFILE_FULL, &found, err))
		return false;
	for (size_t i = 0; i < lost.n; i++) {
		struct component *c = release_find(r, lost.items[i]);
		struct component *now = release_find(&found, lost.items[i]);
		if (!now || strcmp(now->sha256, c->sha256) != 0) {
			err_set(err, ERR_INTEGRITY,
				"'%s' of %s is lost, and its source has another one now", c->name,
				r->label);
			err_hint(err, "cudaenv install --force %s builds it anew", r->label);
			release_clear(&found);
			return false;
		}
		struct component old = *c;
		*c = *now;
		*now = old;
	}
	if (!r->ca_file)
		r->ca_file = take_ptr(found.ca_file);
	if (!r->proxy)
		r->proxy = take_ptr(found.proxy);
	release_clear(&found);
	return true;
}
