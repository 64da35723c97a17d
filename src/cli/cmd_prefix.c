/* prefix, root, latest: names and folders for scripts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/product.h"
#include "base/resolve.h"
#include "base/tool.h"
#include "cli/cmd.h"
#include "cli/print.h"

/* One text, as a line or as a JSON string. */
static bool print_text(const struct app *app, const char *text)
{
	if (app->json)
		print_json(stdout, print_json_text(text));
	else
		puts(text);
	return true;
}

/* The folder above the bin that holds the system's nvcc, links resolved. */
static bool system_prefix(const struct app *app, const struct selection *s, char *out,
			  struct err *err)
{
	char path[PATH_MAX];
	if (!tool_find(&app->layout, s, "nvcc", NULL, path, sizeof path, err))
		return false;
	if (!realpath(path, out))
		return err_sys(err, ERR_FILESYSTEM, "cannot resolve '%s'", path);
	for (int up = 0; up < 2; up++) {
		char *slash = strrchr(out, '/');
		slash[slash == out] = '\0';
	}
	return true;
}

/* The cuDNN that goes with the selection. */
static bool print_cudnn(struct app *app, const struct selection *s, struct err *err)
{
	struct product_selection cudnn;
	if (!product_cudnn(&app->layout, s, &cudnn, err))
		return false;
	if (cudnn.prefix[0])
		return print_text(app, cudnn.prefix);
	err_set(err, ERR_NOT_INSTALLED, "no cuDNN is selected with '%s'", s->name);
	return err_hint(err, "cudaenv local --cudnn VERSION selects one");
}

static bool run_prefix(struct app *app, const struct args *args, struct err *err)
{
	struct selection s;
	if (opt_flag(args, "cudnn"))
		return resolve_select(&app->layout, args->pos[0], &s, err) &&
		       print_cudnn(app, &s, err);
	if (!resolve_select(&app->layout, args->pos[0], &s, err) ||
	    (!s.prefix[0] && !system_prefix(app, &s, s.prefix, err)))
		return false;
	return print_text(app, s.prefix);
}

static const struct opt prefix_options[] = {
	{0, "cudnn", NULL, "the folder of the cuDNN that goes with it"},
	{0},
};

const struct command cmd_prefix = {
	.name = "prefix",
	.args = "[SPEC]",
	.summary = "print the folder of a version",
	.about = "For 'system': the folder above the bin that holds the system's nvcc.",
	.options = prefix_options,
	.max_args = 1,
	.run = run_prefix,
};

static bool run_root(struct app *app, const struct args *args, struct err *err)
{
	return print_text(app, app->layout.root);
}

const struct command cmd_root = {
	.name = "root",
	.args = "",
	.summary = "print the folder that holds everything (CUDAENV_ROOT)",
	.run = run_root,
};

static bool run_latest(struct app *app, const struct args *args, struct err *err)
{
	const char *word = args->n ? args->pos[0] : "latest";
	const struct catalog_release *r;
	struct selection s;
	struct spec spec;
	if (!spec_parse(word, strlen(word), "the command line", &spec, err))
		return false;
	if (spec.kind != SPEC_VERSION && spec.kind != SPEC_LATEST && spec.kind != SPEC_RANGE)
		return err_set(err, ERR_USAGE, "'%s' is not the beginning of a version", word);
	if (!opt_flag(args, "known"))
		return resolve_installed(&app->layout, &spec, &s, err) && print_text(app, s.name);
	return catalog_load(&app->catalog, NULL, err) &&
	       catalog_select(&app->catalog, &spec, NULL, &r, err) && print_text(app, r->label);
}

static const struct opt latest_options[] = {
	{'k', "known", NULL, "of all known releases, not of those installed"},
	{0},
};

const struct command cmd_latest = {
	.name = "latest",
	.args = "[PREFIX]",
	.summary = "print the newest installed version that begins so",
	.options = latest_options,
	.max_args = 1,
	.run = run_latest,
};
