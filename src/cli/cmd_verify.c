#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/lock.h"
#include "base/resolve.h"
#include "cli/applock.h"
#include "cli/cmd.h"
#include "cli/print.h"
#include "core/probe.h"
#include "core/record.h"
#include "core/refresh.h"
#include "core/toolkits.h"

static const struct opt options[] = {
	{0, "level", "LEVEL", "files or compile (default: the setting `verify`)"},
	{0, "all", NULL, "every installed version"},
	{0},
};

static void print_verdict(struct app *app, const char *name, const struct verdict *v)
{
	if (app->json) {
		print_json_line(stdout,
				json_pack("{s:o, s:s, s:s, s:o, s:o, s:s}", "version",
					  print_json_text(name), "verdict", v->word, "level",
					  v->level, "detail", print_json_text(v->detail), "hint",
					  print_json_text(v->hint), "host_compiler", v->ccbin));
		return;
	}
	printf("%s\t%s%s%s\n", name, v->word, v->detail[0] ? "\t" : "", v->detail);
	fflush(stdout);
	if (v->hint[0])
		event_note(&app->events, "%s: %s", name, v->hint);
}

/* Ours: installed below the own root, so the record may be changed; linked and shared ones may not.
 */
static bool is_ours(const struct app *app, const char *prefix)
{
	struct record r = {0};
	struct err none;
	size_t n = strlen(app->layout.root);
	bool ours = !strncmp(prefix, app->layout.root, n) && prefix[n] == '/' &&
		    record_read(prefix, &r, &none);
	record_clear(&r);
	return ours;
}

static bool verify(struct app *app, const char *name, const char *prefix, enum probe_level level,
		   bool *good, struct err *err)
{
	struct verdict v;
	autolock struct lock lock = LOCK_INIT;
	bool ours = is_ours(app, prefix);
	if (ours && !app_lock(app, &lock, err))
		return false;
	if (!probe_run(prefix, prefix, level, ours, &app->events, &v, err))
		return err_prefix(err, "cannot verify %s", name);
	if (ours && !verdict_write(prefix, &v, err))
		return false;
	if (ours && refresh_moved(prefix))
		event_warn(&app->events, "run 'cudaenv rehash'",
			   "%s was moved with its root: its .pc files name the old place", name);
	print_verdict(app, name, &v);
	*good = *good && verdict_good(&v);
	return true;
}

static bool verify_all(struct app *app, enum probe_level level, bool *good, struct err *err)
{
	autotoolkits struct toolkits t = {0};
	if (!toolkits_read(&t, &app->layout, err))
		return false;
	for (size_t i = 0; i < t.n; i++)
		if (!t.items[i].dangling &&
		    !verify(app, t.items[i].name, t.items[i].prefix, level, good, err))
			return false;
	return true;
}

static bool verify_one(struct app *app, const char *spec, enum probe_level level, bool *good,
		       struct err *err)
{
	struct selection s;
	if (!resolve_select(&app->layout, spec, &s, err))
		return false;
	if (s.prefix[0])
		return verify(app, s.name, s.prefix, level, good, err);
	err_set(err, ERR_USAGE,
		"no version of cudaenv is selected here, so there is nothing to verify");
	return err_hint(err, "name one, as in 'cudaenv verify 13.0', or give --all");
}

static bool run(struct app *app, const struct args *a, struct err *err)
{
	enum probe_level level;
	bool good = true;
	if (opt_value(a, "level") &&
	    !config_override(&app->config, CONFIG_VERIFY, opt_value(a, "level"), "--level", err))
		return false;
	if (!probe_level_parse(config_get(&app->config, CONFIG_VERIFY), &level))
		return err_set(err, ERR_USAGE, "there is no level '%s' of verification",
			       config_get(&app->config, CONFIG_VERIFY));
	if (opt_flag(a, "all") ? !verify_all(app, level, &good, err)
			       : a->n == 0 && !verify_one(app, NULL, level, &good, err))
		return false;
	for (int i = 0; i < a->n; i++)
		if (!verify_one(app, a->pos[i], level, &good, err))
			return false;
	if (!good)
		app->exit_status = ERR_VERIFY;
	return true;
}

const struct command cmd_verify = {
	.name = "verify",
	.args = "[SPEC...]",
	.summary = "prove installed versions by compiling a kernel",
	.about =
		"Without SPEC it proves the version that applies here. The verdict is printed, and "
		"kept for `versions`.",
	.options = options,
	.min_args = 0,
	.max_args = -1,
	.run = run,
};
