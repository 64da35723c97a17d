#include "core/metapackage.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/tree.h"
#include "base/version.h"
#include "core/cache.h"
#include "core/catalog.h"
#include "ext/fetch.h"
#include "ext/zip.h"

static const char project[] = "cuda-toolkit";
static const char compiler[] = "nvidia-cuda-nvcc";

enum { METAPACKAGE_MAX = 16 << 20 };

/* Who else has this release, as far as the catalog knows. */
static bool hint_other_source(const struct source_ctx *ctx, const struct request *rq,
			      struct err *err)
{
	const struct catalog_release *r =
		ctx->catalog ? catalog_find(ctx->catalog, rq->label) : NULL;
	autofree char *platform = xasprintf("linux-%s", rq->arch);
	if (r && strlist_has(&r->platforms, platform))
		return err_hint(err, "cudaenv install %s --source redist", rq->label);
	if (r && r->n_runfiles)
		return err_hint(err, "cudaenv install %s --source runfile", rq->label);
	return err_hint(err, "see 'cudaenv list-remote' for what there is");
}

static bool no_compiler(const struct source_ctx *ctx, const struct request *rq, struct err *err)
{
	err_set(err, ERR_NO_VERSION,
		"the wheels of %s hold no nvcc (only those of 13.0 and newer do)", rq->label);
	return hint_other_source(ctx, rq, err);
}

bool metapackage_possible(const struct source_ctx *ctx, const struct request *rq, struct err *err)
{
	struct version v;
	if (!version_parse(rq->label, strlen(rq->label), &v))
		return err_set(err, ERR_USAGE, "'%s' is no release number", rq->label);
	if (strcmp(rq->arch, "x86_64") != 0 && strcmp(rq->arch, "sbsa") != 0) {
		err_set(err, ERR_NO_VERSION, "there are no wheels for %s, only for x86_64 and sbsa",
			rq->arch);
		return hint_other_source(ctx, rq, err);
	}
	return v.part[0] >= 13 || no_compiler(ctx, rq, err);
}

/* "==13.0.2.*": also what has a fourth part, which is packaging. */
static struct pyspec below(const char *number)
{
	struct pyspec spec = {0};
	autofree char *text = xasprintf("==%s.*", number);
	if (!pyspec_parse(text, strlen(text), &spec))
		spec = (struct pyspec){0};
	return spec;
}

static const struct pyfile *pick(const struct source_ctx *ctx, const struct request *rq,
				 const struct pyfiles *files)
{
	const struct catalog_release *r =
		ctx->catalog ? catalog_find(ctx->catalog, rq->label) : NULL;
	const struct pyfile *f = NULL;
	struct pyspec spec;
	if (r && r->wheels) {
		autofree char *text = xasprintf("==%s", r->wheels);
		if (pyspec_parse(text, strlen(text), &spec))
			f = pyfiles_pick(files, &spec, true);
	}
	spec = below(rq->label);
	return f ? f : pyfiles_pick(files, &spec, true);
}

static void set_label(char label[32], const struct pep440 *v)
{
	unsigned long long part[3] = {0};
	for (int i = 0; i < 3 && i < v->n; i++)
		part[i] = v->part[i];
	snprintf(label, 32, "%llu.%llu.%llu", part[0], part[1], part[2]);
}

/* The newest of the same minor release, of the same major one, of all. */
static bool nearest_label(const struct pyfiles *files, const struct version *v, char label[32])
{
	char number[3][32] = {"", "", "13"};
	snprintf(number[0], sizeof number[0], "%u.%u", v->part[0], v->n > 1 ? v->part[1] : 0);
	snprintf(number[1], sizeof number[1], "%u", v->part[0]);
	for (size_t i = 0; i < ARRAY_LEN(number); i++) {
		struct pyspec spec = below(number[i]);
		const struct pyfile *f = pyfiles_pick(files, &spec, true);
		if (!f)
			continue;
		set_label(label, &f->name.v);
		return true;
	}
	return false;
}

static bool no_such_release(const struct pyindex *ix, const struct request *rq,
			    const struct pyfiles *files, struct err *err)
{
	static const char *const why[] = {
		[PYFILES_NO_VERSION] = "is not in",
		[PYFILES_OTHER_PLATFORM] = "is for other platforms in",
		[PYFILES_YANKED] = "was withdrawn from",
		[PYFILES_PRE] = "is only a pre-release in",
	};
	struct pyspec spec = below(rq->label);
	struct version v = {0};
	char label[32];
	bool near =
		version_parse(rq->label, strlen(rq->label), &v) && nearest_label(files, &v, label);
	err_set(err, ERR_NO_VERSION, "CUDA %s %s the package index %s%s%s", rq->label,
		why[pyfiles_miss(files, &spec)], pyindex_words(ix), near ? "; the nearest is " : "",
		near ? label : "");
	return near ? err_hint(err, "cudaenv install %s", label)
		    : err_hint(err, "another index: cudaenv config set index URL");
}

