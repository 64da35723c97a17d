#include "core/redist.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic.h"
#include "base/io.h"
#include "base/tree.h"
#include "core/cache.h"
#include "core/redist_mirrors.h"
#include "ext/digest.h"
#include "ext/fetch.h"

static void hash(const struct buf *b, char *hex)
{
	struct digest *d = digest_new(DIGEST_SHA256);
	digest_update(d, buf_str(b), b->len);
	digest_hex(d, hex);
	digest_free(d);
}

/* Whether a component's number begins as the release's: 12.4.131 belongs to 12.4.1. */
static bool same_minor(const char *a, const char *b)
{
	size_t n = strcspn(a, "."), m = strcspn(b, ".");
	n += a[n] ? 1 + strcspn(a + n + 1, ".") : 0;
	m += b[m] ? 1 + strcspn(b + m + 1, ".") : 0;
	return n == m && !memcmp(a, b, n);
}

/*
 * What the manifest itself says it is, against what was asked for. Old ones carry no label: there
 * the compiler's number must begin as the release's does.
 */
static bool check_label(const struct manifest *m, const char *product, const char *label,
			const char *where, struct err *err)
{
	const char *has = m->label;
	bool same = !m->product[0] || !strcmp(m->product, product);
	for (size_t i = 0; i < m->n && !has[0]; i++)
		if (!strcmp(m->files[i].component, "cuda_nvcc"))
			has = m->files[i].version;
	same = same && (m->label[0] ? !strcmp(has, label) : !has[0] || same_minor(has, label));
	if (same)
		return true;
	err_set(err, ERR_INTEGRITY, "manifest '%s' is not that of %s %s: it says %s %s", where,
		product, label, m->product[0] ? m->product : product, has);
	return err_hint(err,
			"the mirror holds another release under that name; take another mirror");
}

/* Sets the manifest and its digest. */
static bool take_manifest(const struct buf *body, const char *where, const char *product,
			  const char *label, const char *pin, struct redist_manifest *out,
			  struct err *err)
{
	char hex[65];
	struct manifest m;
	hash(body, hex);
	if (pin && strcmp(pin, hex) != 0) {
		err_set(err, ERR_INTEGRITY, "manifest '%s' has sha256 %s, the known one has %s",
			where, hex, pin);
		return err_hint(err,
				"the mirror changed it, or the publisher replaced it; try another "
				"mirror or a newer cudaenv");
	}
	if (!manifest_parse(buf_str(body), body->len, where, &m, err))
		return false;
	if (!check_label(&m, product, label, where, err)) {
		manifest_clear(&m);
		return false;
	}
	manifest_clear(&out->m);
	out->m = m;
	memcpy(out->sha256, hex, sizeof hex);
	return true;
}

/* One that an earlier run kept. */
static bool from_cache(const struct source_ctx *ctx, const char *product, const char *label,
		       const char *pin, struct redist_manifest *out)
{
	struct cache_list list = {0};
	struct err err;
	if (!cache_read(ctx->cache_dir, &list, &err))
		return false;
	for (size_t i = 0; i < list.n && !out->cached; i++) {
		const struct cache_entry *e = &list.entries[i];
		if (e->part || strcmp(e->file, out->file) != 0 ||
		    (pin && strcmp(pin, e->sha256) != 0))
			continue;
		autofree char *path = cache_path(ctx->cache_dir, e->sha256, e->file);
		autobuf struct buf body = BUF_INIT(MANIFEST_MAX);
		out->cached = io_read_file(path, &body, &err) &&
			      take_manifest(&body, path, product, label, e->sha256, out, &err);
	}
	cache_list_clear(&list);
	return out->cached;
}

/* Kept for later runs; not being able to is no reason to stop. Written anew only where it is another one: that
 * waits for the disk. */
static void keep(const struct source_ctx *ctx, const struct redist_manifest *m,
		 const struct buf *body)
{
	struct err err;
	autofree char *path = cache_path(ctx->cache_dir, m->sha256, m->file);
	autobuf struct buf before = BUF_INIT(MANIFEST_MAX);
	if (io_read_file(path, &before, &err) && before.len == body->len &&
	    !memcmp(before.data, body->data, body->len))
		return;
	if (!tree_mkdirs(ctx->cache_dir, &err) ||
	    !atomic_write(path, buf_str(body), body->len, 0644, &err))
		event_debug(ctx->events, "%s", err.msg);
}

