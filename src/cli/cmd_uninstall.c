#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "cli/cmd.h"
#include "cli/print.h"
#include "core/refresh.h"
#include "core/syslink.h"
#include "core/uninstall.h"

static const struct opt options[] = {
	{'f', "force", NULL, "also when it is the global version or that of /usr/local/cuda"},
	{0},
};

static bool points_into(const char *link, const char *prefix)
{
	char target[PATH_MAX], real[PATH_MAX];
	return realpath(link, target) && realpath(prefix, real) && !strcmp(target, real);
}

/* Not what everybody uses, unless the user insists. */
static bool check_unused(const struct app *app, const char *name, struct err *err)
{
	autofree char *current = xasprintf("%s/current", app->layout.root);
	autofree char *prefix = xasprintf("%s/versions/%s", app->layout.root, name);
	if (points_into(current, prefix)) {
		err_set(err, ERR_USAGE, "'%s' is the global version", name);
		return err_hint(err, "choose another one with 'cudaenv global', or give -f");
	}
	autofree char *link = syslink_user(&app->layout, prefix);
	if (!link)
		return true;
	err_set(err, ERR_USAGE, "'%s' is what '%s' leads to", name, link);
	return err_hint(err, "lead it elsewhere with 'cudaenv system-link', or give -f");
}

static bool run(struct app *app, const struct args *a, struct err *err)
{
	uint64_t total = 0, freed;
	char size[PRINT_TEXT];

	for (int i = 0; i < a->n; i++) {
		const char *name = a->pos[i];
		if (!opt_flag(a, "force") && path_safe_component(name) &&
		    !check_unused(app, name, err))
			return false;
		if (!uninstall_version(&app->layout, name, &freed, err))
			return false;
		total += freed;
	}
	if (!refresh_root(&app->layout, &app->events, err))
		return false;
	event_note(&app->events, "%s came back", print_size(total, size));
	return true;
}

const struct command cmd_uninstall = {
	.name = "uninstall",
	.args = "VERSION...",
	.summary = "remove installed versions",
	.about = "Takes exact names as `versions --bare` prints them. Files that another version "
		 "uses "
		 "stay in the store.",
	.options = options,
	.min_args = 1,
	.max_args = -1,
	.needs = NEED_LOCK | NEED_ROOT,
	.run = run,
};
