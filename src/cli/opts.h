#pragma once
/* The option parser: -q, -qv, -j4, -j 4, --name, --name=value, --name value; "--" ends options. */
#include <stdbool.h>

#include "cli/cmd.h"

/* Accepted before the command and behind it. */
struct globals {
	bool quiet, verbose, debug, json, help, version;
};
extern const struct opt global_options[];

/*
 * Reads argv (NULL-ended, without a program name). options may be NULL; the command's own come before the
 * global ones, which are added to *g. stop: options end at the first operand. The caller ends *out with
 * args_clear; its strings are those of argv. ERR_USAGE names the word and, where one is near, the option
 * that was meant.
 */
must_check bool opts_parse(char *const *argv, const struct opt *options, bool stop,
			   struct args *out, struct globals *g, struct err *err);
void args_clear(struct args *a);
#define autoargs __attribute__((cleanup(args_clear)))
