#pragma once
/*
 * A build folder that CMake or Meson configured for another toolkit than the selected one: it keeps compiler, headers
 * and libraries of that time, whatever is selected since. No allocation: the hook's launcher uses it.
 */
#include <stdbool.h>

#include "base/err.h"
#include "base/layout.h"
#include "base/resolve.h"

/*
 * Looks at `named` (a folder that the command names; NULL: none), at the working folder and the project's (that of the
 * version file), and at those folders in them whose names say that one builds there (build, cmake-build-debug, builddir,
 * Release, out ...), X in these, and X in a "build" of these: a bounded number of files. A `named` one that CMake or
 * Meson configured is the only one. A cache whose compiler is a shim belongs to the toolkit that
 * CMakeFiles/<version>/CMakeCUDACompiler.cmake names. Where nothing selects a version there is nothing to compare
 * with. A library of CUDA that CMake took from elsewhere, since the selected toolkit lacks it, is told too.
 *
 * true: found. found->msg says which folder and for what, found->hint the command to run; the code is ERR_NONE.
 */
bool drift_find(const struct layout *l, const struct selection *s, const char *named,
		struct err *found);
