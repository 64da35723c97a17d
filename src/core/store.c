#include "core/store.h"

#include <string.h>
#include <unistd.h>

#include "core/growing.h"
#include "core/store_entry.h"
#include "ext/digest.h"

bool store_has(const struct layout *l, const char *sha256)
{
	if (!digest_is_sha256(sha256))
		return false;
	autofree char *p = xasprintf("%s/store/%s/component.json", l->root, sha256);
	return access(p, F_OK) == 0;
}

char *store_tree(const struct layout *l, const char *sha256)
{
	return xasprintf("%s/store/%s/tree", l->root, sha256);
}

static void run(void *arg)
{
	struct store_entry *e = arg;
	struct err none = {0};
	if (store_has(e->to->l, e->c->sha256))
		store_entry_end(e, true, &none);
	else
		e->run(e);
}

static void start(const struct store_target *to, const struct component *c, struct store_entry *e,
		  struct pool *pool, uint64_t weight)
{
	e->to = to;
	e->c = c;
	e->treefd = -1;
	pool_add_weighted(pool, run, e, weight);
}

static bool check_digest(const struct component *c, struct err *err)
{
	return digest_is_sha256(c->sha256) ||
	       err_set(err, ERR_INTEGRITY, "no valid sha256 is known for '%s'", c->name);
}

bool store_add(const struct store_target *to, const struct component *c, const char *archive,
	       struct err *err)
{
	return store_add_part(to, c, archive, 0, 0, err);
}

bool store_add_part(const struct store_target *to, const struct component *c, const char *file,
		    uint64_t offset, uint64_t size, struct err *err)
{
	if (!check_digest(c, err))
		return false;
	/* Wheels in front of all inflating, so that the largest files of all wheels come first. */
	if (c->kind == ARCHIVE_WHEEL)
		start(to, c, store_wheel_new(file, offset, size), to->pool, UINT64_MAX);
	else if (c->kind == ARCHIVE_FOLDER)
		start(to, c, store_folder_new(file), to->pool, c->size);
	else
		start(to, c, store_tar_new(growing_part(file, offset, size), true), to->pool,
		      c->size);
	return true;
}

bool store_add_growing(const struct store_target *to, const struct component *c, struct growing *g,
		       struct pool *readers, struct err *err)
{
	if (!check_digest(c, err))
		return false;
	start(to, c, store_tar_new(g, false), readers, c->size);
	return true;
}
