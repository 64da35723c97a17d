#include "core/pipconf.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/io.h"

enum { PIPCONF_MAX = 256 << 10 };

static const struct {
	const char *name, *env;
} keys[PIPCONF_KEYS] = {
	[PIPCONF_INDEX_URL] = {"index-url", "PIP_INDEX_URL"},
	[PIPCONF_EXTRA_INDEX_URL] = {"extra-index-url", "PIP_EXTRA_INDEX_URL"},
	[PIPCONF_FIND_LINKS] = {"find-links", "PIP_FIND_LINKS"},
	[PIPCONF_NO_INDEX] = {"no-index", "PIP_NO_INDEX"},
	[PIPCONF_CERT] = {"cert", "PIP_CERT"},
	[PIPCONF_TRUSTED_HOST] = {"trusted-host", "PIP_TRUSTED_HOST"},
};

/* Weakest first. */
static const char *const sections[] = {"global", "download", "install"};

struct reader {
	const char *file;
	int line;
	struct buf section, key, value;
	pipconf_fn *fn;
	void *ctx;
};

static void flush(struct reader *r)
{
	if (r->key.len)
		r->fn(r->ctx, buf_str(&r->section), buf_str(&r->key), buf_str(&r->value));
	buf_clear(&r->key);
	buf_clear(&r->value);
}

static bool bad_line(const struct reader *r, const char *what, struct err *err)
{
	return err_set(err, ERR_USAGE, "'%s' line %d: %s", r->file, r->line, what);
}

static bool section_line(struct reader *r, const char *s, size_t n, struct err *err)
{
	flush(r);
	buf_clear(&r->section);
	if (n < 3 || s[n - 1] != ']')
		return bad_line(r, "a section ends with ']'", err);
	buf_add(&r->section, s + 1, n - 2);
	return true;
}

static bool key_line(struct reader *r, const char *s, size_t n, struct err *err)
{
	size_t k = 0;
	flush(r);
	while (k < n && s[k] != '=' && s[k] != ':')
		k++;
	if (k == n || k == 0 || !r->section.len)
		return bad_line(r, "neither a section nor 'key = value' in one", err);
	const char *value = s + k + 1, *end = s + n;
	while (isspace((unsigned char)s[k - 1]) && k > 1)
		k--;
	for (size_t i = 0; i < k; i++)
		buf_addc(&r->key, s[i] == '_' ? '-' : (char)tolower((unsigned char)s[i]));
	while (value < end && isspace((unsigned char)*value))
		value++;
	buf_add(&r->value, value, (size_t)(end - value));
	return true;
}

static bool one_line(struct reader *r, const char *s, size_t n, struct err *err)
{
	bool indented = n && isspace((unsigned char)*s);
	if (memchr(s, '\0', n))
		return bad_line(r, "NUL byte", err);
	while (n && isspace((unsigned char)*s))
		s++, n--;
	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	if (!n || *s == '#' || *s == ';')
		return true;
	if (indented && r->key.len) {
		buf_addc(&r->value, '\n');
		buf_add(&r->value, s, n);
		return true;
	}
	return *s == '[' ? section_line(r, s, n, err) : key_line(r, s, n, err);
}

bool pipconf_parse(const char *file, const char *text, size_t len, pipconf_fn *fn, void *ctx,
		   struct err *err)
{
	struct reader r = {.file = file, .fn = fn, .ctx = ctx};
	const char *end = text + len;
	bool ok = true;
	r.section.max = r.key.max = r.value.max = PIPCONF_MAX;
	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		text += 3;
	while (ok && text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		r.line++;
		ok = one_line(&r, text, (size_t)((nl ? nl : end) - text), err);
		text = nl ? nl + 1 : end;
	}
	if (ok)
		flush(&r);
	buf_clear(&r.section);
	buf_clear(&r.key);
	buf_clear(&r.value);
	return ok;
}

/* What the files say; the section decides before the order of files does. */
struct loader {
	struct pipconf by_section[ARRAY_LEN(sections)];
	const struct events *events;
	const char *file;
};

static void set(struct pipconf *c, size_t key, const char *value, char *origin)
{
	free(c->v[key].value);
	free(c->v[key].origin);
	c->v[key].value = xstrdup(value);
	c->v[key].origin = origin;
}

