/* versions: what is installed, which one is selected, and what is known of each. */
#include <stdio.h>
#include <string.h>

#include "base/resolve.h"
#include "base/tool.h"
#include "base/tree.h"
#include "cli/cmd.h"
#include "cli/print.h"
#include "cli/select.h"
#include "cli/table.h"
#include "core/record.h"
#include "core/stale.h"
#include "core/toolkits.h"

/* One line of the list. */
struct entry {
	const struct toolkit *t; /* NULL: `system` */
	const char *name;
	bool selected;
	char verdict[32];
	char stale[192]; /* why the verdict does not speak of this machine; "" it does */
	char date[32], gpu[128], driver[32]; /* of the verdict; "" none */
	char release[VERSION_TEXT];	     /* of a linked tree; "" not told */
	char nvcc[PATH_MAX];		     /* of `system`; "" none */
	uint64_t bytes;			     /* 0: not ours to count */
};

static void fill_verdict(struct entry *e, const struct toolkit *t, const struct stale_now *now)
{
	autoverdict struct verdict v = {0};
	snprintf(e->verdict, sizeof e->verdict, "%s",
		 t->dangling		       ? "dangling"
		 : verdict_read(t->prefix, &v) ? v.word
		 : t->target		       ? "linked"
					       : "unverified");
	memcpy(e->date, v.date, sizeof e->date);
	memcpy(e->gpu, v.on.gpu, sizeof e->gpu);
	memcpy(e->driver, v.on.driver, sizeof e->driver);
	if (!stale_is(now, &v, e->stale, sizeof e->stale))
		e->stale[0] = '\0';
}

static void fill_toolkit(struct entry *e, const struct toolkit *t, const struct stale_now *now)
{
	struct tree_use use = {0};
	struct err ignored;
	e->t = t;
	e->name = t->name;
	fill_verdict(e, t, now);
	if (!t->target && tree_usage(t->prefix, &use, &ignored))
		e->bytes = use.bytes;
	if (t->target && !t->dangling && !toolkit_release(t->prefix, e->release))
		e->release[0] = '\0';
}

/* Where a linked tree or the system's nvcc is, what selects the version, and why its verdict is old. */
static char *note(const struct entry *e, const struct selection *s)
{
	char why[PATH_MAX + VERSION_TEXT + 32] = "";
	autofree char *where = NULL;
	if (e->selected)
		select_why(s, why, sizeof why);
	if (e->t && e->t->target)
		where = xasprintf("-> %s%s%s%s", e->t->target, e->release[0] ? " (CUDA " : "",
				  e->release, e->release[0] ? ")" : "");
	else
		where = xstrdup(e->nvcc);
	return xasprintf("%s%s%s%s%s", where, where[0] && why[0] ? ", " : "", why,
			 (where[0] || why[0]) && e->stale[0] ? "; " : "", e->stale);
}

static void print_row(struct table *table, const struct entry *e, const struct selection *s)
{
	char size[PRINT_TEXT] = "";
	autofree char *name = xasprintf("%c %s", e->selected ? '*' : ' ', e->name);
	autofree char *more = note(e, s);
	autofree char *verdict = xasprintf("%s%s", e->verdict, e->stale[0] ? " (stale)" : "");
	if (e->bytes)
		print_size(e->bytes, size);
	table_row(table, (const char *const[]){name, verdict, size, more});
}

static json_t *known_text(const char *s)
{
	return print_json_text(s[0] ? s : NULL);
}