static bool ask_folder(const struct source_ctx *ctx, const char *base, const char *product,
		       const char *label, const char *pin, struct redist_manifest *out,
		       struct err *err)
{
	autobuf struct buf body = BUF_INIT(MANIFEST_MAX);
	autofree char *url = xasprintf("%s%s", base, out->file);
	autofree char *shown = fetch_mask(url);
	bool ok = redist_read(ctx, url, "application/json", &body, err) &&
		  take_manifest(&body, shown, product, label, pin, out, err);
	if (ok)
		keep(ctx, out, &body);
	return ok;
}

/* A server that answers and has no such file may have it in the other form. */
static bool not_there(const struct err *err)
{
	return err->code == ERR_NETWORK && (err->sys == ENOENT || err->sys == EACCES);
}

/* The folder of the mirror that served goes to the front of the bases. */
static bool ask_mirror(const struct source_ctx *ctx, const char *mirror, const char *product,
		       const char *label, const char *pin, struct redist_manifest *out,
		       struct err *err)
{
	autostrlist struct strlist folders = {0};
	struct err first = {0};
	redist_folders(mirror, product, &folders);
	for (size_t i = 0; i < folders.n; i++) {
		if (ask_folder(ctx, folders.items[i], product, label, pin, out, err)) {
			strlist_add(&out->bases, folders.items[i]);
			return true;
		}
		if (i == 0)
			first = *err;
		if (!not_there(err))
			return false;
	}
	*err = first;
	return false;
}

static bool no_mirror_has(const struct redist_manifest *m, const struct strlist *mirrors,
			  struct err *err)
{
	autofree char *shown = fetch_mask(mirrors->items[0]);
	err_set(err, ERR_NO_VERSION, "no mirror has '%s' (asked: '%s'%s)", m->file, shown,
		mirrors->n > 1 ? " and others" : "");
	return err_hint(err, "see 'cudaenv list-remote'; is the mirror complete?");
}

bool redist_ask(const struct source_ctx *ctx, const char *product, const char *label,
		const char *pin, struct redist_manifest *m, struct err *err)
{
	autostrlist struct strlist mirrors = {0};
	struct redist_manifest new = {.file = m->file};
	struct err worst = {0};
	size_t served;
	redist_mirrors(ctx, &mirrors);
	for (served = 0; served < mirrors.n; served++) {
		struct source_ctx now = *ctx;
		/* Patience is for the last one. */
		now.quick = ctx->quick || served + 1 < mirrors.n;
		if (ask_mirror(&now, mirrors.items[served], product, label, pin, &new, err))
			break;
		/* "Not here" says less than any other trouble, so that one is told. */
		if (!worst.code || (not_there(&worst) && !not_there(err)))
			worst = *err;
		if (err->code == ERR_INTERRUPTED)
			return false;
	}
	if (served == mirrors.n) {
		*err = worst;
		return err->sys == ENOENT ? no_mirror_has(m, &mirrors, err) : false;
	}
	for (size_t i = 0; i < mirrors.n; i++)
		if (i != served)
			redist_folders(mirrors.items[i], product, &new.bases);
	new.file = take_ptr(m->file);
	redist_manifest_clear(m);
	*m = new;
	return true;
}

static void add_all_folders(const struct source_ctx *ctx, const char *product, struct strlist *out)
{
	autostrlist struct strlist mirrors = {0};
	redist_mirrors(ctx, &mirrors);
	for (size_t i = 0; i < mirrors.n; i++)
		redist_folders(mirrors.items[i], product, out);
}

/* Then a manifest that was kept is better than none, also without a digest to tell that it still stands. */
static bool nobody_answers(const struct source_ctx *ctx, const struct err *err)
{
	if (err->code != ERR_NETWORK || not_there(err))
		return false;
	event_debug(ctx->events, "%s", err->msg);
	return true;
}

bool redist_manifest(const struct source_ctx *ctx, const char *product, const char *label,
		     const char *pin, struct redist_manifest *out, struct err *err)
{
	struct redist_manifest m = {.file = xasprintf("redistrib_%s.json", label)};
	bool decides = pin || ctx->offline, kept = from_cache(ctx, product, label, pin, &m);
	struct source_ctx now = *ctx;
	/* Who can do without an answer need not wait long for one. */
	now.quick = ctx->quick || kept;
	if ((kept && decides) || redist_ask(&now, product, label, pin, &m, err) ||
	    (kept && nobody_answers(ctx, err))) {
		if (m.cached)
			add_all_folders(ctx, product, &m.bases);
		*out = m;
		return true;
	}
	redist_manifest_clear(&m);
	return false;
}

void redist_manifest_clear(struct redist_manifest *m)
{
	manifest_clear(&m->m);
	strlist_clear(&m->bases);
	free(m->file);
	*m = (struct redist_manifest){0};
}
