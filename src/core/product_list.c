#include "core/product_list.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/record.h"

static bool has(const struct product_entries *e, const struct product *p, const char *name)
{
	for (size_t i = 0; i < e->n; i++)
		if (e->items[i].product == p && !strcmp(e->items[i].name, name))
			return true;
	return false;
}

static void add(struct product_entries *e, const struct product *p, const char *folder,
		const char *name, bool shared)
{
	struct product_entry new = {.product = p, .shared = shared, .source = "unknown"};
	struct record r;
	struct err ignored;
	if (!product_name_parse(name, &new.numbers) || has(e, p, name))
		return;
	new.name = xstrdup(name);
	new.prefix = xasprintf("%s/%s", folder, name);
	if (record_read(new.prefix, &r, &ignored)) {
		new.source = r.release.source;
		new.version = xstrdup(r.release.n ? r.release.components[0].version : "");
		record_clear(&r);
	} else {
		new.version = xstrdup("");
	}
	e->items = array_grow(e->items, e->n, sizeof new);
	e->items[e->n++] = new;
}

static bool read_folder(struct product_entries *e, const struct product *p, const char *folder,
			bool shared, struct err *err)
{
	autodir DIR *d = opendir(folder);
	if (!d && errno != ENOENT && !shared)
		return err_sys(err, ERR_FILESYSTEM, "cannot open folder '%s'", folder);
	for (struct dirent *f; d && (f = readdir(d));)
		add(e, p, folder, f->d_name, shared);
	return true;
}

static int in_order(const void *a, const void *b)
{
	const struct product_entry *x = a, *y = b;
	if (x->product != y->product)
		return x->product < y->product ? -1 : 1;
	int c = version_compare(&y->numbers.v, &x->numbers.v);
	return c ? c : version_compare(&y->numbers.cuda, &x->numbers.cuda);
}

bool product_entries_read(struct product_entries *e, const struct layout *l,
			  const struct product *p, struct err *err)
{
	struct product_entries all = {0};
	char folder[PATH_MAX];
	for (const struct product *k = products; k->name; k++)
		for (int i = 0;
		     (!p || p == k) && layout_root_path(l, i, k->name, "", folder, sizeof folder);
		     i++) {
			folder[strlen(folder) - 1] = '\0';
			if (!read_folder(&all, k, folder, i > 0, err)) {
				product_entries_clear(&all);
				return false;
			}
		}
	if (all.n)
		qsort(all.items, all.n, sizeof *all.items, in_order);
	*e = all;
	return true;
}

void product_entries_clear(struct product_entries *e)
{
	for (size_t i = 0; i < e->n; i++) {
		free(e->items[i].name);
		free(e->items[i].prefix);
		free(e->items[i].version);
	}
	free(e->items);
	*e = (struct product_entries){0};
}
