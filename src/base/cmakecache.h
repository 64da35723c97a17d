#pragma once
/* What the cache of a folder that CMake configured says of CUDA. No allocation: the hook's launcher uses it. */
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/layout.h"
#include "base/resolve.h"

struct cmakecache {
	char foreign[PATH_MAX]; /* a toolkit that it names and that is not the selected one; "" */
	char filler
		[PATH_MAX]; /* a library that it took from elsewhere; the selected one lacks it; "" */
	char generator[64], home[PATH_MAX];
	int cmake[3]; /* its version */
};
/*
 * Reads folder/CMakeCache.txt; where the compiler is a shim, CMakeFiles/<version>/CMakeCUDACompiler.cmake tells which
 * toolkit it started. false: CMake did not configure this folder.
 */
bool cmakecache_read(struct cmakecache *out, const struct layout *l, const struct selection *s,
		     const char *folder);

/* "<root>/versions/<name>" at the start of path: its length, and the name with its length. 0: not ours. */
size_t cmakecache_version(const struct layout *l, const char *path, const char **name, size_t *len);
