#include "core/wheelmap.h"

#include <string.h>
#include <strings.h>

#include "base/attr.h"
#include "base/path.h"

static bool starts(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

static bool ends(const char *s, const char *with)
{
	size_t n = strlen(s), w = strlen(with);
	return n >= w && strcmp(s + n - w, with) == 0;
}

/* Behind the first slash; NULL: there is none. */
static const char *below(const char *path)
{
	const char *slash = strchr(path, '/');
	return slash ? slash + 1 : NULL;
}

/* Of the package's own data only the terms of use are kept: they must go with the files. */
static char *map_dist_info(const char *rest, const char *component)
{
	static const char *const words[] = {"licen", "copying", "notice", "eula"};
	if (starts(rest, "licenses/"))
		return xasprintf("licenses/%s/%s", component, below(rest));
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strncasecmp(rest, words[i], strlen(words[i])) == 0)
			return xasprintf("licenses/%s/%s", component, rest);
	return NULL;
}

/* Python's files, and folders that a build left behind (".metadata" of cccl 13.0.85). */
static bool is_left_over(const char *rest)
{
	return rest[0] == '.' || strstr(rest, "/.metadata/") || ends(rest, ".py") ||
	       ends(rest, ".pyi") || ends(rest, ".pyc") || !strcmp(path_base(rest), "py.typed");
}

/*
 * The wheels have one include and one lib folder, NVIDIA's own layout has those of nvvm apart:
 * programs find libnvvm by nvvm/lib64 (numba, CMake), and nvcc has nvvm/bin and nvvm/libdevice in
 * its profile.
 */
static char *map_toolkit(const char *rest, const char *arch, const char *component)
{
	const char *in = below(rest);
	if (!in)
		return xasprintf("extras/%s/%s", component, rest);
	if (!strcmp(rest, "include/nvvm.h"))
		return xstrdup("nvvm/include/nvvm.h");
	if (starts(rest, "include/"))
		return xasprintf("targets/%s-linux/include/%s", arch, in);
	if (starts(rest, "lib/libnvvm.so") || starts(rest, "lib64/libnvvm.so"))
		return xasprintf("nvvm/lib64/%s", in);
	if (starts(rest, "lib/") || starts(rest, "lib64/"))
		return xasprintf("targets/%s-linux/lib/%s", arch, in);
	/* bin, nvvm, compute-sanitizer, ...: as they stand. */
	return xstrdup(rest);
}

char *wheelmap(const char *entry, const char *arch, const char *component)
{
	const char *in = below(entry);
	if (!in)
		return is_left_over(entry) ? NULL : xasprintf("extras/%s/%s", component, entry);
	autofree char *top = xstrndup(entry, (size_t)(in - entry) - 1);
	if (ends(top, ".dist-info"))
		return map_dist_info(in, component);
	/* nvidia/cu13/..., before that nvidia/cublas/...: the second name says nothing here. */
	const char *rest = strcmp(top, "nvidia") == 0 ? below(in) : NULL;
	if (is_left_over(rest ? rest : in))
		return NULL;
	return rest ? map_toolkit(rest, arch, component)
		    : xasprintf("extras/%s/%s", component, entry);
}
