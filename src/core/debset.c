#include "core/debset.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic.h"
#include "base/path.h"
#include "base/tree.h"
#include "core/cache.h"
#include "core/deb822.h"
#include "core/debver.h"
#include "ext/digest.h"
#include "ext/unpack_text.h"

enum { INDEX_MAX = 256 << 20, UNSIGNED_MAX = 64 << 20, PACKAGES_MAX = 200000 };
#define TEXT_MAX (2048ull << 20)

/* Of Debian's and Ubuntu's packages, those of this source are the toolkit. */
static const char toolkit[] = "nvidia-cuda-toolkit";

void debset_clear(struct debset *set)
{
	for (size_t i = 0; i < set->n; i++) {
		struct debpkg *p = &set->items[i];
		free(p->name);
		free(p->version);
		free(p->depends);
		free(p->file);
	}
	free(set->items);
	*set = (struct debset){0};
}

const struct debpkg *debset_find(const struct debset *set, const char *name, const char *label)
{
	const struct debpkg *best = NULL;
	for (size_t i = 0; i < set->n; i++) {
		const struct debpkg *p = &set->items[i];
		if (strcmp(p->name, name) != 0 || (label && strcmp(p->label, label) != 0))
			continue;
		if (!best || debver_compare(p->version, best->version) > 0)
			best = p;
	}
	return best;
}

struct reading {
	struct debset *set;
	const char *file, *arch;
	bool flat;
	const struct strlist *names;
};

static bool bad(const struct reading *r, const struct deb822_paragraph *p, const char *name,
		const char *why, struct err *err)
{
	return err_set(err, ERR_INTEGRITY, "'%s' line %d: package '%.100s' %s", r->file, p->line,
		       name, why);
}

static bool is_word(const char *s, size_t n, const char *word)
{
	return strlen(word) == n && !memcmp(s, word, n);
}

/* Of "nvidia-cuda-toolkit (11.8.0-5~deb12u1)" the name; n: its length. */
static bool is_of_toolkit(const struct deb822_paragraph *p, const char *name, size_t n)
{
	const char *source;
	size_t len;
	if (!deb822_line(p, "Source", &source, &len))
		return is_word(name, n, toolkit);
	size_t k = 0;
	while (k < len && source[k] != ' ' && source[k] != '(')
		k++;
	return is_word(source, k, toolkit);
}

static bool is_wanted(const struct reading *r, const struct deb822_paragraph *p, const char *name,
		      size_t n)
{
	if (r->names) {
		for (size_t i = 0; i < r->names->n; i++)
			if (is_word(name, n, r->names->items[i]))
				return true;
		return false;
	}
	return r->flat || is_of_toolkit(p, name, n);
}

static bool is_for_arch(const struct reading *r, const struct deb822_paragraph *p)
{
	const char *arch;
	size_t n;
	if (!deb822_line(p, "Architecture", &arch, &n) || is_word(arch, n, "all") ||
	    is_word(arch, n, r->arch))
		return true;
	r->set->others++;
	snprintf(r->set->other, sizeof r->set->other, "%.*s", (int)n, arch);
	return false;
}

static uint64_t number(const struct deb822_paragraph *p, const char *field)
{
	autofree char *text = deb822_text(p, field);
	if (!text || !*text || strlen(text) > 15 || strspn(text, "0123456789") != strlen(text))
		return 0;
	return strtoull(text, NULL, 10);
}

/* The release: of Debian's packages all have it in their version, NVIDIA's only the one that brings the others. */
static void set_label(struct debpkg *q, bool flat)
{
	if (flat && strncmp(q->name, "cuda-toolkit-", 13) != 0)
		return;
	if (!debver_release(q->version, q->label, sizeof q->label))
		q->label[0] = '\0';
}

static const char *fault(const struct debpkg *q, const char *sha)
{
	if (!q->version || !*q->version)
		return "has no 'Version:'";
	if (!q->file || !path_safe_relative(q->file))
		return "has no usable 'Filename:'";
	if (!q->size)
		return "has no usable 'Size:'";
	return sha && digest_is_sha256(sha) ? NULL : "has no usable 'SHA256:'";
}

static bool on_paragraph(void *ctx, const struct deb822_paragraph *p, struct err *err)
{
	struct reading *r = ctx;
	const char *name;
	size_t n;
	if (!deb822_line(p, "Package", &name, &n) || !n)
		return bad(r, p, "?", "has no name", err);
	if (!is_wanted(r, p, name, n) || !is_for_arch(r, p))
		return true;
	if (r->set->n >= PACKAGES_MAX)
		return err_set(err, ERR_INTEGRITY, "'%s' has more than %d packages", r->file,
			       PACKAGES_MAX);
	autofree char *sha = deb822_text(p, "SHA256");
	char *file = deb822_text(p, "Filename");
	if (file && !strncmp(file, "./", 2))
		memmove(file, file + 2, strlen(file + 2) + 1);
	struct debpkg q = {
		.name = xstrndup(name, n),
		.version = deb822_text(p, "Version"),
		.depends = deb822_text(p, "Depends"),
		.file = file,
		.size = number(p, "Size"),
		.unpacked = number(p, "Installed-Size") * 1024,
	};
	r->set->items = array_grow(r->set->items, r->set->n, sizeof q);
	r->set->items[r->set->n++] = q;
	const char *why = fault(&q, sha);
	if (why)
		return bad(r, p, q.name, why, err);
	memcpy(r->set->items[r->set->n - 1].sha256, sha, 65);
	set_label(&r->set->items[r->set->n - 1], r->flat);
	return true;
}

