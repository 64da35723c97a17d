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

/* Terms of use go with the files; nothing else of a package's own data does. */
static bool is_terms(const char *name)
{
	static const char *const words[] = {"licen", "copying", "notice", "eula"};
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strncasecmp(name, words[i], strlen(words[i])) == 0)
			return true;
	return false;
}

static char *map_dist_info(const char *rest, const char *component)
{
	if (starts(rest, "licenses/"))
		return xasprintf("licenses/%s/%s", component, below(rest));
	return is_terms(rest) ? xasprintf("licenses/%s/%s", component, rest) : NULL;
}

/* Python's files, and folders that a build left behind (".metadata" of cccl 13.0.85). */
static bool is_left_over(const char *rest)
{
	const char *name = path_base(rest);
	return rest[0] == '.' || strstr(rest, "/.metadata/") || strstr(rest, "__pycache__/") ||
	       !strcmp(name, "__init__.py") || !strcmp(name, "py.typed");
}

/*
 * The wheels have one include and one lib folder. NVIDIA's own layout has those of nvvm apart
 * (nvcc, CMake and numba look there), and the headers of the sanitizer, some of which CUPTI has
 * under the same name. From 13.3 the CMake files of CCCL stand in cccl/lib, from where they would
 * not find their headers.
 */
static char *map_toolkit(const char *rest, const char *arch, const char *component)
{
	if (starts(rest, "cccl/"))
		rest = below(rest);
	const char *in = below(rest);
	/* nvcomp has its libraries beside the folder of headers. */
	if (!in && starts(rest, "lib") && strstr(rest, ".so"))
		return xasprintf("targets/%s-linux/lib/%s", arch, rest);
	if (!in)
		return is_terms(rest) ? xasprintf("licenses/%s/%s", component, rest)
				      : xasprintf("extras/%s/%s", component, rest);
	if (!strcmp(rest, "include/nvvm.h"))
		return xstrdup("nvvm/include/nvvm.h");
	if (starts(rest, "include/") && !strcmp(component, "cuda_sanitizer_api"))
		return xasprintf("compute-sanitizer/include/%s", in);
	if (starts(rest, "include/"))
		return xasprintf("targets/%s-linux/include/%s", arch, in);
	if (starts(rest, "lib/libnvvm.so") || starts(rest, "lib64/libnvvm.so"))
		return xasprintf("nvvm/lib64/%s", in);
	if (starts(rest, "lib/") || starts(rest, "lib64/"))
		return xasprintf("targets/%s-linux/lib/%s", arch, in);
	/* bin, nvvm, ...: as they stand. */
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
	/*
	 * nvidia/cu13/..., before that nvidia/cublas/...: the second name says nothing here. A
	 * product of its own may have its name in front: cutensor/lib/...
	 */
	const char *rest = !strcmp(top, "nvidia") ? below(in) : !strcmp(top, component) ? in : NULL;
	if (is_left_over(rest ? rest : in))
		return NULL;
	return rest ? map_toolkit(rest, arch, component)
		    : xasprintf("extras/%s/%s", component, entry);
}
