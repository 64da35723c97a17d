#include "core/local.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/version.h"
#include "core/local_file.h"

enum { FILES_MAX = 1000 };

static bool is_folder(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* "12.4.1" of redistrib_12.4.1.json; NULL: another name. The caller frees. */
static char *manifest_label(const char *name)
{
	static const char start[] = "redistrib_", end[] = ".json";
	struct version v;
	size_t n = strlen(name), a = sizeof start - 1, z = sizeof end - 1;
	if (n <= a + z || strncmp(name, start, a) != 0 || strcmp(name + n - z, end) != 0 ||
	    !version_parse(name + a, n - a - z, &v))
		return NULL;
	return xstrndup(name + a, n - a - z);
}

bool local_is_mirror(const char *path, char **label)
{
	static const char *const places[] = {"", "/cuda/redist"};
	int found = 0;
	char *only = NULL;
	for (size_t i = 0; i < ARRAY_LEN(places) && !found; i++) {
		autofree char *folder = xasprintf("%s%s", path, places[i]);
		autodir DIR *d = opendir(folder);
		for (struct dirent *e; d && (e = readdir(d));) {
			autofree char *l = manifest_label(e->d_name);
			if (!l)
				continue;
			free(only);
			only = found++ ? NULL : take_ptr(l);
		}
	}
	*label = only;
	return found > 0;
}

static bool add_folder(const char *path, struct strlist *out, struct err *err)
{
	autodir DIR *d = opendir(path);
	if (!d)
		return err_sys(err, ERR_FILESYSTEM, "cannot read folder '%s'", path);
	for (struct dirent *e; (e = readdir(d));) {
		autofree char *file = xasprintf("%s/%s", path, e->d_name);
		/* Notes, digests and the like lie beside archives. */
		if (e->d_name[0] != '.' && !is_folder(file) && strpbrk(e->d_name, "-_") &&
		    !strstr(e->d_name, ".json") && !strstr(e->d_name, ".txt"))
			strlist_add(out, file);
	}
	return out->n || err_set(err, ERR_USAGE, "there are no archives in '%s'", path);
}

static bool expand(const struct strlist *paths, struct strlist *out, struct err *err)
{
	for (size_t i = 0; i < paths->n; i++) {
		if (!is_folder(paths->items[i]))
			strlist_add(out, paths->items[i]);
		else if (!add_folder(paths->items[i], out, err))
			return false;
	}
	return out->n <= FILES_MAX ||
	       err_set(err, ERR_USAGE, "more than %d files to install from", FILES_MAX);
}

/* A release that names itself must be the one that was asked for. */
static bool set_label(struct release *r, const struct local_file *f, const struct request *rq,
		      struct err *err)
{
	if (!f->label[0])
		return true;
	if (r->label[0] && strcmp(r->label, f->label) != 0)
		return err_set(err, ERR_USAGE, "'%s' is of CUDA %s, not of %s", f->c.file, f->label,
			       r->label);
	if (!rq->label)
		memcpy(r->label, f->label, sizeof r->label);
	return true;
}

static bool add_file(const struct source_ctx *ctx, const char *path, const struct request *rq,
		     struct release *r, struct err *err)
{
	struct local_file f;
	if (!local_file_read(path, rq->arch, &f, err))
		return false;
	if (!f.c.name) {
		event_note(ctx->events, "'%s' brings nothing that a toolkit has: left out", path);
		component_clear(&f.c);
		return true;
	}
	bool ok = set_label(r, &f, rq, err);
	const struct component *same = ok ? release_find(r, f.c.name) : NULL;
	if (same)
		ok = err_set(err, ERR_USAGE, "'%s' and '%s' are both %s", same->file, f.c.file,
			     f.c.name);
	if (ok)
		release_take(r, &f.c);
	else
		component_clear(&f.c);
	return ok;
}

static const struct component *find_start(const struct release *r, const char *name)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strncmp(r->components[i].name, name, strlen(name)))
			return &r->components[i];
	return NULL;
}

