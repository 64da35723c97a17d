#include "core/place.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/attr.h"

/* The prefix that this program runs from, as <prefix>/bin/cudaenv; NULL: it cannot be told. */
static char *running_prefix(void)
{
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	for (int up = 0; up < 2; up++) {
		while (n > 0 && exe[n - 1] != '/')
			n--;
		n--;
	}
	return n > 0 ? xstrndup(exe, (size_t)n) : NULL;
}

char *place_find(const char *variable, const char *installed)
{
	const char *told = variable ? getenv(variable) : NULL;
	size_t n = strlen(PREFIX);
	autofree char *prefix = running_prefix();
	if (told && told[0])
		return xstrdup(told);
	if (prefix && !strncmp(installed, PREFIX, n) && installed[n] == '/') {
		autofree char *moved = xasprintf("%s%s", prefix, installed + n);
		if (access(moved, R_OK) == 0)
			return take_ptr(moved);
	}
	return xstrdup(installed);
}
