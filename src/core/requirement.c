#include "core/requirement.h"

#include <ctype.h>
#include <string.h>

#include "core/wheelname.h"

static const char *blanks(const char *p)
{
	while (isspace((unsigned char)*p))
		p++;
	return p;
}

/* The conditions, which end before ';' or at the end; parentheses around them are taken off. */
static bool parse_spec(const char *p, size_t n, struct pyspec *out)
{
	while (n && isspace((unsigned char)p[n - 1]))
		n--;
	if (n && *p == '(') {
		if (p[n - 1] != ')')
			return false;
		p++;
		n -= 2;
	}
	return pyspec_parse(p, n, out);
}

bool requirement_parse(const char *line, size_t len, struct requirement *out, struct err *err)
{
	char text[REQUIREMENT_MAX];
	struct requirement r = {0};
	if (len >= sizeof text || memchr(line, '\0', len))
		return err_set(err, ERR_INTEGRITY, "requirement '%.60s...' is too long",
			       len ? line : "");
	memcpy(text, line, len);
	text[len] = '\0';
	const char *p = blanks(text), *name = p;
	while (isalnum((unsigned char)*p) || (*p && strchr("-_.", *p)))
		p++;
	if (!wheelname_project(name, (size_t)(p - name), r.name))
		return err_set(err, ERR_INTEGRITY, "requirement '%.200s' names no package", text);
	p = blanks(p);
	if (*p == '[') {
		p = strchr(p, ']');
		if (!p)
			return err_set(err, ERR_INTEGRITY, "requirement '%.200s' has no ']'", text);
		p = blanks(p + 1);
	}
	size_t n = strcspn(p, ";");
	if (*p == '@' || !parse_spec(p, n, &r.spec))
		return err_set(err, ERR_INTEGRITY,
			       "requirement '%.200s' has a bad version condition", text);
	p += n;
	if (*p == ';') {
		p = blanks(p + 1);
		memcpy(r.marker, p, strlen(p) + 1);
	}
	*out = r;
	return true;
}
