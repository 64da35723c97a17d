#include "core/plan.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/attr.h"
#include "core/cache.h"
#include "core/store.h"

/* Files of a toolkit compress to between a third and a half; used only where no size is told. */
enum { UNPACK_RATIO = 3 };

static uint64_t file_size(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
}

static void look(struct plan_item *it, const struct layout *l, const char *cache_dir)
{
	const struct component *c = it->c;
	if (store_has(l, c->sha256)) {
		it->from = PLAN_STORE;
		return;
	}
	autofree char *path = cache_path(cache_dir, component_archive(c), c->file);
	autofree char *part = xasprintf("%s.part", path);
	struct stat st;
	if (stat(path, &st) == 0 && (!c->size || (uint64_t)st.st_size == c->size)) {
		it->from = PLAN_CACHE;
		return;
	}
	it->from = PLAN_FETCH;
	it->have = file_size(part);
	if (it->have > c->size)
		it->have = 0;
}

static int largest_first(const void *a, const void *b)
{
	const struct plan_item *x = a, *y = b;
	return x->c->size < y->c->size ? 1 : x->c->size > y->c->size ? -1 : 0;
}

void plan_make(struct plan *p, const struct layout *l, const char *cache_dir,
	       const struct release *r)
{
	*p = (struct plan){.items = xcalloc(r->n, sizeof *p->items), .n = r->n};
	for (size_t i = 0; i < r->n; i++) {
		struct plan_item *it = &p->items[i];
		it->c = &r->components[i];
		look(it, l, cache_dir);
		if (it->from == PLAN_FETCH)
			p->fetch += it->c->size - it->have;
		if (it->from != PLAN_STORE)
			p->unpacked +=
				it->c->unpacked ? it->c->unpacked : it->c->size * UNPACK_RATIO;
	}
	qsort(p->items, p->n, sizeof *p->items, largest_first);
}

void plan_clear(struct plan *p)
{
	free(p->items);
	*p = (struct plan){0};
}
