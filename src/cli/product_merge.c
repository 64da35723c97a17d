/* cudnn|product merge. */
#include <stdlib.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/path.h"
#include "base/product.h"
#include "cli/applock.h"
#include "cli/outcome.h"
#include "cli/product.h"
#include "core/install.h"
#include "core/record.h"
#include "core/refresh.h"
#include "core/store.h"

/* Toolkit and product as one release, all of it in the store. */
static bool join(const struct app *app, const struct record *toolkit, const struct record *product,
		 struct release *out, struct err *err)
{
	const struct component *c = &product->release.components[0];
	*out = toolkit->release;
	out->components = xcalloc(toolkit->release.n + 1, sizeof *out->components);
	for (size_t i = 0; i < toolkit->release.n; i++)
		out->components[i] = toolkit->release.components[i];
	out->components[out->n++] = *c;
	for (size_t i = 0; i < out->n; i++)
		if (!store_has(&app->layout, out->components[i].sha256)) {
			free(take_ptr(out->components));
			err_set(err, ERR_NOT_INSTALLED, "the store of '%s' lacks '%s'",
				app->layout.root, toolkit->release.components[i].name);
			return err_hint(err, "install it anew with --force");
		}
	return true;
}

static bool merge(const struct product_call *c, const struct record *toolkit,
		  const struct record *product, const char *name, struct err *err)
{
	struct app *app = c->app;
	struct install_opts o = {.name = name, .profile = "custom"};
	struct release r;
	struct verdict v;
	if (!probe_level_parse(config_get(&app->config, CONFIG_VERIFY), &o.level))
		return err_set(err, ERR_USAGE, "there is no such level of verification");
	if (!join(app, toolkit, product, &r, err))
		return false;
	bool ok = install_release(&app->layout, &app->config, &r, &o, &app->events, &v, err) &&
		  refresh_root(&app->layout, &app->events, err);
	free(r.components);
	if (!ok)
		return false;
	autofree char *prefix = xasprintf("%s/versions/%s", app->layout.root, name);
	outcome_print(app, name, prefix, &v);
	return outcome_judge(name, &v, err);
}

bool product_run_merge(const struct product_call *c, struct err *err)
{
	struct app *app = c->app;
	const char *as = opt_value(c->a, "as");
	autolock struct lock lock = LOCK_INIT;
	struct product_selection product;
	struct record toolkit, record;
	struct selection s;
	struct version cuda;
	if (!as || !path_safe_component(as)) {
		err_set(err, ERR_USAGE, "'merge' makes a new version: its name is missing");
		return err_hint(err, "--as NAME, such as --as %s-%s%s", c->pos[1], c->p->name,
				c->pos[0]);
	}
	autofree char *final = xasprintf("%s/versions/%s", app->layout.root, as);
	if (!app_lock(app, &lock, err) || !resolve_select(&app->layout, c->pos[1], &s, err) ||
	    !product_toolkit_cuda(app, c->pos[1], &cuda, err) ||
	    !product_find(&app->layout, c->p->name, c->pos[0], "the command line", &cuda, &product,
			  err))
		return false;
	if (access(final, F_OK) == 0) {
		err_set(err, ERR_USAGE, "there is a version '%s' already, which is not changed",
			as);
		return err_hint(err, "take another name, or uninstall it first");
	}
	if (!record_read(s.prefix, &toolkit, err)) {
		err_set(err, ERR_USAGE,
			"'%s' was not installed by cudaenv, so nothing can be merged "
			"with it",
			s.name);
		return err_hint(err, "with 'cudaenv exec' both are found side by side");
	}
	bool ok = record_read(product.prefix, &record, err);
	if (ok) {
		ok = merge(c, &toolkit, &record, as, err);
		record_clear(&record);
	}
	record_clear(&toolkit);
	return ok;
}
