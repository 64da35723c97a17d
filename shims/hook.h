#pragma once
/* What a shell's hook asks for when something changed. */
#include <stdbool.h>

#include "base/err.h"

/*
 * Prints, for bash, zsh or fish, the assignments that bring its environment to the version that applies here,
 * and a last line; for fish as the function $answer
 *
 *   __cudaenv_is 'PREFIX' LISTED 'PROBLEM' KEEP MADE ['LEFT']
 *
 * PREFIX: that version's, empty for none. LISTED: 1 where the answer depends on what is installed, else 0.
 * PROBLEM: what the user must be told, empty for nothing. Where PREFIX is empty as well, the environment is as
 * if no version applied; else a build folder was configured for another version (base/drift.h).
 *
 * KEEP: 1 where the same lines are right whenever the shell asks again with the same variables of the table
 * (base/toolenv.h), CUDAENV_HOOK, version file, list of versions and config.ini; 0 where nobody may keep them.
 * What else they depend on is then their first line, which returns 1 where it is no longer so: they are the
 * body of a function.
 *
 * MADE: a number for the CUDAENV_HOOK that is left behind, 0 for none.
 *
 * LEFT: behind cd the shell asks once more at its next prompt, with this as CUDAENV_HOOK (base/hookenv.h).
 */
must_check bool hook(const char *shell, struct err *err);
