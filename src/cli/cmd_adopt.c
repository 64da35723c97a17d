/* adopt: toolkits that are here already, each under a name. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "cli/applock.h"
#include "cli/cmd.h"
#include "cli/print.h"
#include "cli/table.h"
#include "core/adopt.h"
#include "core/refresh.h"

enum { LACKS_MAX = 4096 };

static const struct opt options[] = {
	{'n', "dry-run", NULL, "tell what would be linked, change nothing"},
	{0},
};

static json_t *tree_json(const struct adopt_tree *t)
{
	json_t *lacks = json_array();
	for (size_t i = 0; i < t->lacks.n; i++)
		json_array_append_new(lacks, print_json_text(t->lacks.items[i]));
	return json_pack("{ss ss so so so so sb}", "name", t->name, "kind",
			 adopt_kind_word(t->kind), "path", print_json_text(t->path), "release",
			 print_json_text(t->id.by ? t->id.release : NULL), "told_by",
			 print_json_text(t->id.by), "lacks", lacks, "known", t->known);
}

static void add_row(struct table *table, const struct adopt_tree *t)
{
	autobuf struct buf lacks = BUF_INIT(LACKS_MAX);
	autofree char *cuda = t->id.by ? xasprintf("CUDA %s (%s)", t->id.release, t->id.by)
				       : xstrdup("says no release");
	for (size_t i = 0; i < t->lacks.n; i++)
		buf_addf(&lacks, "%s%s", i ? ", " : "lacks ", t->lacks.items[i]);
	table_row(table, (const char *const[]){t->name, cuda, t->path, t->known ? "known" : "",
					       buf_str(&lacks)});
}

static void print_trees(const struct app *app, const struct adopt *a)
{
	autotable struct table table = TABLE_INIT(5);
	json_t *list = json_array();
	for (size_t i = 0; i < a->n; i++) {
		json_array_append_new(list, tree_json(&a->items[i]));
		add_row(&table, &a->items[i]);
	}
	if (app->json)
		print_json(stdout, json_incref(list));
	else
		table_print(&table, stdout);
	json_decref(list);
}

static bool run(struct app *app, const struct args *args, struct err *err)
{
	autoadopt struct adopt a = {0};
	autolock struct lock lock = LOCK_INIT;
	bool dry = opt_flag(args, "dry-run");
	size_t fresh = 0;
	if ((!dry && !app_lock(app, &lock, err)) ||
	    !adopt_find(&app->layout, "", args->pos, &a, err))
		return false;
	for (size_t i = 0; i < a.n; i++) {
		fresh += !a.items[i].known;
		if (!dry && !adopt_link(&app->layout, "", &a.items[i], err))
			return false;
	}
	if (!dry && a.n && !refresh_root(&app->layout, &app->events, err))
		return false;
	print_trees(app, &a);
	if (!a.n)
		event_note(&app->events, "no other toolkit was found");
	else if (fresh && !dry)
		event_note(&app->events, "use one with 'cudaenv local %s'", a.items[0].name);
	return true;
}

const struct command cmd_adopt = {
	.name = "adopt",
	.args = "[PATH...]",
	.summary = "find the toolkits that are here already and link each under a name",
	.about = "They are used as they are: never changed, never deleted. Without PATH it looks "
		 "where "
		 "toolkits usually are and where the environment leads.",
	.options = options,
	.max_args = -1,
	.run = run,
};
