#include "core/runfilemap.h"

#include <fnmatch.h>
#include <string.h>

#include "base/attr.h"
#include "base/path.h"
#include "core/source.h"

/* Parts of a runfile that are no part of a toolkit. */
static bool left_out(const char *component)
{
	static const char *const names[] = {"bin",	    "integration",	"cuda_samples",
					    "cuda-samples", "cuda_uninstaller", "NVIDIA*.run"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (fnmatch(names[i], component, 0) == 0)
			return true;
	return !profile_wants(PROFILE_FULL, component);
}

/* Of the old installer, beside the toolkit's folders. */
static bool is_installer(const char *name)
{
	static const char *const names[] = {"*.pl",	 "*.pm",	  "*.xml",
					    "*install*", "InstallUtils*", ".*"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (fnmatch(names[i], name, 0) == 0)
			return true;
	return false;
}

/* In a toolkit that still has folders where newer ones have links to targets/. */
static char *in_toolkit(const char *component, const char *rest, const char *arch)
{
	static const struct {
		const char *name, *target;
	} folders[] = {{"include", "include"}, {"lib64", "lib"}, {"lib", "lib"}};
	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		size_t n = strlen(folders[i].name);
		if (strncmp(rest, folders[i].name, n) != 0)
			continue;
		if (!rest[n])
			return NULL;
		if (rest[n] == '/')
			return xasprintf("builds/%s/targets/%s-linux/%s%s", component, arch,
					 folders[i].target, rest + n);
	}
	return xasprintf("builds/%s/%s", component, rest);
}

static char *in_builds(const char *rest, const char *arch)
{
	size_t n = strcspn(rest, "/");
	autofree char *component = xstrndup(rest, n);
	if (left_out(component))
		return NULL;
	if (rest[n] && rest[n + 1])
		return in_toolkit(component, rest + n + 1, arch);
	/* The folder itself, or a file beside the components. */
	return xasprintf("builds/%s", rest);
}

char *runfilemap(const char *entry, const char *arch)
{
	size_t n = strcspn(entry, "/");
	if (!strncmp(entry, "builds/", 7))
		return entry[7] ? in_builds(entry + 7, arch) : NULL;
	if (!strncmp(entry, "manifests/", 10))
		return xstrdup(entry);
	autofree char *top = xstrndup(entry, n);
	if (!strcmp(top, "run_files") || is_installer(top))
		return NULL;
	return in_toolkit("toolkit", entry, arch);
}

bool runfilemap_is_inner(const char *entry)
{
	return fnmatch("cuda-linux*.run", path_base(entry), 0) == 0 &&
	       !strncmp(entry, "run_files/", 10);
}
