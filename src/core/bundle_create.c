#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/io.h"
#include "base/path.h"
#include "core/bundle_item.h"
#include "core/cache.h"
#include "core/manifest.h"

struct making {
	const struct source_ctx *ctx;
	struct bundle b; /* what bundle.json says */
	struct bundle_item *items;
	size_t n;
	struct err *err;
};

static struct bundle_item *add_item(struct making *m, char *name)
{
	m->items = array_grow(m->items, m->n, sizeof *m->items);
	m->items[m->n].name = name;
	return &m->items[m->n++];
}

static void add_text(struct making *m, char *name, const char *text, size_t len)
{
	struct bundle_item *it = add_item(m, name);
	it->text = xstrndup(text, len);
	it->size = len;
}

static void add_archive(struct making *m, char *name, const struct bundle_want *w,
			const struct component *c)
{
	struct bundle_item *it = add_item(m, name);
	it->c = c;
	it->size = c->size;
	it->from = &w->release;
}

/* "12.4.1" of "redistrib_12.4.1.json" */
static char *version_of(const char *manifest)
{
	const char *from = strchr(manifest, '_'), *end = strrchr(manifest, '.');
	return from && end > from ? xstrndup(from + 1, (size_t)(end - from - 1))
				  : xstrdup(manifest);
}

static const char *path_in(const struct manifest *m, const struct component *c)
{
	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->files[i].sha256, c->sha256) &&
		    !strcmp(path_base(m->files[i].path), c->file))
			return m->files[i].path;
	return NULL;
}

static bool has_file(const struct bundle_release *r, const char *name)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->files[i].name, name))
			return true;
	return false;
}

static bool add_archives(struct making *m, const struct bundle_want *w, const struct manifest *mf,
			 struct bundle_release *r)
{
	for (size_t i = 0; i < w->release.n; i++) {
		const struct component *c = &w->release.components[i];
		const char *path = path_in(mf, c);
		if (!path)
			return err_set(m->err, ERR_INTEGRITY, "'%s' is not in manifest '%s'",
				       c->file, w->release.manifest);
		autofree char *name = bundle_member_name(w->product, path);
		if (has_file(r, name))
			continue;
		r->files = array_grow(r->files, r->n, sizeof *r->files);
		r->files[r->n++] = (struct bundle_file){.component = xstrdup(c->package),
							.name = xstrdup(name)};
		add_archive(m, take_ptr(name), w, c);
	}
	return true;
}

static bool is_wheels(const struct bundle_want *w)
{
	return !strcmp(w->release.source, source_wheels.name);
}

/* One entry of bundle.json for each: a cuDNN may be there for several toolkits. */
static struct bundle_release *release_of(struct making *m, const struct bundle_want *w)
{
	bool wheels = is_wheels(w);
	autofree char *version =
		wheels ? xstrdup(w->release.label) : version_of(w->release.manifest);
	for (size_t i = 0; i < m->b.n; i++)
		if (!strcmp(m->b.releases[i].product, w->product) &&
		    !strcmp(m->b.releases[i].version, version))
			return &m->b.releases[i];
	m->b.releases = array_grow(m->b.releases, m->b.n, sizeof *m->b.releases);
	struct bundle_release *r = &m->b.releases[m->b.n++];
	*r = (struct bundle_release){
		.product = xstrdup(w->product),
		.version = take_ptr(version),
		.source = xstrdup(w->release.source),
		.manifest = wheels ? xstrdup(w->release.manifest)
				   : bundle_member_name(w->product, w->release.manifest),
		.profile = xstrdup(w->profile),
	};
	return r;
}

/* The manifest as it was published, since its digest may be known; the run that found the release kept it. */
static bool add_redist(struct making *m, const struct bundle_want *w)
{
	autobuf struct buf text = BUF_INIT(MANIFEST_MAX);
	autofree char *kept =
		cache_path(m->ctx->cache_dir, w->release.manifest_sha256, w->release.manifest);
	struct manifest mf;
	if (!io_read_file(kept, &text, m->err) ||
	    !manifest_parse(buf_str(&text), text.len, kept, &mf, m->err))
		return false;
	struct bundle_release *r = release_of(m, w);
	if (!r->n)
		add_text(m, xstrdup(r->manifest), buf_str(&text), text.len);
	bool ok = add_archives(m, w, &mf, r);
	manifest_clear(&mf);
	return ok;
}

