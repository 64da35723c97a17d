#pragma once
/* Subcommands: one file each, one table (commands.c), help and completions made from it. */
#include <stdbool.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/event.h"
#include "base/layout.h"
#include "core/catalog.h"
#include "core/config.h"

struct opt {
	char letter;	  /* 0: none */
	const char *name; /* long name without "--" */
	const char *arg;  /* name of its value, NULL: a switch */
	const char *summary;
};

/* What the parser found. Read by opt_flag, opt_value. */
struct args {
	const struct opt *options;
	const char *values[32]; /* by index in options; "" for a given switch, NULL: not given */
	char **pos;		/* operands, NULL-ended */
	int n;
};
bool opt_flag(const struct args *a, const char *name);
const char *opt_value(const struct args *a, const char *name); /* NULL: not given; never "" */

enum command_needs {
	NEED_CATALOG = 1,
	NEED_LOCK = 2,
	NEED_ROOT = 4, /* the root folder exists (it is created) */
	/* Everything behind the first operand belongs to another program: options end there. */
	ARGS_PASS = 8,
	/* Neither layout nor config: works without HOME and with a broken config.ini. */
	NEED_NOTHING = 16,
};

struct app {
	struct layout layout;
	struct config config;
	struct catalog catalog; /* with NEED_CATALOG */
	struct events events;
	bool quiet, verbose, debug;
	bool json;	 /* results as JSON where the command has any; errors and events always */
	int exit_status; /* a command may set one where nothing failed (doctor) */
};

struct command {
	const char *name, *args,
		*summary;	   /* "install", "[SPEC...]", "download and unpack toolkits" */
	const char *about;	   /* a few more sentences for `help CMD`; NULL */
	const struct opt *options; /* ends with a zero entry; NULL: none */
	int min_args, max_args;	   /* -1: any number */
	unsigned needs;
	bool (*run)(struct app *app, const struct args *args, struct err *err);
};

extern const struct command *const commands[]; /* NULL-ended, in help order */
/* By name, or by a name that other tools use for it ("use", "pin", "default"). NULL: none. */
const struct command *command_find(const char *name);
/* The nearest name to a mistyped one; NULL: none is near. */
const char *command_nearest(const char *name);
