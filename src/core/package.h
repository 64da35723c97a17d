#pragma once
/* Which package of the system a file belongs to, read from dpkg's own files; from rpm by asking it. */
#include <stdbool.h>

#include "base/attr.h"

/*
 * root: folder that stands for "/", "" for the machine itself (rpm is asked for that one alone, where
 * ask allows to start it). Packages are named without their architecture. The caller frees; NULL: none,
 * or nobody knows.
 */
char *package_owner(const char *root, const char *path, bool ask);
/* The version of an installed package. The caller frees; NULL: it is not installed. */
char *package_version(const char *root, const char *name, bool ask);

/*
 * Every file and folder of the installed packages that were built from this source package, and of those
 * in `more` (NULL-ended). fn returns false to stop. false: there is no such package.
 */
typedef bool package_file_fn(void *ctx, const char *path);
bool package_files(const char *root, const char *source, const char *const *more,
		   package_file_fn *fn, void *ctx);
