#include "core/pyconf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/attr.h"
#include "core/config.h"
#include "core/pipconf.h"
#include "core/pytool.h"
#include "core/pyurl.h"
#include "core/uvconf.h"
#include "ext/fetch.h"

static const char blanks[] = " \t\r\n";

/* "~/x" and relative paths made absolute. The caller frees. */
static char *absolute(const char *path)
{
	const char *home = getenv("HOME");
	if (path[0] == '~' && (path[1] == '/' || !path[1]) && home && *home)
		return xasprintf("%s%s", home, path + 1);
	if (*path == '/')
		return xstrdup(path);
	autofree char *cwd = getcwd(NULL, 0);
	return xasprintf("%s/%s", cwd ? cwd : "", path);
}

static char *without_slash(const char *s)
{
	size_t n = strlen(s);
	while (n > 1 && s[n - 1] == '/')
		n--;
	return xstrndup(s, n);
}

static void add(struct pyconf *c, enum pysite_kind kind, const char *url, const char *origin)
{
	struct pysite s = {.kind = kind, .url = without_slash(url)};
	autofree char *masked = fetch_mask(s.url);
	for (size_t i = 0; i < c->n; i++)
		if (c->sites[i].kind == kind && !strcmp(c->sites[i].url, s.url)) {
			free(s.url);
			return;
		}
	s.words = xasprintf("'%s' (from %s)", masked, origin);
	c->sites = array_grow(c->sites, c->n, sizeof *c->sites);
	c->sites[c->n++] = s;
}

static bool add_index(struct pyconf *c, const char *text, const char *origin, struct err *err)
{
	if (pyurl_has_scheme(text, "https") || pyurl_has_scheme(text, "http") ||
	    pyurl_has_scheme(text, "file")) {
		add(c, PYSITE_INDEX, text, origin);
		return true;
	}
	autofree char *masked = fetch_mask(text);
	if (strstr(text, "://"))
		return err_set(err, ERR_USAGE,
			       "%s names the index '%s', which is neither http, https nor file",
			       origin, masked);
	struct stat st;
	autofree char *path = absolute(text);
	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode)) {
		err_set(err, ERR_USAGE,
			"%s names the index '%s', which is neither a URL nor a folder", origin,
			masked);
		return err_hint(err, "write https:// in front of a host name");
	}
	autofree char *url = pyurl_from_path(path);
	add(c, PYSITE_INDEX, url, origin);
	return true;
}

static void add_links(struct pyconf *c, const char *text, const char *origin, bool folders,
		      const struct events *ev)
{
	struct stat st;
	bool remote = pyurl_has_scheme(text, "https") || pyurl_has_scheme(text, "http");
	if (remote) {
		if (!folders)
			add(c, PYSITE_PAGE, text, origin);
		return;
	}
	autofree char *local = pyurl_to_path(text);
	autofree char *path = absolute(local ? local : text);
	if (stat(path, &st) < 0) {
		event_debug(ev, "%s names '%s', which is not there", origin, path);
	} else if (S_ISDIR(st.st_mode) && folders) {
		add(c, PYSITE_FOLDER, path, origin);
	} else if (S_ISREG(st.st_mode) && !folders) {
		autofree char *url = pyurl_from_path(path);
		add(c, PYSITE_PAGE, url, origin);
	}
}

/* Words of text as indexes, or as links. */
static bool add_words(struct pyconf *c, const char *text, const char *origin, struct err *err)
{
	for (size_t n; *(text += strspn(text, blanks)); text += n) {
		n = strcspn(text, blanks);
		autofree char *word = xstrndup(text, n);
		if (!add_index(c, word, origin, err))
			return false;
	}
	return true;
}

static void add_all_links(struct pyconf *c, const struct uvconf *uv, const struct pipconf *pip,
			  bool folders, const struct events *ev)
{
	const char *text = pip->v[PIPCONF_FIND_LINKS].value;
	for (size_t i = 0; i < uv->n; i++)
		if (uv->urls[i].kind == UVCONF_LINKS)
			add_links(c, uv->urls[i].url, uv->urls[i].origin, folders, ev);
	for (size_t n; text && *(text += strspn(text, blanks)); text += n) {
		n = strcspn(text, blanks);
		autofree char *word = xstrndup(text, n);
		add_links(c, word, pip->v[PIPCONF_FIND_LINKS].origin, folders, ev);
	}
}

static const struct uvconf_url *uv_default(const struct uvconf *uv, bool from_env)
{
	for (size_t i = 0; i < uv->n; i++)
		if (uv->urls[i].kind == UVCONF_DEFAULT && uv->urls[i].from_env == from_env)
			return &uv->urls[i];
	return NULL;
}

static bool add_primary(struct pyconf *c, const struct uvconf *uv, const struct pipconf *pip,
			const struct events *ev, struct err *err)
{
	const struct uvconf_url *env = uv_default(uv, true), *file = uv_default(uv, false);
	if (env)
		return add_index(c, env->url, env->origin, err);
	if (pip->v[PIPCONF_INDEX_URL].value)
		return add_index(c, pip->v[PIPCONF_INDEX_URL].value,
				 pip->v[PIPCONF_INDEX_URL].origin, err);
	if (file)
		return add_index(c, file->url, file->origin, err);
	autofree char *url = NULL;
	const char *origin;
	if (!pytool_default(&url, &origin, ev, err))
		return false;
	return !url || add_index(c, url, origin, err);
}

