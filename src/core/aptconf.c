#include "core/aptconf.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/io.h"

enum { FILE_MAX = 1 << 20, KEY_MAX = 1024, DEPTH_MAX = 16, FILES_MAX = 1000 };

static void add(struct aptconf *c, const char *key, const char *value)
{
	c->entries = array_grow(c->entries, c->n, sizeof *c->entries);
	struct aptconf_entry *e = &c->entries[c->n++];
	*e = (struct aptconf_entry){xstrdup(key), xstrdup(value)};
	for (char *s = e->key; *s; s++)
		*s = (char)tolower((unsigned char)*s);
}

static const char *skip_blanks(const char *s)
{
	for (;;) {
		s += strspn(s, " \t\r\n");
		if (!strncmp(s, "//", 2) || *s == '#') {
			s += strcspn(s, "\n");
		} else if (!strncmp(s, "/*", 2)) {
			const char *end = strstr(s + 2, "*/");
			s = end ? end + 2 : s + strlen(s);
		} else {
			return s;
		}
	}
}

/* A word, or a text in quotes. NULL: neither. */
static char *take_word(const char **at)
{
	const char *s = *at;
	if (*s == '"') {
		size_t n = strcspn(s + 1, "\"");
		if (!s[1 + n])
			return NULL;
		*at = s + n + 2;
		return xstrndup(s + 1, n);
	}
	size_t n = strcspn(s, " \t\r\n;{}\"");
	*at = s + n;
	return n ? xstrndup(s, n) : NULL;
}

/* Up to the '}' that ends the block, or the end; NULL: cannot be made out. */
static const char *parse_block(struct aptconf *c, const char *s, const char *above, int depth)
{
	for (;;) {
		s = skip_blanks(s);
		if (*s == ';') {
			s++;
			continue;
		}
		if (!*s || *s == '}')
			return s;
		autofree char *word = take_word(&s);
		if (!word || strlen(above) + strlen(word) > KEY_MAX)
			return NULL;
		autofree char *key = *above ? xasprintf("%s::%s", above, word) : xstrdup(word);
		s = skip_blanks(s);
		autofree char *value = *s && !strchr("{};", *s) ? take_word(&s) : NULL;
		if (value)
			s = skip_blanks(s);
		/* "B "value";" in a block without a value of its own is an item of a list. */
		add(c, key, value ? value : "");
		if (*s == '{') {
			s = depth < DEPTH_MAX ? parse_block(c, s + 1, key, depth + 1) : NULL;
			if (!s || *s != '}')
				return NULL;
			s++;
		} else if (*s != ';') {
			return NULL;
		}
	}
}

void aptconf_parse(struct aptconf *c, const char *text)
{
	for (const char *s = text; s && *s;) {
		s = parse_block(c, s, "", 0);
		/* A '}' too many. */
		s = s && *s == '}' ? s + 1 : NULL;
	}
}

static void read_file(struct aptconf *c, const char *path, const struct events *ev)
{
	struct err err;
	autobuf struct buf text = BUF_INIT(FILE_MAX);
	if (io_read_file(path, &text, &err))
		aptconf_parse(c, buf_str(&text));
	else
		event_debug(ev, "%s", err.msg);
}

/* Names that apt takes: no extension, or .conf. */
static bool is_part(const char *name)
{
	const char *dot = strrchr(name, '.');
	return name[0] != '.' && (!dot || !strcmp(dot, ".conf")) && !strchr(name, '~');
}

void aptconf_parts(const char *folder, bool (*wanted)(const char *name), struct strlist *out)
{
	autodir DIR *d = opendir(folder);
	for (struct dirent *e; d && out->n < FILES_MAX && (e = readdir(d));) {
		autofree char *path = xasprintf("%s/%s", folder, e->d_name);
		if (wanted(e->d_name))
			strlist_add(out, path);
	}
	strlist_sort(out);
}

