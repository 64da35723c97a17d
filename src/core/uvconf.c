#include "core/uvconf.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/io.h"
#include "core/pyurl.h"
#include "ext/tomlfile.h"

enum { UVCONF_MAX = 256 << 10 };

/* UV_INDEX_<NAME>_USERNAME and _PASSWORD, with '_' for what a variable's name cannot hold. */
static const char *login_part(const char *name, size_t n, const char *what)
{
	autofree char *var = xasprintf("UV_INDEX_%.*s_%s", (int)n, name, what);
	for (char *p = var; *p; p++)
		*p = isalnum((unsigned char)*p) ? (char)toupper((unsigned char)*p) : '_';
	const char *value = getenv(var);
	return value && *value ? value : NULL;
}

static void add_coded(struct buf *b, const char *s)
{
	for (; *s; s++)
		if (isalnum((unsigned char)*s) || strchr("-._~", *s))
			buf_addc(b, *s);
		else
			buf_addf(b, "%%%02X", (unsigned char)*s);
}

static char *with_login(const char *url, const char *name, size_t n)
{
	const char *user = n ? login_part(name, n, "USERNAME") : NULL;
	const char *password = n ? login_part(name, n, "PASSWORD") : NULL;
	const char *host = strstr(url, "://");
	if ((!user && !password) || !host)
		return xstrdup(url);
	autofree char *bare = pyurl_without_login(url);
	struct buf b = BUF_INIT(16 << 10);
	size_t scheme = (size_t)(host + 3 - url);
	buf_add(&b, bare, scheme);
	add_coded(&b, user ? user : "");
	buf_addc(&b, ':');
	add_coded(&b, password ? password : "");
	buf_addc(&b, '@');
	buf_adds(&b, bare + scheme);
	return buf_take(&b);
}

static void add(struct uvconf *c, struct uvconf_url u)
{
	c->urls = array_grow(c->urls, c->n, sizeof *c->urls);
	c->urls[c->n++] = u;
}

/* "URL" or "name=URL". */
static void add_word(struct uvconf *c, enum uvconf_kind kind, const char *word, const char *var)
{
	size_t n = strcspn(word, "=:/");
	if (word[n] != '=' || kind == UVCONF_LINKS)
		n = 0;
	add(c, (struct uvconf_url){.kind = kind,
				   .url = with_login(word + (n ? n + 1 : 0), word, n),
				   .origin = xstrdup(var),
				   .from_env = true});
}

static void load_env(struct uvconf *c)
{
	static const struct {
		const char *var, *separators;
		enum uvconf_kind kind;
	} vars[] = {
		{"UV_DEFAULT_INDEX", "", UVCONF_DEFAULT},
		{"UV_INDEX_URL", "", UVCONF_DEFAULT},
		{"UV_INDEX", " \t\r\n", UVCONF_EXTRA},
		{"UV_EXTRA_INDEX_URL", " \t\r\n", UVCONF_EXTRA},
		{"UV_FIND_LINKS", ",", UVCONF_LINKS},
	};
	for (size_t i = 0; i < ARRAY_LEN(vars); i++) {
		const char *p = getenv(vars[i].var);
		while (p && *p) {
			size_t n = *vars[i].separators ? strcspn(p, vars[i].separators) : strlen(p);
			autofree char *word = xstrndup(p, n);
			if (n)
				add_word(c, vars[i].kind, word, vars[i].var);
			p += n + (p[n] != '\0');
		}
	}
	const char *no_index = getenv("UV_NO_INDEX"), *insecure = getenv("UV_INSECURE_HOST");
	if (no_index && *no_index && strcmp(no_index, "0") != 0 && strcmp(no_index, "false") != 0)
		c->no_index = xstrdup("UV_NO_INDEX");
	if (insecure && *insecure)
		c->insecure_host = xstrdup("UV_INSECURE_HOST");
}

/* An [[index]] in the making: its keys come sorted, "url" behind those that matter here. */
struct reader {
	struct uvconf *c;
	const char *file;
	long item;
	bool is_default, is_explicit, flat;
	char name[64];
};