static bool add_indexes(struct pyconf *c, const struct uvconf *uv, const struct pipconf *pip,
			const struct events *ev, struct err *err)
{
	for (size_t i = 0; i < uv->n; i++)
		if (uv->urls[i].kind == UVCONF_EXTRA &&
		    !add_index(c, uv->urls[i].url, uv->urls[i].origin, err))
			return false;
	if (!add_primary(c, uv, pip, ev, err))
		return false;
	return !pip->v[PIPCONF_EXTRA_INDEX_URL].value ||
	       add_words(c, pip->v[PIPCONF_EXTRA_INDEX_URL].value,
			 pip->v[PIPCONF_EXTRA_INDEX_URL].origin, err);
}

static bool load_sites(struct pyconf *c, const struct uvconf *uv, const struct pipconf *pip,
		       const struct events *ev, struct err *err)
{
	const char *no_index = pipconf_true(pip, PIPCONF_NO_INDEX) ? pip->v[PIPCONF_NO_INDEX].origin
								   : uv->no_index;
	add_all_links(c, uv, pip, true, ev);
	if (!no_index && !add_indexes(c, uv, pip, ev, err))
		return false;
	add_all_links(c, uv, pip, false, ev);
	if (c->n)
		return true;
	if (no_index)
		err_set(err, ERR_NETWORK,
			"no package index: %s forbids to ask one and no folder of "
			"wheels is set",
			no_index);
	else
		err_set(err, ERR_NETWORK,
			"no package index: neither pip nor uv is set to one, and "
			"neither is installed");
	return err_hint(err, "cudaenv config set index URL");
}

/* A bundle that is named but cannot be read is an error here: later it would look like a bad
 * server. */
static bool load_ca(struct pyconf *c, const struct pipconf *pip, struct err *err)
{
	static const char *const vars[] = {"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"};
	const char *path = pip->v[PIPCONF_CERT].value, *origin = pip->v[PIPCONF_CERT].origin;
	for (size_t i = 0; !path && i < ARRAY_LEN(vars); i++) {
		path = getenv(vars[i]);
		path = path && *path ? path : NULL;
		origin = vars[i];
	}
	if (!path)
		return true;
	struct stat st;
	autofree char *full = absolute(path);
	if (stat(full, &st) < 0 || access(full, R_OK) < 0) {
		err_sys(err, ERR_USAGE, "cannot read the certificates '%s' that %s names", full,
			origin);
		return err_hint(err, "correct %s or take it out", origin);
	}
	if (S_ISREG(st.st_mode))
		c->ca_file = take_ptr(full);
	return true;
}

static void note_insecure(const struct uvconf *uv, const struct pipconf *pip,
			  const struct events *ev)
{
	const char *origin = pip->v[PIPCONF_TRUSTED_HOST].origin;
	if (!origin)
		origin = uv->insecure_host;
	if (origin)
		event_note(ev, "%s would drop certificate checks: it is left out", origin);
}

/* Digests come from the index: over plain http anybody on the way can change both. */
static void warn_plain(const struct pyconf *c, const struct events *ev)
{
	static const char *const here[] = {"127.", "localhost:", "localhost/", "[::1]"};
	for (size_t i = 0; i < c->n; i++) {
		bool local = false;
		if (c->sites[i].kind == PYSITE_FOLDER || !pyurl_has_scheme(c->sites[i].url, "http"))
			continue;
		autofree char *bare = pyurl_without_login(c->sites[i].url);
		for (size_t k = 0; k < ARRAY_LEN(here); k++)
			local = local || !strncmp(bare + 7, here[k], strlen(here[k]));
		if (!local)
			event_warn(ev, "use https where the mirror has it",
				   "the package index %s is not encrypted", c->sites[i].words);
	}
}

/* With an index of our own only pip's certificates matter, so that a broken pip.conf is no
 * obstacle. */
static bool load_pip(struct pipconf *pip, bool needed, const struct events *ev, struct err *err)
{
	struct err e;
	if (pipconf_load(pip, ev, needed ? err : &e))
		return true;
	if (!needed)
		event_warn(ev, NULL, "pip's settings are left out: %s", e.msg);
	return !needed;
}

bool pyconf_load(struct pyconf *c, const struct config *cfg, const struct events *ev,
		 struct err *err)
{
	const char *own = config_get(cfg, CONFIG_INDEX);
	struct pyconf result = {0};
	struct pipconf pip = {0};
	struct uvconf uv = {0};
	bool ok = load_pip(&pip, !*own, ev, err) && load_ca(&result, &pip, err);
	if (ok && *own)
		ok = add_words(&result, own, cfg->v[CONFIG_INDEX].origin, err);
	else if (ok)
		ok = uvconf_load(&uv, ev, err) && load_sites(&result, &uv, &pip, ev, err);
	if (ok) {
		note_insecure(&uv, &pip, ev);
		warn_plain(&result, ev);
	}
	pipconf_clear(&pip);
	uvconf_clear(&uv);
	if (ok)
		*c = result;
	else
		pyconf_clear(&result);
	return ok;
}

void pyconf_clear(struct pyconf *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->sites[i].url);
		free(c->sites[i].words);
	}
	free(c->sites);
	free(c->ca_file);
	*c = (struct pyconf){0};
}
