/* shell: the version for one shell. Only the function that `init` defines can change that shell. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/product.h"
#include "cli/select.h"
#include "cli/shellsyntax.h"

/* What the hook would refuse is refused here. */
static bool check_cudnn(const char *cudnn, struct err *err)
{
	const struct product *p;
	struct version cuda;
	struct spec spec;
	return !strcmp(cudnn, "none") ||
	       (product_by_name("cudnn", &p, err) &&
		product_parse_spec(p, cudnn, "--cudnn", &spec, &cuda, err));
}

static bool run(struct app *app, const struct args *args, struct err *err)
{
	const char *name = getenv("CUDAENV_SHELL"), *now = getenv("CUDAENV_VERSION");
	const char *cudnn = opt_value(args, "cudnn");
	char text[VERSION_TEXT];
	enum shell_syntax syntax;
	if (!name || !name[0]) {
		err_set(err, ERR_FAILED, "a program cannot change the shell it was started from");
		return err_hint(
			err,
			"the hook can: 'cudaenv init bash --install' (or zsh, fish), and a new "
			"shell");
	}
	if (!shell_syntax_parse(name, &syntax, err))
		return false;
	if (opt_flag(args, "unset") && args->n)
		return err_set(err, ERR_USAGE, "'--unset' takes no version, got '%s'",
			       args->pos[0]);
	if (cudnn && !check_cudnn(cudnn, err))
		return false;
	if (opt_flag(args, "unset")) {
		shell_assign(stdout, syntax, "CUDAENV_VERSION", NULL);
		if (getenv("CUDAENV_CUDNN_VERSION"))
			shell_assign(stdout, syntax, "CUDAENV_CUDNN_VERSION", NULL);
	} else if (args->n || cudnn) {
		if (args->n && !select_to_pin(app, args->pos[0], text, err))
			return false;
		if (args->n)
			shell_assign(stdout, syntax, "CUDAENV_VERSION", text);
		if (cudnn)
			shell_assign(stdout, syntax, "CUDAENV_CUDNN_VERSION", cudnn);
	} else if (now && now[0]) {
		shell_print(stdout, syntax, now);
	} else {
		err_set(err, ERR_FAILED, "no version is set for this shell");
		return err_hint(err, "cudaenv shell VERSION sets one");
	}
	return true;
}

static const struct opt options[] = {
	{0, "cudnn", "V", "also this cuDNN (CUDAENV_CUDNN_VERSION)"},
	{0, "unset", NULL, "back to what the folder or the global pin says"},
	{0},
};

const struct command cmd_shell = {
	.name = "shell",
	.args = "[SPEC]",
	.summary = "show or set the version for this shell (CUDAENV_VERSION)",
	.about =
		"Needs the function that 'cudaenv init' defines. It goes before any .cuda-version.",
	.options = options,
	.max_args = 1,
	.run = run,
};