static void take_index(struct reader *r, const char *key, const char *value)
{
	char *end;
	long item = strtol(key, &end, 10);
	if (item != r->item)
		*r = (struct reader){.c = r->c, .file = r->file, .item = item};
	if (!strcmp(end, ".default"))
		r->is_default = !strcmp(value, "true");
	else if (!strcmp(end, ".explicit"))
		r->is_explicit = !strcmp(value, "true");
	else if (!strcmp(end, ".format"))
		r->flat = !strcmp(value, "flat");
	else if (!strcmp(end, ".name"))
		snprintf(r->name, sizeof r->name, "%s", value);
	else if (!strcmp(end, ".url") && !r->is_explicit)
		add(r->c, (struct uvconf_url){.kind = r->flat	      ? UVCONF_LINKS
						      : r->is_default ? UVCONF_DEFAULT
								      : UVCONF_EXTRA,
					      .url = with_login(value, r->name, strlen(r->name)),
					      .origin = xasprintf("'%s'", r->file)});
}

static bool begins(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

static void take(void *ctx, const char *key, const char *value)
{
	struct reader *r = ctx;
	struct uvconf_url u = {.url = NULL};
	key += begins(key, "pip.") ? 4 : 0;
	if (begins(key, "index.")) {
		take_index(r, key + 6, value);
		return;
	}
	if (!strcmp(key, "no-index") && !strcmp(value, "true") && !r->c->no_index)
		r->c->no_index = xasprintf("'%s'", r->file);
	if (begins(key, "allow-insecure-host.") && !r->c->insecure_host)
		r->c->insecure_host = xasprintf("'%s'", r->file);
	if (!strcmp(key, "index-url"))
		u.kind = UVCONF_DEFAULT;
	else if (begins(key, "extra-index-url."))
		u.kind = UVCONF_EXTRA;
	else if (begins(key, "find-links."))
		u.kind = UVCONF_LINKS;
	else
		return;
	u.url = xstrdup(value);
	u.origin = xasprintf("'%s'", r->file);
	add(r->c, u);
}

static bool load_file(struct uvconf *c, const char *path, const struct events *ev, struct err *err)
{
	autobuf struct buf text = BUF_INIT(UVCONF_MAX);
	struct err e;
	if (!io_read_file(path, &text, &e)) {
		if (e.sys != ENOENT && e.sys != ENOTDIR)
			event_warn(ev, NULL, "uv's settings are left out: %s", e.msg);
		return true;
	}
	struct reader r = {.c = c, .file = path, .item = -1};
	if (tomlfile_parse(path, buf_str(&text), text.len, take, &r, err))
		return true;
	return err_hint(err, "mend it, or set the index here: cudaenv config set index URL");
}

static bool load_below(struct uvconf *c, const char *dir, const char *sub, const struct events *ev,
		       struct err *err)
{
	if (!dir || !*dir)
		return true;
	autofree char *path = xasprintf("%s/%s", dir, sub);
	return load_file(c, path, ev, err);
}

static bool load_files(struct uvconf *c, const struct events *ev, struct err *err)
{
	const char *own = getenv("UV_CONFIG_FILE"), *none = getenv("UV_NO_CONFIG");
	const char *config = getenv("XDG_CONFIG_HOME"), *dirs = getenv("XDG_CONFIG_DIRS");
	if (none && *none && strcmp(none, "0") != 0 && strcmp(none, "false") != 0)
		return true;
	if (own && *own)
		return load_file(c, own, ev, err);
	if (!(config && *config ? load_below(c, config, "uv/uv.toml", ev, err)
				: load_below(c, getenv("HOME"), ".config/uv/uv.toml", ev, err)))
		return false;
	if (!dirs || !*dirs)
		dirs = "/etc/xdg";
	while (*dirs) {
		size_t n = strcspn(dirs, ":");
		autofree char *dir = xstrndup(dirs, n);
		if (!load_below(c, dir, "uv/uv.toml", ev, err))
			return false;
		dirs += n + (dirs[n] == ':');
	}
	return load_file(c, "/etc/uv/uv.toml", ev, err);
}

bool uvconf_load(struct uvconf *c, const struct events *ev, struct err *err)
{
	struct uvconf result = {0};
	load_env(&result);
	if (!load_files(&result, ev, err)) {
		uvconf_clear(&result);
		return false;
	}
	*c = result;
	return true;
}

void uvconf_clear(struct uvconf *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->urls[i].url);
		free(c->urls[i].origin);
	}
	free(c->urls);
	free(c->no_index);
	free(c->insecure_host);
	*c = (struct uvconf){0};
}
