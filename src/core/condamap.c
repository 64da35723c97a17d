#include "core/condamap.h"

#include <string.h>

#include "base/attr.h"

/* Conda's own, or of use in an environment alone. */
static const char *const left_out[] = {"info", "etc", "conda-meta", "Menu", "Scripts", "ssl"};

static bool is_part(const char *entry, size_t n, const char *name)
{
	return strlen(name) == n && !strncmp(entry, name, n);
}

char *condamap(const char *entry, const char *arch, const char *component)
{
	static const char *const folders[][2] = {
		{"include", "include"}, {"lib", "lib"}, {"lib64", "lib"}};
	size_t n = strcspn(entry, "/");
	for (size_t i = 0; i < ARRAY_LEN(left_out); i++)
		if (is_part(entry, n, left_out[i]))
			return NULL;
	for (size_t i = 0; i < ARRAY_LEN(folders); i++)
		if (is_part(entry, n, folders[i][0]))
			return entry[n] ? xasprintf("targets/%s-linux/%s%s", arch, folders[i][1],
						    entry + n)
					: NULL;
	/* Only folders of known meaning lie at the top of a prefix. */
	return entry[n] ? xstrdup(entry) : xasprintf("extras/%s/%s", component, entry);
}
