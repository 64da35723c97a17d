#include "core/prune.h"

#include <errno.h>
#include <stdlib.h>

#include "base/attr.h"
#include "base/path.h"
#include "base/scan.h"
#include "base/tree.h"
#include "core/cache.h"
#include "core/component_files.h"
#include "core/store.h"

/* Owns path and name from here on. */
static void add(struct prune *p, enum prune_kind kind, char *path, char *name, uint64_t bytes)
{
	p->items = array_grow(p->items, p->n, sizeof *p->items);
	p->items[p->n++] = (struct prune_item){kind, path, name, bytes};
}

/* Bytes that have no further link outside of the tree. */
static bool own_bytes(const char *path, uint64_t *out, struct err *err)
{
	struct tree_use use;
	if (!tree_usage(path, &use, err))
		return false;
	*out = use.bytes - use.shared;
	return true;
}

static bool add_name(void *ctx, const char *name, unsigned char type)
{
	(void)type;
	strlist_add(ctx, name);
	return true;
}

static bool find_staging(const struct layout *l, struct prune *p, struct err *err)
{
	autofree char *dir = xasprintf("%s/staging", l->root);
	autostrlist struct strlist names = {0};
	uint64_t bytes;
	if (!scan_folder(dir, add_name, &names) && errno != ENOENT)
		return err_sys(err, ERR_FILESYSTEM, "cannot read '%s'", dir);
	for (size_t i = 0; i < names.n; i++) {
		autofree char *path = xasprintf("%s/%s", dir, names.items[i]);
		if (!own_bytes(path, &bytes, err))
			return false;
		add(p, PRUNE_STAGING, take_ptr(path), xstrdup(names.items[i]), bytes);
	}
	return true;
}

static bool find_store(const struct layout *l, struct prune *p, struct err *err)
{
	autostrlist struct strlist unused = {0};
	uint64_t bytes;
	if (!store_unused(l, &unused, err))
		return false;
	for (size_t i = 0; i < unused.n; i++) {
		const char *id = unused.items[i];
		autofree char *path = xasprintf("%s/store/%s", l->root, id);
		if (!own_bytes(path, &bytes, err))
			return false;
		char *words = component_words(l, id);
		add(p, PRUNE_STORE, take_ptr(path), words ? words : xstrdup(id), bytes);
	}
	return true;
}

static bool find_parts(const char *cache_dir, struct prune *p, struct err *err)
{
	struct cache_list list;
	if (!cache_read(cache_dir, &list, err))
		return false;
	for (size_t i = 0; i < list.n; i++) {
		const struct cache_entry *e = &list.entries[i];
		autofree char *path = cache_path(cache_dir, e->sha256, e->file);
		if (e->part)
			add(p, PRUNE_PART, xasprintf("%s.part", path), xstrdup(e->file), e->size);
	}
	cache_list_clear(&list);
	return true;
}

bool prune_find(const struct layout *l, const char *cache_dir, struct prune *out, struct err *err)
{
	struct prune p = {0};
	if (find_staging(l, &p, err) && find_store(l, &p, err) && find_parts(cache_dir, &p, err)) {
		*out = p;
		return true;
	}
	prune_clear(&p);
	return false;
}

static bool remove_item(const struct layout *l, const struct prune_item *it, uint64_t *freed,
			struct err *err)
{
	if (it->kind == PRUNE_STORE)
		return store_remove(l, path_base(it->path), freed, err);
	if (!tree_remove(it->path, err))
		return false;
	*freed += it->bytes;
	return true;
}

bool prune_run(const struct layout *l, const struct prune *p, uint64_t *freed, struct err *err)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < p->n; i++)
		if (!remove_item(l, &p->items[i], &sum, err))
			return false;
	*freed = sum;
	return true;
}

void prune_clear(struct prune *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->items[i].path);
		free(p->items[i].name);
	}
	free(p->items);
	*p = (struct prune){0};
}
