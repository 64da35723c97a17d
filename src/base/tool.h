#pragma once
/*
 * One tool (nvcc, ptxas, ...) of a selection: where it is, and why it could not be run. Shim, `which` and
 * `exec` ask here, so that they agree. No allocation: the shim uses it.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/layout.h"
#include "base/resolve.h"

struct stat;

/*
 * <prefix>/bin/<tool>; for `system` the first executable file of this name on PATH. Empty and relative
 * parts of PATH, and those below shims/, versions/ and current/ of a root, are never looked at, nor are
 * those that lead into versions/ by a link (/usr/local/cuda).
 * self: the running shim, which is never the answer (same device and inode); NULL: shims/<tool>.
 * ERR_NO_TOOL names the versions that have it; ERR_NOT_EXECUTABLE: there, but not a program.
 */
must_check bool tool_find(const struct layout *l, const struct selection *s, const char *tool,
			  const struct stat *self, char *out, size_t cap, struct err *err);

/* execve of path failed with errno sys: says why (ERR_NOT_EXECUTABLE), and returns false. */
bool tool_exec_error(const char *path, int sys, struct err *err);
