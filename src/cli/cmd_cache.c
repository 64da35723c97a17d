/* cache: where downloaded archives are, which, and how to be rid of them. */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/applock.h"
#include "cli/cmd.h"
#include "cli/print.h"
#include "cli/table.h"
#include "core/cache.h"

static bool dir(struct app *app, const char *folder, struct err *err)
{
	if (app->json)
		print_json(stdout, json_pack("{so}", "dir", print_json_text(folder)));
	else
		puts(folder);
	return true;
}

static bool list(struct app *app, const char *folder, struct err *err)
{
	struct cache_list l;
	autotable struct table t = TABLE_INIT(3);
	if (!cache_read(folder, &l, err))
		return false;
	json_t *all = json_array();
	t.right = 1;
	for (size_t i = 0; i < l.n; i++) {
		const struct cache_entry *e = &l.entries[i];
		char size[PRINT_TEXT];
		json_array_append_new(
			all, json_pack("{so ss sI sb}", "file", print_json_text(e->file), "sha256",
				       e->sha256, "size", (json_int_t)e->size, "whole", !e->part));
		table_row(&t, (const char *const[]){print_size(e->size, size),
						    e->part ? "part" : "whole", e->file});
	}
	cache_list_clear(&l);
	if (app->json)
		print_json(stdout, json_incref(all));
	else
		table_print(&t, stdout);
	json_decref(all);
	return true;
}

/* Under the lock: an install of this root must not lose what it just fetched. */
static bool clear(struct app *app, const char *folder, struct err *err)
{
	autolock struct lock lock = LOCK_INIT;
	char size[PRINT_TEXT];
	uint64_t freed;
	if (!app_lock(app, &lock, err) || !cache_clear(folder, &freed, err))
		return false;
	if (app->json)
		print_json(stdout, json_pack("{sI}", "freed", (json_int_t)freed));
	else
		event_note(&app->events, "%s came back", print_size(freed, size));
	return true;
}

static const struct {
	const char *name;
	bool (*run)(struct app *app, const char *folder, struct err *err);
} actions[] = {{"dir", dir}, {"list", list}, {"clear", clear}};

static bool run(struct app *app, const struct args *args, struct err *err)
{
	const char *names[ARRAY_LEN(actions) + 1] = {0};
	for (size_t i = 0; i < ARRAY_LEN(actions); i++) {
		names[i] = actions[i].name;
		if (!strcmp(args->pos[0], names[i]))
			return actions[i].run(app, config_get(&app->config, CONFIG_CACHE_DIR), err);
	}
	const char *near = nearest(args->pos[0], names);
	err_set(err, ERR_USAGE, "'cache' does not know '%s'", args->pos[0]);
	return near ? err_hint(err, "did you mean 'cudaenv cache %s'?", near)
		    : err_hint(err, "usage: cudaenv cache dir|list|clear");
}

const struct command cmd_cache = {
	.name = "cache",
	.args = "dir | list | clear",
	.summary = "the downloaded archives: where, which, remove them",
	.about =
		"'list' shows what is whole and what is only a part; a part is continued by the "
		"next "
		"install. 'clear' removes both and nothing else in that folder. Installed versions "
		"do not need the archives.",
	.min_args = 1,
	.max_args = 1,
	.run = run,
};