static json_t *entry_json(const struct entry *e, const struct selection *s)
{
	json_t *o = json_pack("{so sb so so}", "name", print_json_text(e->name), "selected",
			      e->selected, "prefix", print_json_text(e->t ? e->t->prefix : NULL),
			      "verdict", print_json_text(e->verdict[0] ? e->verdict : NULL));
	if (e->selected)
		json_object_set_new(o, "origin",
				    print_json_text(s->origin_path[0]	      ? s->origin_path
						    : s->origin == ORIGIN_ENV ? "CUDAENV_VERSION"
									      : NULL));
	if (e->t) {
		json_object_set_new(o, "stale", known_text(e->stale));
		json_object_set_new(o, "verified", known_text(e->date));
		json_object_set_new(o, "gpu", known_text(e->gpu));
		json_object_set_new(o, "driver", known_text(e->driver));
		json_object_set_new(o, "target", print_json_text(e->t->target));
		json_object_set_new(o, "dangling", json_boolean(e->t->dangling));
		json_object_set_new(o, "shared", json_boolean(e->t->shared));
		json_object_set_new(o, "release",
				    print_json_text(e->release[0] ? e->release
						    : e->t->v.n	  ? e->name
								  : NULL));
		json_object_set_new(o, "bytes",
				    e->t->target ? json_null()
						 : json_integer((json_int_t)e->bytes));
	} else {
		json_object_set_new(o, "nvcc", print_json_text(e->nvcc[0] ? e->nvcc : NULL));
	}
	return o;
}

/* Where output goes: rows of a table or a JSON list. */
struct listing {
	const struct selection *selected; /* NULL: none */
	struct table *table;
	json_t *list;
};

static void list_entry(struct listing *l, struct entry *e)
{
	e->selected = l->selected && strcmp(l->selected->name, e->name) == 0;
	if (l->list)
		json_array_append_new(l->list, entry_json(e, l->selected));
	else
		print_row(l->table, e, l->selected);
}

/* `system` is worth a line where it is selected or has an nvcc. */
static void list_system(struct listing *l, const struct layout *layout)
{
	struct selection none = {.name = "system"};
	struct entry e = {.name = "system"};
	struct err ignored;
	if (!tool_find(layout, &none, "nvcc", NULL, e.nvcc, sizeof e.nvcc, &ignored))
		e.nvcc[0] = '\0';
	if (e.nvcc[0] || (l->selected && !l->selected->prefix[0]))
		list_entry(l, &e);
}

static void list_all(struct app *app, const struct toolkits *all)
{
	autotable struct table table = TABLE_INIT(4);
	struct selection s;
	struct err err;
	struct listing l = {&s, &table, app->json ? json_array() : NULL};
	table.right = 1u << 2;
	if (!resolve_select(&app->layout, NULL, &s, &err)) {
		/* The list is right all the same. */
		event_warn(&app->events, err.hint, "%s", err.msg);
		l.selected = NULL;
	}
	struct stale_now now;
	stale_look(&now, "");
	for (size_t i = 0; i < all->n; i++) {
		struct entry e = {0};
		fill_toolkit(&e, &all->items[i], &now);
		list_entry(&l, &e);
	}
	stale_clear(&now);
	list_system(&l, &app->layout);
	if (l.list)
		print_json(stdout, l.list);
	else
		table_print(&table, stdout);
}

static bool run(struct app *app, const struct args *args, struct err *err)
{
	autotoolkits struct toolkits all = {0};
	if (!toolkits_read(&all, &app->layout, err))
		return false;
	if (!opt_flag(args, "bare") || app->json)
		list_all(app, &all);
	else
		for (size_t i = 0; i < all.n; i++)
			puts(all.items[i].name);
	if (!all.n)
		event_note(&app->events, "nothing is installed yet: cudaenv install latest");
	return true;
}

static const struct opt options[] = {
	{'b', "bare", NULL, "names only"},
	{0},
};

const struct command cmd_versions = {
	.name = "versions",
	.args = "",
	.summary = "list what is installed",
	.about = "'*' marks the version that is selected here; behind it stands what selects it. "
		 "Then come the "
		 "verdict of the last verification (stale: another driver or GPU is here now), the "
		 "size on disk and, for a linked tree, where "
		 "it is.",
	.options = options,
	.run = run,
};
