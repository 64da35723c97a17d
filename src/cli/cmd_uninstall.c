#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "cli/cmd.h"
#include "cli/print.h"
#include "core/refresh.h"
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

static bool run(struct app *app, const struct args *a, struct err *err)
{
	autofree char *current = xasprintf("%s/current", app->layout.root);
	uint64_t total = 0, freed;
	char size[PRINT_TEXT];

	for (int i = 0; i < a->n; i++) {
		const char *name = a->pos[i];
		autofree char *prefix = xasprintf("%s/versions/%s", app->layout.root, name);
		bool global = path_safe_component(name) && points_into(current, prefix);
		bool system = path_safe_component(name) && points_into("/usr/local/cuda", prefix);
		if ((global || system) && !opt_flag(a, "force")) {
			err_set(err, ERR_USAGE, "'%s' is %s", name,
				global ? "the global version" : "what /usr/local/cuda points to");
			return err_hint(err, "choose another one first, or give -f");
		}
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
