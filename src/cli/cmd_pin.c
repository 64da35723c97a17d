/* global, local: write and show pins. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/pinfile.h"
#include "base/resolve.h"
#include "cli/applock.h"
#include "cli/cmd.h"
#include "cli/product.h"
#include "cli/select.h"
#include "core/pin.h"

/* The versions that the file names, as they stand there. */
static bool print_pin(const char *path, struct err *err)
{
	struct pinfile pins;
	if (!pinfile_read(path, &pins, err))
		return false;
	for (int i = 0; i < pins.versions; i++)
		printf("%s%s", i ? " " : "", pins.version[i]);
	putchar('\n');
	return true;
}

/* A pin that something nearer hides would otherwise look as if it did not work. */
static void note_hidden(struct app *app, enum origin wanted)
{
	struct selection s;
	struct err ignored;
	char why[PATH_MAX + 32];
	bool ok = resolve_select(&app->layout, NULL, &s, &ignored);
	if ((ok || ignored.code == ERR_NOT_INSTALLED) && s.origin < wanted)
		event_note(&app->events, "here %s is selected all the same, %s", s.spec,
			   origin_words(&s, why, sizeof why));
}

static bool check_unset(const struct args *args, struct err *err)
{
	if (!opt_flag(args, "unset") || !args->n)
		return true;
	return err_set(err, ERR_USAGE, "'--unset' takes no version, got '%s'", args->pos[0]);
}

static bool set_global(struct app *app, const char *text, struct err *err)
{
	autolock struct lock lock = LOCK_INIT;
	return app_lock(app, &lock, err) && pin_global(&app->layout, text, err);
}

static bool show_global(struct app *app, struct err *err)
{
	char path[PATH_MAX];
	if (!layout_path(&app->layout, path, sizeof path, "version"))
		return err_set(err, ERR_USAGE, "the path of the root is too long");
	if (print_pin(path, err))
		return true;
	if (err->sys != ENOENT)
		return false;
	puts("system");
	return true;
}

/* The second line of the global pin. */
static bool set_global_cudnn(struct app *app, const char *version, struct err *err)
{
	autolock struct lock lock = LOCK_INIT;
	char path[PATH_MAX];
	return layout_path(&app->layout, path, sizeof path, "version") &&
	       app_lock(app, &lock, err) && product_pin_cudnn(app, path, version, err) &&
	       pin_refresh(&app->layout, err);
}

static bool run_global(struct app *app, const struct args *args, struct err *err)
{
	char text[VERSION_TEXT];
	const char *cudnn = opt_value(args, "cudnn");
	if (!check_unset(args, err))
		return false;
	if (opt_flag(args, "unset"))
		return set_global(app, NULL, err);
	if (!args->n && !cudnn)
		return show_global(app, err);
	if (args->n &&
	    (!select_to_pin(app, args->pos[0], text, err) || !set_global(app, text, err)))
		return false;
	if (cudnn && !set_global_cudnn(app, cudnn, err))
		return false;
	note_hidden(app, ORIGIN_GLOBAL);
	return true;
}

static const struct opt global_pin_options[] = {
	{0, "cudnn", "V", "also ask for this cuDNN: a line 'cudnn=V'"},
	{0, "unset", NULL, "select nothing globally"},
	{0},
};

const struct command cmd_global = {
	.name = "global",
	.args = "[SPEC]",
	.summary = "show or set the version for everywhere",
	.about = "It applies where no .cuda-version and no CUDAENV_VERSION says otherwise. "
		 "<root>/current leads to "
		 "it as well.",
	.options = global_pin_options,
	.max_args = 1,
	.run = run_global,
};

static const char local_file[] = ".cuda-version";

static bool show_local(struct err *err)
{
	char path[PATH_MAX];
	if (pinfile_find(path, sizeof path))
		return print_pin(path, err);
	err_set(err, ERR_FAILED, "there is no %s in this folder or above it", local_file);
	return err_hint(err, "cudaenv local VERSION writes one");
}

static bool unset_local(struct err *err)
{
	return unlink(local_file) == 0 || errno == ENOENT ||
	       err_sys(err, ERR_FILESYSTEM, "cannot remove '%s'", local_file);
}

static bool run_local(struct app *app, const struct args *args, struct err *err)
{
	char text[VERSION_TEXT];
	const char *cudnn = opt_value(args, "cudnn");
	if (!check_unset(args, err))
		return false;
	if (opt_flag(args, "unset"))
		return unset_local(err);
	if (!args->n && !cudnn)
		return show_local(err);
	if (args->n &&
	    (!select_to_pin(app, args->pos[0], text, err) || !pin_write(local_file, text, err)))
		return false;
	if (cudnn && !product_pin_cudnn(app, local_file, cudnn, err))
		return false;
	note_hidden(app, ORIGIN_FILE);
	return true;
}

static const struct opt local_options[] = {
	{0, "cudnn", "V", "also ask for this cuDNN: a line 'cudnn=V'"},
	{0, "unset", NULL, "remove the file"},
	{0},
};

const struct command cmd_local = {
	.name = "local",
	.args = "[SPEC]",
	.summary = "show or set the version for this folder",
	.about = "Writes ./.cuda-version, which applies here and in the folders below; comments "
		 "and other lines "
		 "of the file stay. 'latest' and 'supported' are written as the number that they "
		 "mean now.",
	.options = local_options,
	.max_args = 1,
	.run = run_local,
};
