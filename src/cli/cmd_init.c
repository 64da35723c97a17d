/* init: the text that a shell's start-up file evaluates. It is constant and starts no process. */
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/shellsyntax.h"

/*
 * Shims come first on PATH, once. The function lets `cudaenv shell` change the shell it is called
 * in, and makes the shell forget where it found tools when shims may have come or gone. %s: the
 * shell's name.
 */
static const char sh_text[] =
	"__cudaenv_path() {\n"
	"\tlocal shims=\"${CUDAENV_ROOT:-${HOME-}/.cudaenv}/shims\" rest=\":${PATH-}:\"\n"
	"\twhile [[ $rest == *\":$shims:\"* ]]; do\n"
	"\t\trest=\"${rest%%%%\":$shims:\"*}:${rest#*\":$shims:\"}\"\n"
	"\tdone\n"
	"\trest=\"${rest#:}\"\n"
	"\trest=\"${rest%%:}\"\n"
	"\texport PATH=\"$shims${rest:+:$rest}\"\n"
	"}\n"
	"__cudaenv_path\n"
	"unset -f __cudaenv_path\n"
	"\n"
	"cudaenv() {\n"
	"\tlocal code\n"
	"\tcase \"${1-}\" in\n"
	"\tshell | use)\n"
	"\t\tcode=\"$(CUDAENV_SHELL=%s command cudaenv \"$@\")\" || return\n"
	"\t\teval \"$code\"\n"
	"\t\t;;\n"
	"\tinstall | uninstall | link | unlink | rehash)\n"
	"\t\tcommand cudaenv \"$@\" || return\n"
	"\t\thash -r 2>/dev/null || true\n"
	"\t\t;;\n"
	"\t*)\n"
	"\t\tcommand cudaenv \"$@\"\n"
	"\t\t;;\n"
	"\tesac\n"
	"}\n";

static const char fish_text[] =
	"set -l __cudaenv_shims $HOME/.cudaenv/shims\n"
	"test -n \"$CUDAENV_ROOT\"; and set __cudaenv_shims $CUDAENV_ROOT/shims\n"
	"while set -l __cudaenv_at (contains -i -- $__cudaenv_shims $PATH)\n"
	"    set -e PATH[$__cudaenv_at]\n"
	"end\n"
	"set -gx PATH $__cudaenv_shims $PATH\n"
	"\n"
	"function cudaenv\n"
	"    switch \"$argv[1]\"\n"
	"        case shell use\n"
	"            set -lx CUDAENV_SHELL fish\n"
	"            set -l code (command cudaenv $argv); or return\n"
	"            printf '%s\\n' $code | source\n"
	"        case '*'\n"
	"            command cudaenv $argv\n"
	"    end\n"
	"end\n";

static bool run(struct app *app, const struct args *args, struct err *err)
{
	enum shell_syntax syntax;
	const char *shell = args->pos[0];
	if (!shell) {
		err_set(err, ERR_USAGE, "'init' needs the name of a shell");
		return err_hint(
			err,
			"put 'eval \"$(cudaenv init bash)\"' into ~/.bashrc (zsh: ~/.zshrc), or "
			"'cudaenv init fish | source' into ~/.config/fish/config.fish");
	}
	if (!shell_syntax_parse(shell, &syntax, err))
		return false;
	if (syntax == SHELL_FISH) {
		fputs(fish_text, stdout);
	} else if (strcmp(shell, "bash") == 0 || strcmp(shell, "zsh") == 0) {
		printf(sh_text, shell);
	} else {
		err_set(err, ERR_USAGE, "there is no hook for '%s'", shell);
		return err_hint(err,
				"put $CUDAENV_ROOT/shims in front of PATH; "
				"eval \"$(cudaenv env --shell %s)\" sets the variables",
				shell);
	}
	return true;
}

const struct command cmd_init = {
	.name = "init",
	.args = "SHELL",
	.summary = "print what a shell evaluates at its start",
	.about = "bash, zsh: eval \"$(cudaenv init bash)\"; fish: cudaenv init fish | source. It "
		 "puts the shims in "
		 "front of PATH and makes 'cudaenv shell' work.",
	.max_args = 1,
	.needs = NEED_NOTHING,
	.run = run,
};
