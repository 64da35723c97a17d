#pragma once
/* What a shell's hook asks for when something changed. */
#include <stdbool.h>

#include "base/err.h"

/*
 * Prints, for bash, zsh or fish, the assignments that bring its environment to the version that applies here,
 * and a last line
 *
 *   __cudaenv_is 'PREFIX' LISTED 'PROBLEM'
 *
 * PREFIX: that version's, empty for none. LISTED: 1 where the answer depends on what is installed, else 0.
 * PROBLEM: what the user must be told, empty for nothing. Where PREFIX is empty as well, the environment is as
 * if no version applied; else a build folder was configured for another version (base/drift.h).
 */
must_check bool hook(const char *shell, struct err *err);
