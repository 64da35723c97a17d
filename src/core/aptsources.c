#include "core/aptsources.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/io.h"
#include "core/deb822.h"

enum { FILE_MAX = 4 << 20, SOURCES_MAX = 2000 };

void aptsource_clear(struct aptsource *x)
{
	free(x->uri);
	free(x->suite);
	free(x->key_block);
	free(x->where);
	strlist_clear(&x->components);
	strlist_clear(&x->archs);
	strlist_clear(&x->keys);
	*x = (struct aptsource){0};
}

void aptsources_clear(struct aptsources *s)
{
	for (size_t i = 0; i < s->n; i++)
		aptsource_clear(&s->items[i]);
	free(s->items);
	*s = (struct aptsources){0};
}

enum aptsource_flag aptsource_flag(const char *s, size_t n)
{
	static const char *const yes[] = {"yes", "true", "with", "on", "enable", "1"};
	for (size_t i = 0; i < ARRAY_LEN(yes); i++)
		if (strlen(yes[i]) == n && !strncasecmp(s, yes[i], n))
			return APTSOURCE_YES;
	return APTSOURCE_NO;
}

void aptsources_split(struct strlist *out, const char *s, size_t n, const char *between)
{
	const char *end = s + n;
	while (s < end) {
		size_t k = 0;
		while (s + k < end && !strchr(between, s[k]))
			k++;
		autofree char *word = xstrndup(s, k);
		if (k)
			strlist_add(out, word);
		s += k < (size_t)(end - s) ? k + 1 : k;
	}
}

/* "file:/srv/x", "copy:/srv/x" and "file:///srv/x" -> "file:///srv/x"; no '/' at the end. NULL: not for us. */
static char *usable_uri(const char *uri)
{
	size_t n = strlen(uri);
	while (n && uri[n - 1] == '/')
		n--;
	if (!strncasecmp(uri, "http://", 7) || !strncasecmp(uri, "https://", 8))
		return n > 8 ? xstrndup(uri, n) : NULL;
	if (strncasecmp(uri, "file:", 5) != 0 && strncasecmp(uri, "copy:", 5) != 0)
		return NULL;
	const char *path = uri + 5 + strspn(uri + 5, "/");
	return path > uri + 5 && path < uri + n
		       ? xasprintf("file:///%.*s", (int)(uri + n - path), path)
		       : NULL;
}

void aptsources_take(struct aptsources *s, struct aptsource *x, const struct events *ev)
{
	char *uri = usable_uri(x->uri);
	if (!uri || s->n >= SOURCES_MAX) {
		event_debug(ev, "%s is passed over", x->where);
		free(uri);
		aptsource_clear(x);
		return;
	}
	free(x->uri);
	x->uri = uri;
	s->items = array_grow(s->items, s->n, sizeof *s->items);
	s->items[s->n++] = *x;
	*x = (struct aptsource){0};
}

struct file {
	struct aptsources *s;
	const char *path;
	const struct events *ev;
};

static void words(const struct deb822_paragraph *p, const char *field, struct strlist *out)
{
	autofree char *text = deb822_text(p, field);
	if (text)
		aptsources_split(out, text, strlen(text), " \t\n");
}

static enum aptsource_flag flag(const struct deb822_paragraph *p, const char *field)
{
	const char *value;
	size_t n;
	return deb822_line(p, field, &value, &n) ? aptsource_flag(value, n) : APTSOURCE_UNSET;
}

/* Lines of a key as they were, with empty ones in place of ".". */
static char *key_block(const char *text)
{
	struct buf b = BUF_INIT(DEB822_PARAGRAPH_MAX);
	for (const char *s = text; *s;) {
		size_t n = strcspn(s, "\n");
		if (n != 1 || *s != '.')
			buf_add(&b, s, n);
		buf_addc(&b, '\n');
		s += n + (s[n] == '\n');
	}
	return buf_take(&b);
}

static void read_keys(const struct deb822_paragraph *p, struct aptsource *x)
{
	autofree char *text = deb822_text(p, "Signed-By");
	if (!text)
		return;
	if (strstr(text, "-----BEGIN PGP"))
		x->key_block = key_block(text);
	else
		aptsources_split(&x->keys, text, strlen(text), " \t\n,");
}

static void tell(const struct file *f, int line, const char *why)
{
	event_warn(f->ev, "apt does not read it either", "'%s' line %d: %s", f->path, line, why);
}

/* Each URI with each suite. */
static bool on_paragraph(void *ctx, const struct deb822_paragraph *p, struct err *err)
{
	struct file *f = ctx;
	autostrlist struct strlist types = {0}, uris = {0}, suites = {0};
	(void)err;
	words(p, "Types", &types);
	words(p, "URIs", &uris);
	words(p, "Suites", &suites);
	if (flag(p, "Enabled") == APTSOURCE_NO || (types.n && !strlist_has(&types, "deb")))
		return true;
	if (!types.n || !uris.n || !suites.n) {
		tell(f, p->line,
		     !types.n  ? "no 'Types:'"
		     : !uris.n ? "no 'URIs:'"
			       : "no 'Suites:'");
		return true;
	}
	for (size_t i = 0; i < uris.n; i++)
		for (size_t k = 0; k < suites.n; k++) {
			struct aptsource x = {
				.uri = xstrdup(uris.items[i]),
				.suite = xstrdup(suites.items[k]),
				.trusted = flag(p, "Trusted"),
				.check_valid_until = flag(p, "Check-Valid-Until"),
				.where = xasprintf("'%s' line %d", f->path, p->line),
			};
			words(p, "Components", &x.components);
			words(p, "Architectures", &x.archs);
			read_keys(p, &x);
			aptsources_take(f->s, &x, f->ev);
		}
	return true;
}

static bool ends(const char *s, const char *with)
{
	size_t n = strlen(s), m = strlen(with);
	return n > m && !strcmp(s + n - m, with);
}

void aptsources_parse(struct aptsources *s, const char *path, const char *text, size_t len,
		      const struct events *ev)
{
	struct err err;
	struct file f = {s, path, ev};
	if (!ends(path, ".sources"))
		aptline_parse(s, path, text, len, ev);
	else if (!deb822_parse(path, ERR_USAGE, text, len, on_paragraph, &f, &err))
		event_warn(ev, "apt does not read it either", "%s", err.msg);
}

static void read_file(struct aptsources *s, const char *path, const struct events *ev)
{
	struct err err;
	autobuf struct buf text = BUF_INIT(FILE_MAX);
	if (io_read_file(path, &text, &err))
		aptsources_parse(s, path, buf_str(&text), text.len, ev);
	else if (err.sys == ENOENT)
		event_debug(ev, "%s", err.msg);
	else
		event_warn(ev, NULL, "%s", err.msg);
}

/* Names that apt takes; what an editor or a package left behind has others. */
static bool is_part(const char *name)
{
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("_-.", *c))
			return false;
	return name[0] != '.' && (ends(name, ".list") || ends(name, ".sources"));
}

void aptsources_load(struct aptsources *s, const struct aptconf *conf, const struct events *ev)
{
	autofree char *list = aptconf_path(conf, APTCONF_SOURCELIST);
	autofree char *parts = aptconf_path(conf, APTCONF_SOURCEPARTS);
	autostrlist struct strlist paths = {0};
	*s = (struct aptsources){0};
	read_file(s, list, ev);
	aptconf_parts(parts, is_part, &paths);
	for (size_t i = 0; i < paths.n; i++)
		read_file(s, paths.items[i], ev);
}