/* Into the cache, where its digest is its name. */
static bool fetch_file(const struct pyindex *ix, const struct source_ctx *ctx,
		       const struct pyfiles *files, const struct pyfile *f, char sha256[65],
		       char **path, struct err *err)
{
	autostrlist struct strlist urls = {0};
	struct fetch_opts quiet = *ix->fetch;
	quiet.events = NULL; /* it is no part of the plan that progress is shown for */
	if (!pyfiles_source(files, f, sha256, &urls, err) || !tree_mkdirs(ctx->cache_dir, err))
		return false;
	autofree char *dest = cache_path(ctx->cache_dir, sha256, f->file);
	struct fetch_job job = {.name = f->file,
				.urls = &urls,
				.dest = dest,
				.sha256 = sha256,
				.size = f->size,
				.max = METAPACKAGE_MAX};
	if (!fetch_run(&job, 1, &quiet, NULL, NULL, err))
		return false;
	*path = take_ptr(dest);
	return true;
}

static bool bad_file(const struct pyfile *f, struct err *err)
{
	err_prefix(err, "bad metapackage '%s'", f->file);
	return err_hint(err,
			"its index may be at fault; another one: cudaenv config set index URL");
}

static bool read_metadata(const char *path, struct buf *text, struct err *err)
{
	struct zip *z;
	const struct zip_entry *entries;
	bool found = false, ok = true;
	if (!zip_open(&z, path, err))
		return false;
	size_t n = zip_entries(z, &entries);
	for (size_t i = 0; i < n && !found; i++)
		if (!fnmatch("*.dist-info/METADATA", entries[i].name, FNM_PATHNAME)) {
			found = true;
			ok = zip_read(z, &entries[i], text, err);
		}
	zip_close(z);
	return found ? ok : err_set(err, ERR_INTEGRITY, "it has no METADATA");
}

static bool check(const struct wheelmeta *m, const struct pyfile *f, struct err *err)
{
	struct pep440 v;
	if (!strcmp(m->name, project) && pep440_parse(m->version, strlen(m->version), &v) &&
	    !pep440_compare(&v, &f->name.v))
		return true;
	return err_set(err, ERR_INTEGRITY, "it says that it is '%s' %s", m->name, m->version);
}

/* Whether the same file makes a toolkit on the other platform. */
static bool elsewhere(const struct buf *text, const char *arch)
{
	struct wheelmeta m;
	struct err ignored;
	const char *other = strcmp(arch, "sbsa") == 0 ? "x86_64" : "sbsa";
	if (!wheelmeta_parse(text->data, text->len, other, &m, &ignored))
		return false;
	bool found = wheelmeta_find(&m, compiler) != NULL;
	wheelmeta_clear(&m);
	return found;
}

static bool judge(const struct source_ctx *ctx, const struct request *rq, const struct buf *text,
		  const struct wheelmeta *m, struct err *err)
{
	if (wheelmeta_find(m, compiler))
		return true;
	if (!elsewhere(text, rq->arch))
		return no_compiler(ctx, rq, err);
	err_set(err, ERR_NO_VERSION, "the wheels of %s are for other platforms than %s", rq->label,
		rq->arch);
	return hint_other_source(ctx, rq, err);
}

static bool open_file(struct pyindex *ix, const struct source_ctx *ctx, const struct request *rq,
		      const struct pyfiles *files, const struct pyfile *f, struct metapackage *out,
		      struct err *err)
{
	autofree char *path = NULL;
	autobuf struct buf text = BUF_INIT(WHEELMETA_MAX);
	struct metapackage m = {0};
	if (!fetch_file(ix, ctx, files, f, m.sha256, &path, err))
		return false;
	if (!read_metadata(path, &text, err) ||
	    !wheelmeta_parse(buf_str(&text), text.len, rq->arch, &m.meta, err))
		return bad_file(f, err);
	if (!check(&m.meta, f, err)) {
		wheelmeta_clear(&m.meta);
		return bad_file(f, err);
	}
	if (!judge(ctx, rq, &text, &m.meta, err)) {
		wheelmeta_clear(&m.meta);
		return false;
	}
	set_label(m.label, &f->name.v);
	m.file = xstrdup(f->file);
	*out = m;
	return true;
}

bool metapackage_find(struct pyindex *ix, const struct source_ctx *ctx, const struct request *rq,
		      struct metapackage *out, struct err *err)
{
	struct pyquery q = {.project = project};
	if (!metapackage_possible(ctx, rq, err) || !pyindex_get(ix, &q, 1, err))
		return false;
	if (!q.ok) {
		*err = q.err;
		return false;
	}
	const struct pyfile *f = pick(ctx, rq, &q.files);
	bool ok = f ? open_file(ix, ctx, rq, &q.files, f, out, err)
		    : no_such_release(ix, rq, &q.files, err);
	pyqueries_clear(&q, 1);
	return ok;
}

bool metapackage_labels(struct pyindex *ix, struct strlist *out, struct err *err)
{
	struct pyquery q = {.project = project};
	if (!pyindex_get(ix, &q, 1, err))
		return false;
	if (!q.ok) {
		*err = q.err;
		return false;
	}
	for (size_t i = 0; i < q.files.n; i++) {
		const struct pyfile *f = &q.files.files[i];
		char label[32];
		set_label(label, &f->name.v);
		if (f->fits && !f->yanked && !pep440_is_pre(&f->name.v) &&
		    f->name.v.part[0] >= 13 && !strlist_has(out, label))
			strlist_add(out, label);
	}
	pyqueries_clear(&q, 1);
	return true;
}

void metapackage_clear(struct metapackage *m)
{
	free(m->file);
	wheelmeta_clear(&m->meta);
	*m = (struct metapackage){0};
}
