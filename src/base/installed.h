#pragma once
/* What is installed, for messages. No allocation: the shim uses it on its way to an error. */
#include <stdbool.h>
#include <stddef.h>

#include "base/layout.h"
#include "base/version.h"

enum { INSTALLED_MAX = 64 };

struct installed {
	char name[INSTALLED_MAX][VERSION_TEXT];
	int n;
	bool more; /* there are more than INSTALLED_MAX */
};

/*
 * The names of folders and links below versions/ of all roots, each once: numbers first, newest first,
 * then names. tool: only those that have an executable bin/<tool>; NULL: all.
 */
void installed_list(const struct layout *l, const char *tool, struct installed *out);

/* "12.4.1, 11.8.0", with "..." at the end where not all fit; "none". Returns out. */
const char *installed_words(const struct installed *v, char *out, size_t cap);
