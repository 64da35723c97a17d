#include "base/path.h"

#include <string.h>

bool path_join(char *out, size_t cap, const char *a, const char *b)
{
	size_t na = strlen(a), nb = strlen(b);
	while (na > 1 && a[na - 1] == '/')
		na--;
	bool slash = na && a[na - 1] != '/';
	while (na && *b == '/')
		b++, nb--;
	if (na + slash + nb + 1 > cap)
		return false;
	memmove(out, a, na);
	if (slash)
		out[na] = '/';
	memcpy(out + na + slash, b, nb + 1);
	return true;
}

const char *path_base(const char *p)
{
	const char *slash = strrchr(p, '/');
	return slash ? slash + 1 : p;
}

static bool safe_part(const char *s, size_t n)
{
	if (n == 0 || (n == 1 && s[0] == '.') || (n == 2 && s[0] == '.' && s[1] == '.'))
		return false;
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)s[i] < 0x20 || s[i] == 0x7f || s[i] == '/')
			return false;
	return true;
}

bool path_safe_component(const char *s)
{
	return safe_part(s, strlen(s));
}

bool path_safe_relative(const char *s)
{
	for (;;) {
		size_t n = strcspn(s, "/");
		if (!safe_part(s, n))
			return false;
		if (!s[n])
			return true;
		s += n + 1;
	}
}
