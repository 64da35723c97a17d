#include <limits.h>
#include <string.h>

#include "base/attr.h"
#include "base/path.h"
#include "ext/unpack_priv.h"

enum { NAME_LENGTH_MAX = 3000 };

static bool is_utf8(const char *s)
{
	for (const unsigned char *p = (const unsigned char *)s; *p;) {
		int more = *p < 0x80   ? 0
			   : *p < 0xc2 ? -1
			   : *p < 0xe0 ? 1
			   : *p < 0xf0 ? 2
			   : *p < 0xf5 ? 3
				       : -1;
		if (more < 0)
			return false;
		/* Not overlong, no surrogates, not above U+10FFFF. */
		if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f) ||
		    (*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] > 0x8f))
			return false;
		for (p++; more > 0; more--, p++)
			if ((*p & 0xc0) != 0x80)
				return false;
	}
	return true;
}

const char *unpack_name_fault(const char *name)
{
	if (strlen(name) > NAME_LENGTH_MAX)
		return "has a name that is too long";
	for (const char *s = name; *s;) {
		size_t n = strcspn(s, "/");
		if (n > NAME_MAX)
			return "has a name that is too long";
		s += n + (s[n] == '/');
	}
	if (!is_utf8(name))
		return "has a name that is not UTF-8";
	return path_safe_relative(name) ? NULL : "has a forbidden name";
}

char *unpack_name_clean(const char *name)
{
	while (name[0] == '.' && name[1] == '/')
		name += 2 + strspn(name + 2, "/");
	size_t n = strlen(name);
	while (n > 0 && name[n - 1] == '/')
		n--;
	return xstrndup(name, n);
}
