/* which, whence: where a tool is. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "base/tool.h"
#include "cli/cmd.h"
#include "cli/print.h"
#include "core/toolkits.h"

/* One place after another, as lines or as a JSON list. */
struct found {
	json_t *list; /* NULL: lines */
	size_t n;
};

static void add(struct found *f, const char *version, const char *path)
{
	f->n++;
	if (f->list)
		json_array_append_new(f->list,
				      json_pack("{so so}", "version", print_json_text(version),
						"path", print_json_text(path)));
	else
		puts(path);
}

static bool tool_of(const struct toolkit *t, const char *tool, char *path, size_t cap)
{
	return path_safe_component(tool) && path_join(path, cap, t->prefix, "bin") &&
	       path_join(path, cap, path, tool) && access(path, X_OK) == 0;
}

/* Those that do not come first: every other version, then the system's. */
static bool add_others(struct app *app, const char *tool, const char *first, struct found *f,
		       struct err *err)
{
	autotoolkits struct toolkits all = {0};
	struct selection none = {.name = "system"};
	struct err ignored;
	char path[PATH_MAX];
	if (!toolkits_read(&all, &app->layout, err))
		return false;
	for (size_t i = 0; i < all.n; i++)
		if (strcmp(all.items[i].name, first) != 0 &&
		    tool_of(&all.items[i], tool, path, sizeof path))
			add(f, all.items[i].name, path);
	if (strcmp(first, "system") != 0 &&
	    tool_find(&app->layout, &none, tool, NULL, path, sizeof path, &ignored))
		add(f, "system", path);
	return true;
}

static bool run_which(struct app *app, const struct args *args, struct err *err)
{
	char **pos = args->pos, path[PATH_MAX];
	const char *spec = pos[0][0] == '+' ? *pos++ + 1 : NULL;
	struct selection s;
	if (!pos[0] || (!spec && args->n > 1)) {
		err_set(err, ERR_USAGE,
			pos[0] ? "'which' takes one tool" : "'which' needs the name of a tool");
		return err_hint(err, "usage: cudaenv which [options] [+SPEC] TOOL");
	}
	if (!resolve_select(&app->layout, spec, &s, err))
		return false;
	bool ok = tool_find(&app->layout, &s, pos[0], NULL, path, sizeof path, err);
	if (!ok && !opt_flag(args, "all"))
		return false;
	struct found f = {.list = app->json ? json_array() : NULL};
	struct err other;
	if (ok)
		add(&f, s.name, path);
	if (opt_flag(args, "all") && !add_others(app, pos[0], s.name, &f, &other)) {
		json_decref(f.list);
		*err = other;
		return false;
	}
	if (f.list)
		print_json(stdout, f.list);
	return f.n > 0;
}

static const struct opt which_options[] = {
	{'a', "all", NULL, "also those of the other versions and of the system"},
	{0},
};

const struct command cmd_which = {
	.name = "which",
	.args = "[+SPEC] TOOL",
	.summary = "print the path of a tool of the selected version",
	.about = "Exit status 127: the version does not have it (those that do are named), 126: it "
		 "is there but "
		 "cannot be executed.",
	.options = which_options,
	.min_args = 1,
	.max_args = 2,
	.run = run_which,
};

static bool run_whence(struct app *app, const struct args *args, struct err *err)
{
	autotoolkits struct toolkits all = {0};
	char path[PATH_MAX];
	size_t n = 0;
	if (!toolkits_read(&all, &app->layout, err))
		return false;
	json_t *list = json_array();
	for (size_t i = 0; i < all.n; i++) {
		if (!tool_of(&all.items[i], args->pos[0], path, sizeof path))
			continue;
		n++;
		if (app->json)
			json_array_append_new(list, print_json_text(all.items[i].name));
		else
			puts(all.items[i].name);
	}
	if (app->json)
		print_json(stdout, json_incref(list));
	json_decref(list);
	return n || err_set(err, ERR_NO_TOOL, "no installed version has '%s'", args->pos[0]);
}

const struct command cmd_whence = {
	.name = "whence",
	.args = "TOOL",
	.summary = "list the versions that have a tool",
	.min_args = 1,
	.max_args = 1,
	.run = run_whence,
};
