/* prune: gives back the space of what no version needs. */
#include "cli/cmd.h"
#include "cli/print.h"
#include "cli/table.h"
#include "core/prune.h"

static const struct opt options[] = {
	{'n', "dry-run", NULL, "print what would be removed, change nothing"},
	{0},
};

static const char *const kinds[] = {
	[PRUNE_STAGING] = "left over", [PRUNE_STORE] = "unused", [PRUNE_PART] = "part"};

static void print_items(const struct app *app, const struct prune *p)
{
	char size[PRINT_TEXT];
	autotable struct table t = TABLE_INIT(3);
	json_t *all = json_array();
	t.right = 1;
	for (size_t i = 0; i < p->n; i++) {
		const struct prune_item *it = &p->items[i];
		table_row(&t, (const char *const[]){print_size(it->bytes, size), kinds[it->kind],
						    it->name});
		json_array_append_new(all, json_pack("{ss so so sI}", "kind", kinds[it->kind],
						     "name", print_json_text(it->name), "path",
						     print_json_text(it->path), "bytes",
						     (json_int_t)it->bytes));
	}
	if (app->json)
		print_json(stdout, json_incref(all));
	else
		table_print(&t, stdout);
	json_decref(all);
}

static bool run(struct app *app, const struct args *a, struct err *err)
{
	struct prune p;
	char size[PRINT_TEXT];
	uint64_t bytes = 0;
	bool dry = opt_flag(a, "dry-run");
	if (!prune_find(&app->layout, config_get(&app->config, CONFIG_CACHE_DIR), &p, err))
		return false;
	for (size_t i = 0; i < p.n; i++)
		bytes += p.items[i].bytes;
	if (dry)
		print_items(app, &p);
	bool ok = dry || prune_run(&app->layout, &p, &bytes, err);
	prune_clear(&p);
	if (!ok)
		return false;
	if (app->json && !dry)
		print_json(stdout, json_pack("{sI}", "freed", (json_int_t)bytes));
	else
		event_note(&app->events, dry ? "%s would come back" : "%s came back",
			   print_size(bytes, size));
	return true;
}

const struct command cmd_prune = {
	.name = "prune",
	.args = "",
	.summary = "remove what no version needs",
	.about = "Components that no installed version uses, what an install that was killed left "
		 "behind, and "
		 "downloads that are not whole. Whole archives stay: 'cudaenv cache clear' removes "
		 "those.",
	.options = options,
	.needs = NEED_LOCK | NEED_ROOT,
	.run = run,
};
