#include <stddef.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/cmd.h"

/* In help order. */
/* clang-format off */
extern const struct command cmd_install;
extern const struct command cmd_uninstall;
extern const struct command cmd_component;
extern const struct command cmd_cudnn;
extern const struct command cmd_product;
extern const struct command cmd_bundle;
extern const struct command cmd_verify;
extern const struct command cmd_doctor;
extern const struct command cmd_report;
extern const struct command cmd_list_remote;
extern const struct command cmd_versions;
extern const struct command cmd_version;
extern const struct command cmd_version_name;
extern const struct command cmd_version_origin;
extern const struct command cmd_version_file;
extern const struct command cmd_global;
extern const struct command cmd_local;
extern const struct command cmd_shell;
extern const struct command cmd_exec;
extern const struct command cmd_which;
extern const struct command cmd_whence;
extern const struct command cmd_prefix;
extern const struct command cmd_root;
extern const struct command cmd_latest;
extern const struct command cmd_env;
extern const struct command cmd_init;
extern const struct command cmd_link;
extern const struct command cmd_adopt;
extern const struct command cmd_unlink;
extern const struct command cmd_alias;
extern const struct command cmd_unalias;
extern const struct command cmd_system_link;
extern const struct command cmd_rehash;
extern const struct command cmd_shims;
extern const struct command cmd_cache;
extern const struct command cmd_prune;
extern const struct command cmd_config;
extern const struct command cmd_completions;
extern const struct command cmd_complete;
extern const struct command cmd_commands;
extern const struct command cmd_help;

const struct command *const commands[] = {
	&cmd_install,
	&cmd_uninstall,
	&cmd_component,
	&cmd_cudnn,
	&cmd_product,
	&cmd_bundle,
	&cmd_verify,
	&cmd_doctor,
	&cmd_report,
	&cmd_list_remote,
	&cmd_versions,
	&cmd_version,
	&cmd_version_name,
	&cmd_version_origin,
	&cmd_version_file,
	&cmd_global,
	&cmd_local,
	&cmd_shell,
	&cmd_exec,
	&cmd_which,
	&cmd_whence,
	&cmd_prefix,
	&cmd_root,
	&cmd_latest,
	&cmd_env,
	&cmd_init,
	&cmd_link,
	&cmd_adopt,
	&cmd_unlink,
	&cmd_alias,
	&cmd_unalias,
	&cmd_system_link,
	&cmd_rehash,
	&cmd_shims,
	&cmd_cache,
	&cmd_prune,
	&cmd_config,
	&cmd_completions,
	&cmd_commands,
	&cmd_help,
	NULL,
};
/* clang-format on */

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
	/* For the completions of shells alone, so not listed either. */
	return strcmp(cmd_complete.name, name) == 0 ? &cmd_complete : NULL;
}

const char *command_nearest(const char *name)
{
	const char *names[ARRAY_LEN(commands)];
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		names[i] = commands[i] ? commands[i]->name : NULL;
	return nearest(name, names);
}
