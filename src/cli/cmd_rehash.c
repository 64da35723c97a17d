/* rehash, shims: the launchers in shims/. */
#include <stdio.h>

#include "cli/cmd.h"
#include "cli/init.h"
#include "cli/print.h"
#include "core/refresh.h"
#include "core/shimdir.h"

static bool run_rehash(struct app *app, const struct args *args, struct err *err)
{
	return refresh_root(&app->layout, &app->events, err) && init_refresh(&app->layout, err);
}

const struct command cmd_rehash = {
	.name = "rehash",
	.args = "",
	.summary = "make the shims agree with what is installed",
	.about = "Install, uninstall and link do this by themselves; needed after changing a "
		 "toolkit by hand, after moving or restoring the root (.pc files name their "
		 "prefix), "
		 "and after an upgrade of cudaenv, for the hooks that 'init --install' wrote.",
	.needs = NEED_ROOT | NEED_LOCK,
	.run = run_rehash,
};

static bool run_shims(struct app *app, const struct args *args, struct err *err)
{
	autostrlist struct strlist names = {0};
	if (!shimdir_list(&app->layout, &names, err))
		return false;
	json_t *list = json_array();
	for (size_t i = 0; i < names.n; i++) {
		autofree char *path =
			opt_flag(args, "short")
				? xstrdup(names.items[i])
				: xasprintf("%s/shims/%s", app->layout.root, names.items[i]);
		if (app->json)
			json_array_append_new(list, print_json_text(path));
		else
			puts(path);
	}
	if (app->json)
		print_json(stdout, json_incref(list));
	json_decref(list);
	return true;
}

static const struct opt shims_options[] = {
	{'s', "short", NULL, "names without the folder"},
	{0},
};

const struct command cmd_shims = {
	.name = "shims",
	.args = "",
	.summary = "list the shims",
	.options = shims_options,
	.run = run_shims,
};
