/* env: the variables of a version, for a shell or a program. */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/cmd.h"
#include "cli/envformat.h"
#include "cli/print.h"
#include "cli/select.h"
#include "cli/shellsyntax.h"

enum format {
	FORMAT_SH,
	FORMAT_FISH,
	FORMAT_JSON,
	FORMAT_DOTENV,
	FORMAT_GITHUB,
	/* Made from the table: nothing of the caller's environment is in them. */
	FORMAT_CMAKE,
	FORMAT_MODULEFILE,
	FORMAT_DOCKERFILE,
};
static const char *const formats[] = {"sh",    "fish",	     "json",	   "dotenv", "github",
				      "cmake", "modulefile", "dockerfile", NULL};

static bool format_parse(const char *word, enum format *out, struct err *err)
{
	for (int i = 0; formats[i]; i++)
		if (strcmp(formats[i], word) == 0) {
			*out = (enum format)i;
			return true;
		}
	const char *near = nearest(word, formats);
	err_set(err, ERR_USAGE, "unknown format '%s'", word);
	return near ? err_hint(err, "did you mean '%s'?", near)
		    : err_hint(err, "there are sh, fish, json, dotenv, github, cmake, modulefile "
				    "and dockerfile");
}

/* --format, else --json, else what the shell reads. */
static bool choose_format(const struct app *app, const struct args *args, enum format *out,
			  struct err *err)
{
	const char *shell = opt_value(args, "shell"), *format = opt_value(args, "format");
	enum shell_syntax syntax = SHELL_SH;
	if (shell && !shell_syntax_parse(shell, &syntax, err))
		return false;
	if (format)
		return format_parse(format, out, err);
	*out = app->json ? FORMAT_JSON : syntax == SHELL_FISH ? FORMAT_FISH : FORMAT_SH;
	return true;
}

static void print_all_json(const struct toolenv *t)
{
	json_t *o = json_object();
	for (size_t i = 0; i < t->n; i++)
		if (!t->vars[i].bookkeeping)
			json_object_set_new(o, t->vars[i].name, print_json_text(t->vars[i].value));
	print_json(stdout, o);
}

static bool print_table(struct app *app, const char *spec, enum format format, struct err *err)
{
	struct toolenv_want wants[TOOLENV_WANTS];
	struct selection s;
	if (!select_wants(app, spec, &s, wants, err))
		return false;
	if (format == FORMAT_CMAKE)
		envformat_cmake(stdout, wants, s.name);
	else if (format == FORMAT_MODULEFILE)
		envformat_modulefile(stdout, wants, s.name);
	else
		envformat_dockerfile(stdout, wants);
	toolenv_wants_clear(wants);
	return true;
}

static bool run(struct app *app, const struct args *args, struct err *err)
{
	autotoolenv struct toolenv t = {0};
	struct product_selection cudnn;
	struct selection s;
	enum format format = FORMAT_SH;
	if (!choose_format(app, args, &format, err))
		return false;
	if (opt_flag(args, "unset") && args->n)
		return err_set(err, ERR_USAGE, "'--unset' takes no version, got '%s'",
			       args->pos[0]);
	if (opt_flag(args, "unset") && format > FORMAT_JSON)
		return err_set(err, ERR_USAGE, "'--unset' has no sense with format '%s'",
			       formats[format]);
	if (format >= FORMAT_CMAKE)
		return print_table(app, args->pos[0], format, err);
	if (opt_flag(args, "unset"))
		select_nothing(app, &t);
	else if (!select_environment(app, args->pos[0], &s, &cudnn, &t, err))
		return false;
	if (format == FORMAT_JSON) {
		print_all_json(&t);
		return true;
	}
	if (format == FORMAT_DOTENV)
		return envformat_dotenv(stdout, &t, err);
	if (format == FORMAT_GITHUB) {
		envformat_github(stdout, &t);
		return true;
	}
	for (size_t i = 0; i < t.n; i++)
		shell_assign(stdout, format == FORMAT_FISH ? SHELL_FISH : SHELL_SH, t.vars[i].name,
			     t.vars[i].value);
	return true;
}

static const struct opt options[] = {
	{'s', "shell", "S", "for this shell: bash, zsh, fish, sh, dash, ksh"},
	{'f', "format", "F", "sh, fish, json, dotenv, github, cmake, modulefile, dockerfile"},
	{'u', "unset", NULL, "give back what an earlier 'cudaenv env' changed"},
	{0},
};

const struct command cmd_env = {
	.name = "env",
	.args = "[SPEC]",
	.summary = "print the variables of a version for a shell to evaluate",
	.about = "eval \"$(cudaenv env 12.4)\" makes PATH, CUDA_HOME and the others point at one "
		 "toolkit; "
		 "eval \"$(cudaenv env --unset)\" puts back what was there before.",
	.options = options,
	.max_args = 1,
	.run = run,
};
