#include "core/redistmap.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/attr.h"

/* Top folders whose place differs from their name; %s is the architecture. */
static const struct {
	const char *name, *component, *place; /* component NULL: any */
} folders[] = {
	{"include", NULL, "targets/%s-linux/include"},
	{"lib", NULL, "targets/%s-linux/lib"},
	{"lib64", NULL, "targets/%s-linux/lib"},
	{"pkgconfig", NULL, "pkg-config"},
	{"demo_suite", NULL, "extras/demo_suite"},
	{"doc", "cuda_cupti", "extras/CUPTI/doc"},
	{"samples", "cuda_cupti", "extras/CUPTI/samples"},
};

/* The terms of use go with the files; all archives have them under one name. */
static bool is_licence(const char *file)
{
	static const char *const words[] = {"licen", "copying", "notice", "eula"};
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (!strncasecmp(file, words[i], strlen(words[i])))
			return true;
	return false;
}

/* nsight-compute/2023.1.1/... and nsight-systems/...: the prefix has nsight-compute-2023.1.1. */
static char *map_nsight(const char *rest)
{
	static const char *const names[] = {"nsight-compute/", "nsight-systems/"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		size_t n = strlen(names[i]);
		if (!strncmp(rest, names[i], n) && isdigit((unsigned char)rest[n]))
			return xasprintf("%.*s-%s", (int)n - 1, rest, rest + n);
	}
	return NULL;
}

static char *map_folder(const char *rest, const char *arch, const char *component)
{
	size_t n = strcspn(rest, "/");
	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		if (strlen(folders[i].name) != n || strncmp(rest, folders[i].name, n) != 0 ||
		    (folders[i].component && strcmp(component, folders[i].component) != 0))
			continue;
		const char *place = folders[i].place, *arg = strstr(place, "%s");
		if (!arg)
			return xasprintf("%s%s", place, rest + n);
		return xasprintf("%.*s%s%s%s", (int)(arg - place), place, arch, arg + 2, rest + n);
	}
	return NULL;
}

char *redistmap(const char *entry, const char *arch, const char *component)
{
	const char *slash = strchr(entry, '/');
	const char *rest = slash ? slash + 1 : "";
	if (!*rest)
		return NULL;
	char *place = map_folder(rest, arch, component);
	if (!place)
		place = map_nsight(rest);
	if (place)
		return place;
	/* Only folders of known meaning lie at the top of a prefix; ".cudaenv" there is ours. */
	if (strchr(rest, '/') && rest[0] != '.')
		return xstrdup(rest);
	if (is_licence(rest))
		return xasprintf("licenses/%s/%s", component, rest);
	return xasprintf("extras/%s/%s", component, rest);
}
