/* deb [ option=value ... ] URI SUITE [COMPONENT...] */
#include <string.h>
#include <strings.h>

#include "core/aptsources.h"

static const char blanks[] = " \t\r";

static const char *skip(const char *s)
{
	return s + strspn(s, blanks);
}

static char *take_word(const char **at)
{
	const char *s = skip(*at);
	size_t n = strcspn(s, blanks);
	*at = s + n;
	return n ? xstrndup(s, n) : NULL;
}

static void take_option(struct aptsource *x, const char *s, size_t n)
{
	static const char *const names[] = {"arch", "signed-by", "trusted", "check-valid-until"};
	const char *eq = memchr(s, '=', n);
	if (!eq)
		return;
	size_t key = (size_t)(eq - s), len = n - key - 1;
	/* "arch+=i386" adds to what is there already. */
	bool adds = key && (s[key - 1] == '+' || s[key - 1] == '-');
	for (size_t i = 0; !adds && i < ARRAY_LEN(names); i++) {
		if (strlen(names[i]) != key || strncasecmp(names[i], s, key) != 0)
			continue;
		if (i == 0)
			aptsources_split(&x->archs, eq + 1, len, ",");
		else if (i == 1)
			aptsources_split(&x->keys, eq + 1, len, ",");
		else
			*(i == 2 ? &x->trusted : &x->check_valid_until) =
				aptsource_flag(eq + 1, len);
	}
}

/* "[ arch=amd64 signed-by=/x ]"; NULL: it has no end. */
static const char *take_options(struct aptsource *x, const char *s)
{
	const char *end = strchr(s, ']');
	if (!end)
		return NULL;
	for (s = skip(s + 1); s < end; s = skip(s)) {
		size_t n = strcspn(s, " \t\r]");
		take_option(x, s, n);
		s += n;
	}
	return end + 1;
}

/* What is wrong with the line, or NULL. */
static const char *parse_line(struct aptsource *x, const char *s)
{
	s = skip(s);
	if (*s == '[' && !(s = take_options(x, s)))
		return "'[' without ']'";
	s = skip(s);
	if (!strncasecmp(s, "cdrom:", 6)) {
		x->uri = xstrdup("cdrom:");
		return NULL;
	}
	x->uri = take_word(&s);
	if (!x->uri || !strchr(x->uri, ':'))
		return "no URI";
	x->suite = take_word(&s);
	if (!x->suite)
		return "no suite behind the URI";
	for (char *word; (word = take_word(&s));) {
		strlist_add(&x->components, word);
		attr_free(&word);
	}
	bool flat = x->suite[strlen(x->suite) - 1] == '/';
	if (flat && x->components.n)
		return "components behind a flat repository's folder";
	return flat || x->components.n ? NULL : "no components behind the suite";
}

static void take_line(struct aptsources *s, const char *line, const char *path, int number,
		      const struct events *ev)
{
	struct aptsource x = {.where = xasprintf("'%s' line %d", path, number)};
	const char *at = line;
	autofree char *type = take_word(&at);
	const char *why = NULL;
	if (!type || *type == '#' || !strcmp(type, "deb-src"))
		why = NULL;
	else if (!strcmp(type, "deb"))
		why = parse_line(&x, at);
	else
		why = "it begins neither with 'deb' nor with 'deb-src'";
	if (why)
		event_warn(ev, "apt does not read it either", "%s: %s", x.where, why);
	if (!why && x.uri)
		aptsources_take(s, &x, ev);
	aptsource_clear(&x);
}

void aptline_parse(struct aptsources *s, const char *path, const char *text, size_t len,
		   const struct events *ev)
{
	int number = 0;
	for (const char *end = text + len; text < end;) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((nl ? nl : end) - text);
		autofree char *line = xstrndup(text, n);
		line[strcspn(line, "#")] = '\0';
		number++;
		if (strlen(line) < n && memchr(text, '\0', n))
			event_warn(ev, NULL, "'%s' line %d: it has a NUL byte", path, number);
		else
			take_line(s, line, path, number, ev);
		text += n + 1;
	}
}
