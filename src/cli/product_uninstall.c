/* cudnn|product uninstall. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/lock.h"
#include "cli/applock.h"
#include "cli/print.h"
#include "cli/product.h"
#include "core/pin.h"
#include "core/product_install.h"
#include "core/product_list.h"

/* One of those that are installed, by its whole name or by a version that only one has. */
static bool find_installed(const struct product_call *c, const char *word, char name[VERSION_TEXT],
			   struct err *err)
{
	autoentries struct product_entries all = {0};
	struct spec spec;
	struct version cuda;
	char list[512] = "";
	int n = 0;
	if (!product_parse_spec(c->p, word, "the command line", &spec, &cuda, err) ||
	    !product_entries_read(&all, &c->app->layout, c->p, err))
		return false;
	for (size_t i = 0; i < all.n; i++) {
		const struct product_entry *e = &all.items[i];
		size_t len = strlen(list);
		if (e->shared || (cuda.n && version_compare(&cuda, &e->numbers.cuda) != 0) ||
		    (spec.kind == SPEC_VERSION ? version_compare(&spec.v, &e->numbers.v) != 0
					       : true))
			continue;
		snprintf(list + len, sizeof list - len, "%s%s", n++ ? ", " : "", e->name);
		snprintf(name, VERSION_TEXT, "%s", e->name);
	}
	if (n == 1)
		return true;
	if (n)
		return err_set(err, ERR_USAGE, "'%s' can be %s", word, list);
	err_set(err, ERR_NOT_INSTALLED, "%s '%s' is not installed", c->p->title, word);
	return err_hint(err, "name it as 'cudaenv %s' shows it",
			strcmp(c->p->name, "cudnn") ? "product list" : "cudnn list");
}

/* Whether cudnn/current leads to it. */
static bool is_global(const struct product_call *c, const char *name)
{
	char text[VERSION_TEXT];
	autofree char *path = xasprintf("%s/%s/current", c->app->layout.root, c->p->name);
	ssize_t n = readlink(path, text, sizeof text - 1);
	return n > 0 && (size_t)n == strlen(name) && !memcmp(text, name, (size_t)n);
}

bool product_run_uninstall(const struct product_call *c, struct err *err)
{
	autolock struct lock lock = LOCK_INIT;
	uint64_t freed = 0, all = 0;
	char name[VERSION_TEXT], size[PRINT_TEXT];
	if (!app_lock(c->app, &lock, err))
		return false;
	for (int i = 0; i < c->n; i++) {
		if (!find_installed(c, c->pos[i], name, err))
			return false;
		if (is_global(c, name) && !opt_flag(c->a, "force")) {
			err_set(err, ERR_USAGE, "%s %s is the global one", c->p->title, name);
			return err_hint(err, "-f removes it all the same");
		}
		if (!product_uninstall(&c->app->layout, c->p, name, &freed, err) ||
		    !pin_refresh(&c->app->layout, err))
			return false;
		all += freed;
	}
	event_note(&c->app->events, "%s came back", print_size(all, size));
	return true;
}