static void read_parts(struct aptconf *c, const char *folder, const struct events *ev)
{
	autostrlist struct strlist paths = {0};
	aptconf_parts(folder, is_part, &paths);
	for (size_t i = 0; i < paths.n; i++)
		read_file(c, paths.items[i], ev);
}

const char *aptconf_get(const struct aptconf *c, const char *key)
{
	for (size_t i = c->n; i-- > 0;)
		if (!strcasecmp(c->entries[i].key, key))
			return c->entries[i].value;
	return NULL;
}

bool aptconf_flag(const struct aptconf *c, const char *key, bool preset)
{
	static const char *const no[] = {"no", "false", "without", "off", "disable", "0"};
	static const char *const yes[] = {"yes", "true", "with", "on", "enable", "1"};
	const char *value = aptconf_get(c, key);
	for (size_t i = 0; value && i < ARRAY_LEN(no); i++) {
		if (!strcasecmp(value, no[i]))
			return false;
		if (!strcasecmp(value, yes[i]))
			return true;
	}
	return preset;
}

/* A name that is not absolute lies in the folder above it. */
static char *locate(const struct aptconf *c, const char *key, const char *preset)
{
	static const char *const above[][2] = {{"dir::etc", "etc/apt"}, {"dir", "/"}};
	const char *value = aptconf_get(c, key);
	char *path = xstrdup(value && *value ? value : preset);
	for (size_t i = 0; i < ARRAY_LEN(above) && path[0] != '/'; i++) {
		const char *folder = aptconf_get(c, above[i][0]);
		char *longer = xasprintf("%s/%s", folder && *folder ? folder : above[i][1], path);
		free(path);
		path = longer;
	}
	return path;
}

char *aptconf_path(const struct aptconf *c, enum aptconf_place place)
{
	static const char *const places[][2] = {
		[APTCONF_SOURCELIST] = {"dir::etc::sourcelist", "sources.list"},
		[APTCONF_SOURCEPARTS] = {"dir::etc::sourceparts", "sources.list.d"},
		[APTCONF_TRUSTED] = {"dir::etc::trusted", "trusted.gpg"},
		[APTCONF_TRUSTEDPARTS] = {"dir::etc::trustedparts", "trusted.gpg.d"},
	};
	return locate(c, places[place][0], places[place][1]);
}

void aptconf_load(struct aptconf *c, const struct events *ev)
{
	const char *first = getenv("APT_CONFIG");
	*c = (struct aptconf){0};
	if (first && *first)
		read_file(c, first, ev);
	autofree char *parts = locate(c, "dir::etc::parts", "apt.conf.d");
	autofree char *whole = locate(c, "dir::etc::main", "apt.conf");
	read_parts(c, parts, ev);
	read_file(c, whole, ev);
}

void aptconf_clear(struct aptconf *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->entries[i].key);
		free(c->entries[i].value);
	}
	free(c->entries);
	*c = (struct aptconf){0};
}

/* The host of a URL. The caller frees. */
static char *host_of(const char *url)
{
	const char *s = strstr(url, "://");
	s = s ? s + 3 : url;
	size_t n = strcspn(s, "/");
	const char *at = memchr(s, '@', n);
	if (at) {
		n -= (size_t)(at + 1 - s);
		s = at + 1;
	}
	return xstrndup(s, strcspn(s, ":/"));
}

char *aptconf_proxy(const struct aptconf *c, const char *url)
{
	bool https = !strncasecmp(url, "https:", 6);
	if (!https && strncasecmp(url, "http:", 5) != 0)
		return NULL;
	autofree char *host = host_of(url);
	for (int i = https; i >= 0; i--) {
		const char *scheme = i ? "https" : "http";
		autofree char *all = xasprintf("acquire::%s::proxy", scheme);
		autofree char *one = xasprintf("%s::%.255s", all, host);
		const char *value = aptconf_get(c, one);
		if (!value || !*value)
			value = aptconf_get(c, all);
		if (value && *value)
			return xstrdup(strcasecmp(value, "DIRECT") && strcasecmp(value, "false")
					       ? value
					       : "");
	}
	return NULL;
}