static void take(void *ctx, const char *section, const char *key, const char *value)
{
	struct loader *l = ctx;
	for (size_t s = 0; s < ARRAY_LEN(sections); s++)
		for (size_t k = 0; k < PIPCONF_KEYS; k++)
			if (*value && !strcmp(section, sections[s]) && !strcmp(key, keys[k].name))
				set(&l->by_section[s], k, value, xasprintf("'%s'", l->file));
}

static bool load_file(struct loader *l, const char *path, struct err *err)
{
	autobuf struct buf text = BUF_INIT(PIPCONF_MAX);
	struct err e;
	if (!io_read_file(path, &text, &e)) {
		if (e.sys != ENOENT && e.sys != ENOTDIR)
			event_warn(l->events, NULL, "pip's settings are left out: %s", e.msg);
		return true;
	}
	l->file = path;
	if (pipconf_parse(path, buf_str(&text), text.len, take, l, err))
		return true;
	return err_hint(err, "mend it, or set the index here: cudaenv config set index URL");
}

/* dir NULL or empty: nothing to do. */
static bool load_below(struct loader *l, const char *dir, const char *sub, struct err *err)
{
	if (!dir || !*dir)
		return true;
	autofree char *path = xasprintf("%s/%s", dir, sub);
	return load_file(l, path, err);
}

static bool load_system(struct loader *l, struct err *err)
{
	const char *dirs = getenv("XDG_CONFIG_DIRS");
	if (!dirs || !*dirs)
		dirs = "/etc/xdg";
	while (*dirs) {
		size_t n = strcspn(dirs, ":");
		autofree char *dir = xstrndup(dirs, n);
		if (!load_below(l, dir, "pip/pip.conf", err))
			return false;
		dirs += n + (dirs[n] == ':');
	}
	return load_file(l, "/etc/pip.conf", err);
}

static bool load_user(struct loader *l, struct err *err)
{
	const char *home = getenv("HOME"), *config = getenv("XDG_CONFIG_HOME");
	if (!load_below(l, home, ".pip/pip.conf", err))
		return false;
	return config && *config ? load_below(l, config, "pip/pip.conf", err)
				 : load_below(l, home, ".config/pip/pip.conf", err);
}

/* As pip does: a PIP_CONFIG_FILE that exists stands for the user's own, /dev/null for all files. */
static bool load_files(struct loader *l, struct err *err)
{
	const char *own = getenv("PIP_CONFIG_FILE");
	if (own && !strcmp(own, "/dev/null"))
		return true;
	if (!load_system(l, err))
		return false;
	if ((!own || !*own || access(own, F_OK) < 0) && !load_user(l, err))
		return false;
	return load_below(l, getenv("VIRTUAL_ENV"), "pip.conf", err) &&
	       (!own || !*own || load_file(l, own, err));
}

bool pipconf_load(struct pipconf *c, const struct events *ev, struct err *err)
{
	struct loader l = {.events = ev};
	struct pipconf result = {0};
	bool ok = load_files(&l, err);
	for (size_t s = 0; s < ARRAY_LEN(sections); s++) {
		for (size_t k = 0; k < PIPCONF_KEYS; k++)
			if (l.by_section[s].v[k].value)
				set(&result, k, l.by_section[s].v[k].value,
				    take_ptr(l.by_section[s].v[k].origin));
		pipconf_clear(&l.by_section[s]);
	}
	for (size_t k = 0; k < PIPCONF_KEYS; k++) {
		const char *value = getenv(keys[k].env);
		if (value && *value)
			set(&result, k, value, xstrdup(keys[k].env));
	}
	if (ok)
		*c = result;
	else
		pipconf_clear(&result);
	return ok;
}

void pipconf_clear(struct pipconf *c)
{
	for (size_t k = 0; k < PIPCONF_KEYS; k++) {
		free(c->v[k].value);
		free(c->v[k].origin);
	}
	*c = (struct pipconf){0};
}

bool pipconf_true(const struct pipconf *c, enum pipconf_key k)
{
	static const char *const words[] = {"1", "true", "yes", "on", "y", "t"};
	for (size_t i = 0; c->v[k].value && i < ARRAY_LEN(words); i++)
		if (!strcasecmp(c->v[k].value, words[i]))
			return true;
	return false;
}
