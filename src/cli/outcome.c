#include "cli/outcome.h"

#include <stdio.h>
#include <string.h>

#include "cli/print.h"
#include "cli/table.h"
#include "core/plan.h"

static void print_plan(const struct app *app, const struct release *r, const struct plan *p)
{
	static const char *const from[] = {
		[PLAN_STORE] = "store", [PLAN_CACHE] = "cache", [PLAN_FETCH] = "fetch"};
	if (app->json) {
		json_t *items = json_array();
		for (size_t i = 0; i < p->n; i++) {
			const struct component *c = p->items[i].c;
			json_array_append_new(
				items, json_pack("{s:s, s:s, s:s, s:s, s:I, s:s}", "name", c->name,
						 "version", c->version, "file", c->file, "sha256",
						 c->sha256, "size", (json_int_t)c->size, "from",
						 from[p->items[i].from]));
		}
		json_t *o =
			json_pack("{s:s, s:s, s:s, s:o, s:I, s:I}", "version", r->label, "source",
				  r->source, "arch", r->arch, "components", items, "fetch",
				  (json_int_t)p->fetch, "unpacked", (json_int_t)p->unpacked);
		print_json_line(stdout, o);
		return;
	}
	/* "9.3.0-cuda12": one of a product beside the toolkit. */
	bool product = strstr(r->label, "-cuda") != NULL;
	char size[PRINT_TEXT], disk[PRINT_TEXT];
	bool told = true;
	autotable struct table t = TABLE_INIT(4);
	t.right = 1u << 2;
	table_row(&t, (const char *const[]){"COMPONENT", "VERSION", "SIZE", "FROM"});
	for (size_t i = 0; i < p->n; i++) {
		const struct component *c = p->items[i].c;
		told &= c->size || p->items[i].from != PLAN_FETCH;
		table_row(&t, (const char *const[]){c->name, c->version,
						    c->size ? print_size(c->size, size) : "?",
						    from[p->items[i].from]});
	}
	table_print(&t, stdout);
	printf("%s %s from %s: ", product ? r->components[0].name : "CUDA", r->label, r->source);
	if (told)
		printf("%s to fetch, about %s on disk\n", print_size(p->fetch, size),
		       print_size(p->unpacked, disk));
	else
		puts("how much there is to fetch only the server tells");
}

void outcome_plan(const struct app *app, const struct release *r)
{
	struct plan plan;
	plan_make(&plan, &app->layout, config_get(&app->config, CONFIG_CACHE_DIR), r);
	print_plan(app, r, &plan);
	plan_clear(&plan);
}

void outcome_print(const struct app *app, const char *name, const char *prefix,
		   const struct verdict *v)
{
	if (app->json) {
		json_t *o = json_pack("{s:s, s:s, s:s, s:s}", "version", name, "prefix", prefix,
				      "verdict", v->word, "detail", v->detail);
		print_json_line(stdout, o);
	} else {
		puts(prefix);
	}
}

bool outcome_judge(const char *name, const struct verdict *v, struct err *err)
{
	if (verdict_good(v))
		return true;
	bool ran = !strcmp(v->level, "run") || !strcmp(v->level, "bandwidth");
	err_set(err, ERR_HOST, "%s is installed, but it cannot %s on this machine: %s: %s", name,
		ran ? "run" : "compile", v->word, v->detail);
	return err_hint(err, "%s", v->hint[0] ? v->hint : "run 'cudaenv verify' for the details");
}