static bool add_wheels(struct making *m, const struct bundle_want *w)
{
	struct bundle_release *r = release_of(m, w);
	memcpy(r->manifest_sha256, w->release.manifest_sha256, sizeof r->manifest_sha256);
	for (size_t i = 0; i < w->release.n; i++) {
		const struct component *c = &w->release.components[i];
		autofree char *name = xasprintf("wheels/%s", path_base(c->file));
		if (has_file(r, name))
			continue;
		struct bundle_file f = {xstrdup(c->name),
					xstrdup(name),
					xstrdup(c->package),
					xstrdup(c->version),
					"",
					c->size,
					c->unpacked};
		memcpy(f.sha256, c->sha256, sizeof f.sha256);
		r->files = array_grow(r->files, r->n, sizeof f);
		r->files[r->n++] = f;
		add_archive(m, take_ptr(name), w, c);
	}
	return true;
}

static bool add_release(struct making *m, const struct bundle_want *w)
{
	return is_wheels(w) ? add_wheels(m, w) : add_redist(m, w);
}

static void item_clear(struct bundle_item *it)
{
	free(it->name);
	free(it->text);
	local_place_clear(&it->place);
}

static int by_name(const void *a, const void *b)
{
	const struct bundle_item *x = a, *y = b;
	return strcmp(x->name, y->name);
}

/* Releases have archives in common. */
static bool sort_items(struct making *m)
{
	size_t n = 0;
	qsort(m->items, m->n, sizeof *m->items, by_name);
	for (size_t i = 0; i < m->n; i++) {
		struct bundle_item *it = &m->items[i], *last = n ? &m->items[n - 1] : NULL;
		if (!last || strcmp(last->name, it->name) != 0) {
			struct bundle_item keep = *it;
			*it = (struct bundle_item){0};
			m->items[n++] = keep;
			continue;
		}
		if (last->c && it->c && strcmp(last->c->sha256, it->c->sha256) != 0)
			return err_set(m->err, ERR_INTEGRITY,
				       "two releases have '%s', each another one", it->name);
		item_clear(it);
		*it = (struct bundle_item){0};
	}
	m->n = n;
	return true;
}

static bool there(struct making *m, const char *path)
{
	err_set(m->err, ERR_USAGE, "'%s' is there already", path);
	return err_hint(m->err, "-f replaces it, -o takes another name");
}

static bool write_bundle(struct making *m, const char *path, bool force, struct bundle_made *out)
{
	struct atomic_file f;
	struct bundle_made made;
	if (!atomic_open(&f, path, 0666, m->err))
		return false;
	event_step(m->ctx->events, "write '%s'", path);
	if (!bundle_write(&f, m->items, m->n, &made, m->err)) {
		atomic_abandon(&f);
		return false;
	}
	if (!atomic_commit(&f, force, m->err))
		return m->err->sys == EEXIST ? there(m, path) : false;
	*out = made;
	return true;
}

bool bundle_create(const struct source_ctx *ctx, const struct bundle_want *wants, size_t n,
		   const char *arch, const char *path, bool force, struct bundle_made *out,
		   struct err *err)
{
	struct making m = {.ctx = ctx, .err = err};
	bool ok = true;
	snprintf(m.b.arch, sizeof m.b.arch, "%s", arch);
	for (size_t i = 0; ok && i < n; i++)
		ok = add_release(&m, &wants[i]);
	if (ok) {
		autofree char *text = bundle_text(&m.b);
		add_text(&m, xstrdup("bundle.json"), text, strlen(text));
		ok = sort_items(&m);
	}
	if (ok && !force && access(path, F_OK) == 0)
		ok = there(&m, path);
	for (size_t i = 0; ok && i < n; i++)
		ok = bundle_fetch(ctx, &wants[i].release, m.items, m.n, err);
	ok = ok && write_bundle(&m, path, force, out);
	for (size_t i = 0; i < m.n; i++)
		item_clear(&m.items[i]);
	free(m.items);
	bundle_clear(&m.b);
	return ok;
}