/* The number that nvcc has begins as its release's does. */
static bool check_label(const struct release *r, struct err *err)
{
	const struct component *nvcc = find_start(r, "cuda_nvcc");
	struct version label, own;
	if (!r->label[0]) {
		err_set(err, ERR_USAGE, "the files do not say which CUDA release they are");
		return err_hint(err, "name it, as in 'cudaenv install %s --from ...'",
				nvcc ? nvcc->version : "12.4.1");
	}
	if (!nvcc || !version_parse(r->label, strlen(r->label), &label) ||
	    !version_parse(nvcc->version, strspn(nvcc->version, "0123456789."), &own) ||
	    (label.part[0] == own.part[0] && label.part[1] == own.part[1]))
		return true;
	return err_set(err, ERR_USAGE, "'%s' is of CUDA %u.%u, not of %s", nvcc->file, own.part[0],
		       own.part[1], r->label);
}

/* What nvcc needs, in NVIDIA's parts (conda and NVIDIA's .deb split them further) and in Debian's. */
struct need {
	const char *name, * or ;
	unsigned since; /* major number */
};
static const struct need nvidia_needs[] = {
	{"cuda_nvcc", NULL, 0}, {"cuda_cudart", NULL, 0},     {"cuda_cccl", "cccl", 11},
	{"cuda_crt", NULL, 13}, {"libnvvm", "cuda_nvvm", 13}, {0},
};
static const struct need debian_needs[] = {
	{"cuda_nvcc", NULL, 0},
	{"cuda_dev", NULL, 0},
	{"cuda_cudart", NULL, 0},
	{"libnvvm", NULL, 0},
	{0},
};

static bool is_debians(const struct release *r)
{
	return release_find(r, "nvidia-cuda-toolkit") || release_find(r, "nvidia-cuda-dev");
}

/* Before anything is unpacked. */
static bool check_whole(const struct release *r, struct err *err)
{
	autobuf struct buf lacks = BUF_INIT(512);
	struct version v = {0};
	if (r->components[0].kind == ARCHIVE_RUNFILE)
		return true;
	version_parse(r->label, strlen(r->label), &v);
	for (const struct need *n = is_debians(r) ? debian_needs : nvidia_needs; n->name; n++)
		if (v.part[0] >= n->since && !find_start(r, n->name) &&
		    !(n->or &&find_start(r, n->or)))
			buf_addf(&lacks, "%s%s", lacks.len ? ", " : "", n->name);
	if (!lacks.len)
		return true;
	err_set(err, ERR_VERIFY, "these files are no whole toolkit of %s: they lack %s", r->label,
		buf_str(&lacks));
	return err_hint(err, "give the files of these as well");
}

static void tell_unverified(const struct source_ctx *ctx, const struct release *r)
{
	size_t n = 0;
	for (size_t i = 0; i < r->n; i++)
		n += r->components[i].unverified;
	if (n)
		event_note(
			ctx->events,
			"%zu of %zu files are not verified: no published digest of them is known",
			n, r->n);
}

bool local_release(const struct source_ctx *ctx, const struct strlist *paths,
		   const struct request *rq, struct release *out, struct err *err)
{
	autostrlist struct strlist files = {0};
	struct release r = {.source = "archive", .manifest = xstrdup("")};
	snprintf(r.arch, sizeof r.arch, "%s", rq->arch);
	snprintf(r.label, sizeof r.label, "%s", rq->label ? rq->label : "");
	bool ok = expand(paths, &files, err);
	for (size_t i = 0; ok && i < files.n; i++)
		ok = add_file(ctx, files.items[i], rq, &r, err);
	if (ok && !r.n)
		ok = err_set(err, ERR_USAGE, "no part of a toolkit is in '%s'", paths->items[0]);
	if (ok && check_label(&r, err) && check_whole(&r, err) && local_digests(ctx, &r, err)) {
		if (r.components[0].kind == ARCHIVE_RUNFILE)
			r.source = "runfile";
		tell_unverified(ctx, &r);
		*out = r;
		return true;
	}
	release_clear(&r);
	return false;
}
