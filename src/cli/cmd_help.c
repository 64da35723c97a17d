/* help, commands: what the table says. */
#include <stdio.h>

#include "cli/cmd.h"
#include "cli/help.h"
#include "cli/print.h"

static bool run_help(struct app *app, const struct args *args, struct err *err)
{
	if (!args->n) {
		help_overview(stdout);
		return true;
	}
	const struct command *c = command_find(args->pos[0]);
	const char *near = command_nearest(args->pos[0]);
	if (c) {
		help_command(stdout, c);
		return true;
	}
	err_set(err, ERR_USAGE, "unknown command '%s'", args->pos[0]);
	return near ? err_hint(err, "did you mean '%s'?", near)
		    : err_hint(err, "'cudaenv help' lists all");
}

const struct command cmd_help = {
	.name = "help",
	.args = "[COMMAND]",
	.summary = "explain cudaenv or one command",
	.max_args = 1,
	.needs = NEED_NOTHING,
	.run = run_help,
};

static bool run_commands(struct app *app, const struct args *args, struct err *err)
{
	json_t *list = json_array();
	for (const struct command *const *c = commands; *c; c++) {
		if (app->json)
			json_array_append_new(list,
					      json_pack("{ss ss ss}", "name", (*c)->name, "args",
							(*c)->args, "summary", (*c)->summary));
		else
			puts((*c)->name);
	}
	if (app->json)
		print_json(stdout, json_incref(list));
	json_decref(list);
	return true;
}

const struct command cmd_commands = {
	.name = "commands",
	.args = "",
	.summary = "list all commands",
	.needs = NEED_NOTHING,
	.run = run_commands,
};
