#pragma once
/*
 * Makes shims/ agree with what is installed: the shim program under the name of each CUDA tool that some
 * version has. A private copy of it (.cudaenv-shim) is hard-linked to all names, so that no write into
 * shims/ can reach the program itself; it is copied to each name where links cannot be made.
 *
 * Names that a build needs from the system (sh, env, gcc, ld, cmake, ...) never become shims. Of a linked
 * tree, which may be a whole conda environment, only known CUDA tools do.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/event.h"
#include "base/layout.h"

/*
 * shim: path of the shim program; NULL: CUDAENV_SHIM, else the one that belongs to this program. Files in
 * shims/ that are not ours are reported and left, except under the name of a tool. The lock is held.
 */
must_check bool shimdir_rebuild(const struct layout *l, const char *shim, const struct events *ev,
				struct err *err);
/* The shim program that NULL stands for. The caller frees; the file need not be there. */
char *shimdir_program(void);
/* The names that are there now, sorted. */
must_check bool shimdir_list(const struct layout *l, struct strlist *out, struct err *err);
