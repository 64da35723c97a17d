#include <stddef.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/cmd.h"

extern const struct command cmd_list_remote;
extern const struct command cmd_config;
extern const struct command cmd_commands, cmd_help;

const struct command *const commands[] = {
	&cmd_list_remote,
	&cmd_config,
	&cmd_commands,
	&cmd_help,
	NULL,
};

/* What other tools call it: found, but not listed. */
static const struct {
	const char *name, *means;
} other_names[] = {
	{"default", "global"},	 {"pin", "local"},   {"use", "shell"},
	{"list", "versions"},	 {"ls", "versions"}, {"ls-remote", "list-remote"},
	{"remove", "uninstall"},
};

static const char *meaning(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(other_names); i++)
		if (strcmp(other_names[i].name, name) == 0)
			return other_names[i].means;
	return name;
}

const struct command *command_find(const char *name)
{
	name = meaning(name);
	for (const struct command *const *c = commands; *c; c++)
		if (strcmp((*c)->name, name) == 0)
			return *c;
	return NULL;
}

const char *command_nearest(const char *name)
{
	const char *names[ARRAY_LEN(commands)];
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		names[i] = commands[i] ? commands[i]->name : NULL;
	return nearest(name, names);
}
