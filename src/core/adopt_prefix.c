#include "core/adopt_prefix.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/tree.h"
#include "core/adopt_links.h"
#include "core/prefix.h"
#include "core/shimnames.h"

bool adopt_prefix_wanted(enum adopt_kind kind)
{
	return kind == ADOPT_DEBIAN || kind == ADOPT_CONDA || kind == ADOPT_WHEELS;
}

static bool put(const char *into, const char *rel, const char *text, struct err *err)
{
	autofree char *path = xasprintf("%s/%s", into, rel);
	autofree char *folder = xstrndup(path, (size_t)(strrchr(path, '/') - path));
	return tree_mkdirs(folder, err) && atomic_write(path, text, strlen(text), 0644, err);
}

static bool fill_debian(const char *root, const char *into, struct err *err)
{
	/* gcc and g++ that Debian made for nvcc: they start the newest compiler that it accepts. */
	autofree char *profile =
		xasprintf("%scompiler-bindir = %s/usr/lib/nvidia-cuda-toolkit/bin\n",
			  prefix_nvcc_profile, root);
	return adopt_debian_fill(root, into, err) && put(into, "bin/nvcc.profile", profile, err);
}

/* Programs of CUDA, and what nvcc looks for beside itself. */
static bool in_bin(const char *name)
{
	return shimnames_want(name, false) || !strcmp(name, "nvcc.profile") || !strcmp(name, "crt");
}

/* <path>/<sub> under that name, where it is there. */
static bool tie_same(const char *into, const char *path, const char *sub, struct err *err)
{
	autofree char *at = xasprintf("%s/%s", path, sub);
	return access(at, F_OK) < 0 || adopt_tie(into, sub, at, err);
}

static bool fill_conda(const char *path, const char *into, struct err *err)
{
	static const char *const targets[] = {"targets/x86_64-linux", "targets/sbsa-linux"};
	struct stat st;
	autofree char *bin = xasprintf("%s/bin", path);
	const char *target = NULL;
	for (size_t i = 0; i < ARRAY_LEN(targets) && !target; i++) {
		autofree char *at = xasprintf("%s/%s", path, targets[i]);
		target = stat(at, &st) == 0 ? targets[i] : NULL;
	}
	/* Old packages have everything at the top, as the environment itself. */
	autofree char *include =
		target ? xasprintf("%s/include", target) : xasprintf("%s/include", path);
	autofree char *lib = target ? xasprintf("%s/lib", target) : xasprintf("%s/lib", path);
	return adopt_tie_all(into, "bin", bin, in_bin, err) &&
	       tie_same(into, path, "targets", err) && tie_same(into, path, "nvvm", err) &&
	       adopt_tie(into, "include", include, err) && adopt_tie(into, "lib64", lib, err) &&
	       adopt_tie(into, "lib", lib, err);
}

static bool is_library(const char *name)
{
	return !strncmp(name, "lib", 3);
}

static bool fill_wheels(const char *path, const char *into, struct err *err)
{
	autofree char *bin = xasprintf("%s/bin", path);
	autofree char *lib = xasprintf("%s/lib", path);
	return adopt_tie_all(into, "bin", bin, in_bin, err) &&
	       tie_same(into, path, "include", err) && tie_same(into, path, "nvvm", err) &&
	       adopt_tie_all(into, "lib64", lib, is_library, err) &&
	       adopt_tie_plain(into, "lib64", err) && adopt_tie(into, "lib", "lib64", err);
}

bool adopt_prefix_fill(const char *root, enum adopt_kind kind, const char *path,
		       const char *release, const char *into, struct err *err)
{
	autofree char *json =
		xasprintf("{\"cuda\": {\"name\": \"CUDA SDK\", \"version\": \"%s\"}}\n", release);
	autofree char *origin = xasprintf("%s\n", path);
	bool ok = kind == ADOPT_DEBIAN	? fill_debian(root, into, err)
		  : kind == ADOPT_CONDA ? fill_conda(path, into, err)
					: fill_wheels(path, into, err);
	return ok && (!release[0] || put(into, "version.json", json, err)) &&
	       put(into, ".cudaenv/adopted", origin, err);
}
