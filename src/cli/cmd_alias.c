/* alias, unalias: own names for SPECs. aliases/<name> is a link whose text is the SPEC. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/path.h"
#include "base/scan.h"
#include "base/tree.h"
#include "base/version.h"
#include "cli/cmd.h"
#include "cli/print.h"
#include "cli/table.h"

static bool name_parse(const char *name, struct spec *out, struct err *err)
{
	if (!spec_parse(name, strlen(name), "the command line", out, err))
		return false;
	if (out->kind == SPEC_NAME)
		return true;
	err_set(err, ERR_USAGE, "'%s' cannot be an alias: it means something as a version", name);
	return err_hint(err,
			"a name has a letter and is no word of the version grammar, like 'work'");
}

/* The text of an alias, in the first root that has it. false: none. */
static bool read_alias(const struct layout *l, const char *name, char text[VERSION_TEXT])
{
	char path[PATH_MAX];
	for (int i = 0; layout_root_path(l, i, "aliases", name, path, sizeof path); i++) {
		ssize_t n = readlink(path, text, VERSION_TEXT - 1);
		if (n > 0) {
			text[n] = '\0';
			return true;
		}
	}
	return false;
}

/* Follows names until something else stands there. */
static bool check_loop(const struct layout *l, const char *name, const struct spec *spec,
		       struct err *err)
{
	char text[VERSION_TEXT];
	memcpy(text, spec->text, sizeof text);
	for (int depth = 0; depth < 8; depth++) {
		if (strcmp(text, name) == 0)
			return err_set(err, ERR_USAGE, "alias '%s' would lead back to itself",
				       name);
		if (!read_alias(l, text, text))
			return true;
	}
	return err_set(err, ERR_USAGE, "alias '%s' would lead through too many others", name);
}

static bool check_free(const struct layout *l, const char *name, struct err *err)
{
	char path[PATH_MAX];
	struct stat st;
	for (int i = 0; layout_root_path(l, i, "versions", name, path, sizeof path); i++) {
		if (lstat(path, &st) < 0)
			continue;
		err_set(err, ERR_USAGE, "'%s' is the name of a version", name);
		return err_hint(err, "take another name");
	}
	return true;
}

static bool set_alias(struct app *app, const char *name, const char *word, struct err *err)
{
	char folder[PATH_MAX], path[PATH_MAX];
	struct spec own, spec;
	if (!name_parse(name, &own, err) || !check_free(&app->layout, name, err) ||
	    !spec_parse(word, strlen(word), "the command line", &spec, err) ||
	    !check_loop(&app->layout, name, &spec, err))
		return false;
	if (!layout_path(&app->layout, folder, sizeof folder, "aliases") ||
	    !path_join(path, sizeof path, folder, name))
		return err_set(err, ERR_USAGE, "the path of the root is too long");
	return tree_mkdirs(folder, err) && atomic_symlink(spec.text, path, err);
}

static bool add_name(void *ctx, const char *name, unsigned char type)
{
	if (name[0] != '.' && !strlist_has(ctx, name))
		strlist_add(ctx, name);
	return true;
}

static bool list_aliases(struct app *app)
{
	autostrlist struct strlist names = {0};
	autotable struct table table = TABLE_INIT(2);
	json_t *all = json_object();
	char path[PATH_MAX], text[VERSION_TEXT];
	for (int i = 0; layout_root(&app->layout, i, path, sizeof path); i++)
		if (path_join(path, sizeof path, path, "aliases"))
			scan_folder(path, add_name, &names);
	strlist_sort(&names);
	for (size_t i = 0; i < names.n; i++) {
		if (!read_alias(&app->layout, names.items[i], text))
			continue;
		table_row(&table, (const char *const[]){names.items[i], text});
		json_object_set_new(all, names.items[i], print_json_text(text));
	}
	if (app->json)
		print_json(stdout, json_incref(all));
	else
		table_print(&table, stdout);
	json_decref(all);
	return true;
}

static bool no_alias(const char *name, struct err *err)
{
	err_set(err, ERR_FAILED, "there is no alias '%s'", name);
	return err_hint(err, "'cudaenv alias' lists all");
}

static bool run_alias(struct app *app, const struct args *args, struct err *err)
{
	char text[VERSION_TEXT];
	if (args->n == 2)
		return set_alias(app, args->pos[0], args->pos[1], err);
	if (!args->n)
		return list_aliases(app);
	if (!path_safe_component(args->pos[0]) || !read_alias(&app->layout, args->pos[0], text))
		return no_alias(args->pos[0], err);
	puts(text);
	return true;
}

const struct command cmd_alias = {
	.name = "alias",
	.args = "[NAME [SPEC]]",
	.summary = "give a SPEC a name of your own; show or list such names",
	.max_args = 2,
	.run = run_alias,
};

static bool run_unalias(struct app *app, const struct args *args, struct err *err)
{
	char path[PATH_MAX];
	const char *name = args->pos[0];
	if (!path_safe_component(name))
		return no_alias(name, err);
	if (!layout_root_path(&app->layout, 0, "aliases", name, path, sizeof path))
		return err_set(err, ERR_USAGE, "the path of the root is too long");
	if (unlink(path) == 0)
		return true;
	return errno == ENOENT ? no_alias(name, err)
			       : err_sys(err, ERR_FILESYSTEM, "cannot remove '%s'", path);
}

const struct command cmd_unalias = {
	.name = "unalias",
	.args = "NAME",
	.summary = "remove a name of your own",
	.min_args = 1,
	.max_args = 1,
	.run = run_unalias,
};
