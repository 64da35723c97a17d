#include "ext/zip_priv.h"

#include <string.h>

enum { NAME_MAX_BYTES = 255, PATH_MAX_BYTES = 4000 };

/* The length of the UTF-8 sequence at s (shortest form, no surrogate), 0 if there is none. */
static size_t utf8_len(const unsigned char *s, size_t n)
{
	static const struct {
		unsigned char mask, lead;
		uint32_t least;
	} forms[] = {{0x80, 0, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		if ((s[0] & forms[i].mask) != forms[i].lead)
			continue;
		uint32_t c = s[0] & (unsigned char)~forms[i].mask;
		if (i >= n)
			return 0;
		for (size_t k = 1; k <= i; k++) {
			if ((s[k] & 0xc0) != 0x80)
				return 0;
			c = c << 6 | (s[k] & 0x3f);
		}
		bool fine = c >= forms[i].least && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff);
		return fine ? i + 1 : 0;
	}
	return 0;
}

static const char *part_fault(const char *s, size_t n)
{
	if (n == 0)
		return "has an empty part in its name";
	if ((n == 1 && s[0] == '.') || (n == 2 && s[0] == '.' && s[1] == '.'))
		return "has '.' or '..' in its name";
	if (n > NAME_MAX_BYTES)
		return "has a name that is too long";
	return NULL;
}

const char *zip_name_fault(const char *name, size_t len)
{
	if (len == 0)
		return "has no name";
	if (len > PATH_MAX_BYTES)
		return "has a name that is too long";
	if (name[0] == '/')
		return "has an absolute name";
	for (size_t i = 0, k; i < len; i += k) {
		if ((unsigned char)name[i] < 0x20 || name[i] == 0x7f)
			return "has a control character in its name";
		if (name[i] == '\\')
			return "has a backslash in its name";
		k = utf8_len((const unsigned char *)name + i, len - i);
		if (!k)
			return "has a name that is not UTF-8";
	}
	if (name[len - 1] == '/')
		len--;
	for (size_t start = 0; start <= len;) {
		const char *slash = memchr(name + start, '/', len - start);
		size_t n = slash ? (size_t)(slash - name) - start : len - start;
		const char *fault = part_fault(name + start, n);
		if (fault)
			return fault;
		start += n + 1;
	}
	return NULL;
}

int zip_name_cmp(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	int x = *a == '/' ? 1 : (unsigned char)*a, y = *b == '/' ? 1 : (unsigned char)*b;
	return x - y;
}

const char *zip_name_clash(const char *prev, const char *next)
{
	size_t n = strlen(prev);
	if (strcmp(prev, next) == 0)
		return "is there twice";
	/* A folder's own entry ends in '/', so a name without one that goes on with '/' is a file.
	 */
	if (strncmp(prev, next, n) == 0 && next[n] == '/')
		return "is a file and a folder";
	return NULL;
}
