#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/path.h"
#include "core/bundle.h"
#include "core/pyurl.h"

static bool wants(const struct request *rq, const struct bundle_file *f)
{
	if (!rq->components.n)
		return profile_wants(rq->profile, f->component);
	return strlist_has(&rq->components, f->component) ||
	       strlist_has(&rq->components, f->package) ||
	       (strlist_has(&rq->components, "cuda_nvcc") && component_nvcc_needs(f->component));
}

/* What a larger profile has besides nobody here can say. */
static bool has_profile(const struct bundle_release *r, const struct request *rq)
{
	enum profile made;
	return profile_parse(r->profile, &made) && made >= rq->profile;
}

static bool check_wanted(const char *path, const struct bundle_release *r, const struct request *rq,
			 struct err *err)
{
	autobuf struct buf lacks = BUF_INIT(512);
	if (!rq->components.n && !has_profile(r, rq))
		buf_addf(&lacks, "profile '%s'", profile_name(rq->profile));
	for (size_t i = 0; i < rq->components.n; i++) {
		const char *name = rq->components.items[i];
		bool found = false;
		for (size_t k = 0; k < r->n; k++)
			found = found || !strcmp(r->files[k].component, name) ||
				!strcmp(r->files[k].package, name);
		if (!found)
			buf_addf(&lacks, "%s%s", lacks.len ? ", " : "", name);
	}
	if (!lacks.len)
		return true;
	err_set(err, ERR_NO_VERSION, "'%s' does not have of %s: %s", path, r->version,
		buf_str(&lacks));
	return err_hint(err, "it was made with the profile '%s'", r->profile);
}

static void add(struct release *r, const char *real, const struct bundle_file *f)
{
	autofree char *inside = xasprintf("%s/%s", real, f->name);
	autofree char *url = pyurl_from_path(inside);
	struct component c = {
		.name = xstrdup(f->component),
		.package = xstrdup(f->package),
		.version = xstrdup(f->version),
		.file = xstrdup(path_base(f->name)),
		.size = f->size,
		.unpacked = f->unpacked,
		.kind = ARCHIVE_WHEEL,
	};
	memcpy(c.sha256, f->sha256, sizeof c.sha256);
	strlist_add(&c.urls, url);
	release_take(r, &c);
}

bool bundle_wheels(const char *path, const struct bundle_release *b, const struct request *rq,
		   struct release *out, struct err *err)
{
	struct release r = {.source = source_wheels.name};
	autofree char *real = realpath(path, NULL);
	if (!real)
		return err_sys(err, ERR_FILESYSTEM, "cannot read '%s'", path);
	if (!check_wanted(path, b, rq, err))
		return false;
	for (size_t i = 0; i < b->n; i++)
		if (wants(rq, &b->files[i]))
			add(&r, real, &b->files[i]);
	if (!r.n)
		return err_set(err, ERR_NO_VERSION, "'%s' has nothing of %s that is wanted", path,
			       b->version);
	snprintf(r.label, sizeof r.label, "%s", b->version);
	snprintf(r.arch, sizeof r.arch, "%s", rq->arch);
	r.manifest = xstrdup(b->manifest);
	memcpy(r.manifest_sha256, b->manifest_sha256, sizeof r.manifest_sha256);
	*out = r;
	return true;
}
