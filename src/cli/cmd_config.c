/* config: what is set, where it came from, and changing the user's file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/nearest.h"
#include "base/tree.h"
#include "cli/cmd.h"
#include "cli/print.h"
#include "cli/table.h"
#include "core/config_file.h"
#include "ext/fetch.h"

/* Lists are pasted into bug reports: no password of a URL. 'get' prints what is set. */
static char *masked(const char *words)
{
	autobuf struct buf out = BUF_INIT(CONFIG_FILE_MAX);
	for (const char *p = words; *p;) {
		size_t n = strcspn(p, " ");
		autofree char *word = xstrndup(p, n);
		autofree char *safe = fetch_mask(word);
		buf_adds(&out, safe);
		p += n;
		for (; *p == ' '; p++)
			buf_addc(&out, ' ');
	}
	return buf_take(&out);
}

static bool list(struct app *app, const struct args *args, struct err *err)
{
	json_t *all = json_array();
	autotable struct table t = TABLE_INIT(3);
	for (int i = 0; i < CONFIG_KEYS; i++) {
		const struct config_info *info = config_info((enum config_key)i);
		const struct config_value *v = &app->config.v[i];
		autofree char *value = masked(v->value);
		json_array_append_new(all, json_pack("{ss so so ss ss}", "key", info->name, "value",
						     print_json_text(value), "origin",
						     print_json_text(v->origin), "type", info->type,
						     "summary", info->summary));
		table_row(&t, (const char *const[]){info->name, value[0] ? value : "-", v->origin});
	}
	if (app->json)
		print_json(stdout, json_incref(all));
	else
		table_print(&t, stdout);
	json_decref(all);
	return true;
}

static bool get(struct app *app, const struct args *args, struct err *err)
{
	enum config_key k;
	if (!config_key_parse(args->pos[1], &k, err))
		return false;
	const struct config_value *v = &app->config.v[k];
	if (app->json)
		print_json(stdout, json_pack("{ss so so}", "key", args->pos[1], "value",
					     print_json_text(v->value), "origin",
					     print_json_text(v->origin)));
	else
		puts(v->value);
	return true;
}

static bool write_key(struct app *app, const char *name, const char *value, struct err *err)
{
	enum config_key k;
	if (!config_key_parse(name, &k, err) || !tree_mkdirs(app->layout.root, err) ||
	    !config_write(&app->layout, k, value, err))
		return false;
	const char *env = config_info(k)->env, *now = env ? getenv(env) : NULL;
	if (now && *now)
		event_warn(&app->events, NULL, "%s is set and wins over the file", env);
	return true;
}

static bool set(struct app *app, const struct args *args, struct err *err)
{
	return write_key(app, args->pos[1], args->pos[2], err);
}

static bool unset(struct app *app, const struct args *args, struct err *err)
{
	return write_key(app, args->pos[1], NULL, err);
}

static const struct {
	const char *name, *usage;
	int operands; /* the word itself too */
	bool reads;   /* needs all settings to be right; set and unset mend them */
	bool (*run)(struct app *app, const struct args *args, struct err *err);
} actions[] = {
	{"list", "list", 1, true, list},
	{"get", "get KEY", 2, true, get},
	{"set", "set KEY VALUE", 3, false, set},
	{"unset", "unset KEY", 2, false, unset},
};

static bool unknown_action(const char *word, struct err *err)
{
	const char *names[ARRAY_LEN(actions) + 1] = {0};
	for (size_t i = 0; i < ARRAY_LEN(actions); i++)
		names[i] = actions[i].name;
	const char *near = nearest(word, names);
	err_set(err, ERR_USAGE, "'config' does not know '%s'", word);
	return near ? err_hint(err, "did you mean 'cudaenv config %s'?", near)
		    : err_hint(err, "usage: cudaenv config list|get|set|unset");
}

static bool run_config(struct app *app, const struct args *args, struct err *err)
{
	const char *word = args->n ? args->pos[0] : "list";
	for (size_t i = 0; i < ARRAY_LEN(actions); i++) {
		if (strcmp(actions[i].name, word) != 0)
			continue;
		if (args->n && args->n != actions[i].operands) {
			err_set(err, ERR_USAGE, "wrong number of operands for 'config %s'", word);
			return err_hint(err, "usage: cudaenv config %s", actions[i].usage);
		}
		return layout_init(&app->layout, err) &&
		       (!actions[i].reads || config_load(&app->config, &app->layout, err)) &&
		       actions[i].run(app, args, err);
	}
	return unknown_action(word, err);
}

const struct command cmd_config = {
	.name = "config",
	.args = "[list | get KEY | set KEY VALUE | unset KEY]",
	.summary = "show or change settings",
	.about = "Without operands all settings are shown with where each value came from: an "
		 "environment variable, config.ini below the root, /etc/cudaenv/config.ini, or "
		 "built "
		 "in. 'set' and 'unset' change config.ini below the root and leave its other lines "
		 "as they are.",
	.max_args = 3,
	.needs = NEED_NOTHING,
	.run = run_config,
};
