#pragma once
/* Assignments that a shell can evaluate, whatever bytes a value has. */
#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

enum shell_syntax { SHELL_SH, SHELL_FISH };

/* bash zsh sh dash ksh fish. ERR_USAGE names the nearest one. */
must_check bool shell_syntax_parse(const char *name, enum shell_syntax *out, struct err *err);
/* NULL-ended, for messages. */
extern const char *const shell_names[];

/* export NAME='value', or unset NAME for NULL; a line each. fish gets a list where the name ends in PATH. */
void shell_assign(FILE *to, enum shell_syntax s, const char *name, const char *value);
/* 'text', so that the shell takes it as one word. */
void shell_quote(FILE *to, enum shell_syntax s, const char *text);
/* printf '%s\n' 'text', for a function that evaluates what it gets. */
void shell_print(FILE *to, enum shell_syntax s, const char *text);
