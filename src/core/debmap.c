#include "core/debmap.h"

#include <ctype.h>
#include <string.h>

#include "base/attr.h"
#include "base/path.h"

/* Folders of Debian's packages; the first that fits decides. %s is the architecture. */
static const struct {
	const char *from, *to; /* to NULL: left out */
} folders[] = {
	/* Debian's wrappers of the compiler, and a profile that names Debian's folders. */
	{"usr/lib/nvidia-cuda-toolkit/bin/gcc", NULL},
	{"usr/lib/nvidia-cuda-toolkit/bin/g++", NULL},
	{"usr/lib/nvidia-cuda-toolkit/bin/nvcc.profile", NULL},
	{"usr/lib/nvidia-cuda-toolkit/bin/cicc", "nvvm/bin/cicc"},
	{"usr/lib/nvidia-cuda-toolkit/libdevice", "nvvm/libdevice"},
	{"usr/lib/nvidia-cuda-toolkit/bin", "bin"},
	{"usr/lib/nvidia-cuda-toolkit/compute-sanitizer", "compute-sanitizer"},
	{"usr/bin/compute-sanitizer", "compute-sanitizer/compute-sanitizer"},
	{"usr/bin/TreeLauncherSubreaper", "compute-sanitizer/TreeLauncherSubreaper"},
	{"usr/bin/TreeLauncherTargetLdPreloadHelper",
	 "compute-sanitizer/TreeLauncherTargetLdPreloadHelper"},
	/* Scripts that start what stands in the folder above. */
	{"usr/bin/nvcc", NULL},
	{"usr/bin/nvprof", NULL},
	{"usr/bin", "bin"},
	{"usr/include/nvvm.h", "nvvm/include/nvvm.h"},
	{"usr/include/cuda-gdb", "extras/Debugger/include"},
	{"usr/include", "targets/%s-linux/include"},
	{"usr/lib/TRIPLET/pkgconfig", NULL},
	{"usr/lib/TRIPLET/cmake", "targets/%s-linux/lib/cmake"},
	{"usr/lib/cmake", "targets/%s-linux/lib/cmake"},
	{"usr/lib/TRIPLET/cuda-gdb", "extras/Debugger/lib64"},
	{"usr/lib/TRIPLET/nsight-compute", "nsight-compute"},
	{"usr/lib/TRIPLET/nsight-systems", "nsight-systems"},
	{"usr/lib/nsight-compute", "nsight-compute"},
	{"usr/lib/nsight-systems", "nsight-systems"},
	{"usr/lib/TRIPLET", "targets/%s-linux/lib"},
	{"opt/nvidia/nsight-compute", "nsight-compute"},
	{"opt/nvidia/nsight-systems", "nsight-systems"},
};

/* What of the libraries a lean component has: names as they begin, behind "lib". */
static const char *const lean_libs[] = {"cuda.", "cudart",    "cudadevrt",     "culibos",
					"nvrtc", "nvidia-ml", "nvptxcompiler", NULL};

static const char *triplet(const char *arch)
{
	return !strcmp(arch, "sbsa") || !strcmp(arch, "aarch64") ? "aarch64-linux-gnu"
	       : !strcmp(arch, "ppc64le")			 ? "powerpc64le-linux-gnu"
								 : "x86_64-linux-gnu";
}

/* What follows `folder` in entry: "" or "/...", or NULL. */
static const char *behind(const char *entry, const char *folder, const char *arch)
{
	const char *at = strstr(folder, "TRIPLET");
	autofree char *with =
		at ? xasprintf("%.*s%s%s", (int)(at - folder), folder, triplet(arch), at + 7)
		   : xstrdup(folder);
	size_t n = strlen(with);
	return !strncmp(entry, with, n) && (!entry[n] || entry[n] == '/') ? entry + n : NULL;
}

static char *place(const char *to, const char *arch, const char *rest)
{
	const char *arg = strstr(to, "%s");
	return arg ? xasprintf("%.*s%s%s%s", (int)(arg - to), to, arch, arg + 2, rest)
		   : xasprintf("%s%s", to, rest);
}

/* "usr/local/cuda-12.4/bin/nvcc" -> "bin/nvcc". */
static const char *in_nvidia_prefix(const char *entry)
{
	static const char top[] = "usr/local/cuda-";
	const char *s = entry + sizeof top - 1;
	if (strncmp(entry, top, sizeof top - 1) != 0 || !isdigit((unsigned char)*s))
		return NULL;
	s += strspn(s, "0123456789.");
	return *s == '/' ? s + 1 : NULL;
}

static bool is_lean(const char *lib)
{
	if (strncmp(lib, "lib", 3) != 0)
		return true;
	for (const char *const *s = lean_libs; *s; s++)
		if (!strncmp(lib + 3, *s, strlen(*s)))
			return true;
	return false;
}

/* What lies directly in the folders of libraries. */
static const char *library_of(const char *path, const char *arch)
{
	autofree char *lib = xasprintf("targets/%s-linux/lib/", arch);
	size_t n = strlen(lib);
	if (strncmp(path, lib, n) != 0)
		return NULL;
	return strncmp(path + n, "stubs/", 6) ? path + n : path + n + 6;
}

/* The compiler's library has a folder of its own; Debian brings the libraries' real names without it. */
static char *finish(char *path, const char *arch, bool lean)
{
	const char *lib = library_of(path, arch);
	if (!lib)
		return path;
	char *moved = NULL;
	if (!strncmp(lib, "libnvvm.", 8))
		moved = xasprintf("nvvm/lib64/%s", lib);
	else if (!lean || is_lean(lib))
		return path;
	attr_free(&path);
	return moved;
}

/* usr/share/doc/<package>/copyright is all that is kept of documents. */
static char *map_licence(const char *entry, const char *component)
{
	static const char top[] = "usr/share/doc/";
	const char *name = path_base(entry);
	if (strncmp(entry, top, sizeof top - 1) != 0 || strcmp(name, "copyright") != 0)
		return NULL;
	return xasprintf("licenses/%s/%s", component, name);
}

char *debmap(const char *entry, const char *arch, const char *component, bool lean)
{
	const char *own = in_nvidia_prefix(entry);
	if (own)
		return *own && *own != '.' ? finish(xstrdup(own), arch, lean) : NULL;
	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		const char *rest = behind(entry, folders[i].from, arch);
		if (!rest)
			continue;
		if (!folders[i].to)
			return NULL;
		return finish(place(folders[i].to, arch, rest), arch, lean);
	}
	return map_licence(entry, component);
}
