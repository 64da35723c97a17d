/*
 * nvidia-cuda-toolkit of Debian and Ubuntu: the compiler in /usr/lib/nvidia-cuda-toolkit/bin, where
 * /usr/bin/nvcc is a script that starts it, the other programs in /usr/bin, headers in /usr/include, libraries
 * in /usr/lib/<triplet>. /usr/include as a whole must not become the toolkit's: a compiler that is told to
 * search it early no longer finds its own headers. So each file and folder gets a link of its own, by the
 * lists of the packages.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/attr.h"
#include "core/adopt_links.h"
#include "core/package.h"
#include "core/shimnames.h"

static const char own_folder[] = "/usr/lib/nvidia-cuda-toolkit/";
static const char source_package[] = "nvidia-cuda-toolkit";
/* Of other source packages, and part of NVIDIA's toolkit all the same. */
static const char *const more_packages[] = {"libcu++-dev", "libcub-dev", "libthrust-dev", NULL};

#if defined(__aarch64__)
static const char triplet[] = "/usr/lib/aarch64-linux-gnu/";
static const char target[] = "targets/sbsa-linux";
#else
static const char triplet[] = "/usr/lib/x86_64-linux-gnu/";
static const char target[] = "targets/x86_64-linux";
#endif

struct filling {
	const char *root, *into;
	struct err *err;
	bool failed;
};

/* What stands behind a beginning; NULL: the path begins otherwise. */
static const char *behind(const char *path, const char *beginning)
{
	size_t n = strlen(beginning);
	return strncmp(path, beginning, n) == 0 && path[n] ? path + n : NULL;
}

static bool is_file(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Where in a prefix a file or folder of the packages belongs; the caller frees. NULL: nowhere. */
static char *place(const char *path)
{
	const char *rest;
	if ((rest = behind(path, own_folder))) {
		if (!strcmp(rest, "bin/cicc"))
			return xstrdup("nvvm/bin/cicc");
		if (!strcmp(rest, "libdevice"))
			return xstrdup("nvvm/libdevice");
		/* gcc and g++ there choose a compiler; the profile names that folder. */
		if (!strcmp(rest, "bin/nvcc") || !strcmp(rest, "bin/crt"))
			return xstrdup(rest);
		return !strcmp(rest, "compute-sanitizer") ? xstrdup(rest) : NULL;
	}
	if ((rest = behind(path, "/usr/bin/")))
		return strcmp(rest, "nvcc") != 0 && shimnames_want(rest, true)
			       ? xasprintf("bin/%s", rest)
			       : NULL;
	if ((rest = behind(path, "/usr/include/")))
		return strchr(rest, '/') ? NULL : xasprintf("%s/include/%s", target, rest);
	rest = behind(path, triplet);
	if (!rest || (strncmp(rest, "lib", 3) != 0 && strncmp(rest, "stubs/lib", 9) != 0))
		return NULL;
	if (!strncmp(rest, "libnvvm.", 8))
		return xasprintf("nvvm/lib64/%s", rest);
	return strchr(rest, '/') && rest[0] != 's' ? NULL : xasprintf("%s/lib/%s", target, rest);
}

static bool tie_file(void *ctx, const char *path)
{
	struct filling *f = ctx;
	autofree char *real = xasprintf("%s%s", f->root, path);
	autofree char *rel = place(path);
	bool program = rel && !strncmp(rel, "bin/", 4) && strcmp(rel, "bin/crt") != 0;
	if (rel && access(real, F_OK) == 0 && (!program || is_file(real)))
		f->failed = !adopt_tie(f->into, rel, real, f->err);
	return !f->failed;
}

bool adopt_debian_fill(const char *root, const char *into, struct err *err)
{
	struct filling f = {root, into, err, false};
	if (!package_files(root, source_package, more_packages, tie_file, &f))
		return err_set(err, ERR_FAILED, "dpkg does not list the files of %s",
			       source_package);
	autofree char *include = xasprintf("%s/include", target);
	autofree char *lib = xasprintf("%s/lib", target);
	return !f.failed && adopt_tie(into, "include", include, err) &&
	       adopt_tie(into, "lib64", lib, err) && adopt_tie(into, "lib", lib, err);
}
