/* completions: the script that a shell evaluates, the same as the installed one. */
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"

static const struct {
	const char *shell, *text;
} scripts[] = {
	{
		"bash",
#include "completions_bash.inc"
	},
	{
		"zsh",
#include "completions_zsh.inc"
	},
	{
		"fish",
#include "completions_fish.inc"
	},
};

static bool run(struct app *app, const struct args *args, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(scripts); i++)
		if (!strcmp(scripts[i].shell, args->pos[0])) {
			fputs(scripts[i].text, stdout);
			return true;
		}
	err_set(err, ERR_USAGE, "there are no completions for '%s'", args->pos[0]);
	return err_hint(err, "there are for bash, zsh and fish");
}

const struct command cmd_completions = {
	.name = "completions",
	.args = "SHELL",
	.summary = "print the completions for a shell: bash, zsh or fish",
	.about = "They are installed where the shells look. Where that is not on the shell's way: "
		 "eval \"$(cudaenv completions bash)\" (zsh the same, behind compinit), or "
		 "cudaenv completions fish | source.",
	.min_args = 1,
	.max_args = 1,
	.needs = NEED_NOTHING,
	.run = run,
};
