#include "core/debdep.h"

#include <string.h>

#include "base/attr.h"
#include "core/debver.h"

static const char blanks[] = " \t\n";

static const char *skip(const char *s)
{
	return s + strspn(s, blanks);
}

const char *debdep_next(const char *s, struct debdep *out)
{
	s += strspn(s, " \t\n,");
	if (!*s)
		return NULL;
	*out = (struct debdep){.name = s, .name_len = strcspn(s, " \t\n,|(:[<")};
	s += out->name_len;
	s = skip(s + strcspn(s, " \t\n,|("));
	if (*s == '(') {
		s = skip(s + 1);
		size_t n = strspn(s, "<>=");
		memcpy(out->op, s, n < 2 ? n : 2);
		s = skip(s + n);
		out->version = s;
		out->version_len = strcspn(s, " \t\n)");
	}
	return s + strcspn(s, ",");
}

bool debdep_fits(const struct debdep *d, const char *name, const char *version)
{
	if (strlen(name) != d->name_len || memcmp(name, d->name, d->name_len) != 0)
		return false;
	if (!d->op[0])
		return true;
	autofree char *limit = xstrndup(d->version, d->version_len);
	int c = debver_compare(version, limit);
	switch (d->op[0]) {
	case '=':
		return c == 0;
	case '>':
		return d->op[1] == '>' ? c > 0 : c >= 0;
	default:
		return d->op[1] == '<' ? c < 0 : c <= 0;
	}
}

bool debdep_names(const char *depends, const char *name)
{
	struct debdep d;
	while ((depends = debdep_next(depends, &d)))
		if (strlen(name) == d.name_len && !memcmp(name, d.name, d.name_len))
			return true;
	return false;
}
