#pragma once
/* The field Depends: "a (>= 1.2), b | c (= 3)". Of alternatives the first one is looked at. */
#include <stdbool.h>
#include <stddef.h>

struct debdep {
	const char *name; /* borrowed from the field, like op and version */
	size_t name_len;
	char op[3]; /* "=", ">=", "<<", ...; "" any version */
	const char *version;
	size_t version_len;
};
/* The next one; the rest of the field, or NULL: there is none. */
const char *debdep_next(const char *s, struct debdep *out);
bool debdep_fits(const struct debdep *d, const char *name, const char *version);
/* Whether the field names that package, with whatever version. */
bool debdep_names(const char *depends, const char *name);