static bool on_piece(void *ctx, const char *data, size_t n, struct err *err)
{
	return deb822_feed(ctx, data, n, err);
}

bool debset_read_file(struct debset *set, const char *path, const char *file, const char *arch,
		      bool flat, const struct strlist *names, struct err *err)
{
	struct deb822 d;
	struct reading r = {set, file, aptrepo_arch(arch), flat, names};
	deb822_init(&d, file, ERR_INTEGRITY, on_paragraph, &r);
	bool ok = unpack_text(path, TEXT_MAX, on_piece, &d, err) && deb822_end(&d, err);
	deb822_clear(&d);
	return ok;
}

struct index {
	const struct aptrepo *repo;
	const struct aptrelease *release;
	const struct source_ctx *ctx;
	struct fetch_opts o;
	char *dir;   /* "main/binary-amd64/", "" */
	char *name;  /* "main/binary-amd64/Packages.xz" */
	char *shown; /* its URL for messages */
	char *path;  /* where it is on this machine */
};

static void index_clear(struct index *x)
{
	free(x->dir);
	free(x->name);
	free(x->shown);
	free(x->path);
}

static const char *const forms[] = {"Packages.xz", "Packages.gz", "Packages"};

static bool fetch_signed(struct index *x, const char *folder, struct err *err)
{
	struct fetch_job job = {.name = "Packages", .max = INDEX_MAX};
	autostrlist struct strlist urls = {0};
	char sha256[65];
	size_t i = 0;
	for (; i < ARRAY_LEN(forms); i++) {
		free(x->name);
		x->name = xasprintf("%s%s", x->dir, forms[i]);
		if (aptrelease_file(x->release, x->name, sha256, &job.size))
			break;
	}
	autofree char *words = aptrepo_words(x->repo);
	if (i == ARRAY_LEN(forms)) {
		err_set(err, ERR_NETWORK, "'%s' lists no '%sPackages.xz'", words, x->dir);
		err->sys = ENOENT;
		return false;
	}
	if (job.size > INDEX_MAX)
		return err_set(err, ERR_INTEGRITY, "'%s' of '%s' claims an impossible size",
			       x->name, words);
	autofree char *plain = xasprintf("%s%s", folder, x->name);
	if (x->release->by_hash) {
		autofree char *hash = xasprintf("%s%sby-hash/SHA256/%s", folder, x->dir, sha256);
		strlist_add(&urls, hash);
	}
	strlist_add(&urls, plain);
	x->shown = fetch_mask(plain);
	x->path = cache_path(x->ctx->cache_dir, sha256, forms[i]);
	job.urls = &urls;
	job.dest = x->path;
	job.sha256 = sha256;
	return tree_mkdirs(x->ctx->cache_dir, err) && fetch_run(&job, 1, &x->o, NULL, NULL, err);
}

/* There is nothing to hold it against; it is kept under its own digest. */
static bool fetch_unsigned(struct index *x, const char *folder, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		struct fetch_answer a = {.body = BUF_INIT(UNSIGNED_MAX)};
		autofree char *url = xasprintf("%s%s", folder, forms[i]);
		char sha256[65];
		bool ok = fetch_memory(url, NULL, &x->o, &a, err);
		if (ok) {
			struct digest *d = digest_new(DIGEST_SHA256);
			digest_update(d, buf_str(&a.body), a.body.len);
			digest_hex(d, sha256);
			digest_free(d);
			x->shown = fetch_mask(url);
			x->path = cache_path(x->ctx->cache_dir, sha256, forms[i]);
			ok = tree_mkdirs(x->ctx->cache_dir, err) &&
			     atomic_write(x->path, buf_str(&a.body), a.body.len, 0644, err);
		}
		fetch_answer_clear(&a);
		if (ok || err->sys != ENOENT)
			return ok;
	}
	return false;
}

bool debset_read(struct debset *set, const struct aptrepos *all, const struct aptrepo *r,
		 const struct aptrelease *release, const struct source_ctx *ctx, const char *arch,
		 const char *component, const struct strlist *names, struct err *err)
{
	autofree char *proxy = NULL, *folder = aptrepo_folder(r);
	struct index x = {r, release, ctx, aptrepo_fetch_opts(all, r, ctx, &proxy), 0, 0, 0, 0};
	x.dir = component ? xasprintf("%s/binary-%s/", component, aptrepo_arch(arch)) : xstrdup("");
	bool ok = (release->files ? fetch_signed(&x, folder, err)
				  : fetch_unsigned(&x, folder, err)) &&
		  debset_read_file(set, x.path, x.shown, arch, !component, names, err);
	index_clear(&x);
	return ok;
}
