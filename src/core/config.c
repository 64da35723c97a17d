#include "core/config.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/nearest.h"
#include "core/config_file.h"

static const struct config_info infos[CONFIG_KEYS] = {
	[CONFIG_MIRROR] = {"mirror", "CUDAENV_MIRROR", "", "text",
			   "base URLs to try for NVIDIA's archives, blanks between"},
	[CONFIG_SOURCE] = {"source", "CUDAENV_SOURCE", "auto", "auto|redist|runfile|wheels|deb",
			   "where toolkits come from"},
	[CONFIG_OFFLINE] = {"offline", "CUDAENV_OFFLINE", "no", "bool",
			    "use the cache, no network"},
	[CONFIG_JOBS] = {"jobs", "CUDAENV_JOBS", "0", "number",
			 "downloads and unpackers at once; 0: one a core"},
	[CONFIG_CACHE_DIR] = {"cache_dir", "CUDAENV_CACHE_DIR", "", "path",
			      "folder of downloaded archives; empty: cache below the root"},
	[CONFIG_VERIFY] = {"verify", "CUDAENV_VERIFY", "compile", "files|compile|run|bandwidth",
			   "how far an install is proved"},
	[CONFIG_PROFILE] = {"profile", "CUDAENV_PROFILE", "default", "minimal|default|full",
			    "what of a toolkit is installed"},
	[CONFIG_ACCEPT_EULA] = {"accept_eula", "CUDAENV_ACCEPT_EULA", "no", "bool",
				"NVIDIA's licence was read and accepted"},
	[CONFIG_LD_LIBRARY_PATH] = {"ld_library_path", NULL, "auto", "auto|always|never",
				    "whether exec, env and the hook set LD_LIBRARY_PATH"},
	[CONFIG_COMPILER_PATHS] = {"compiler_paths", NULL, "no", "bool",
				   "whether exec, env and the hook set CPATH and LIBRARY_PATH"},
	[CONFIG_ALLOW_UNSIGNED] = {"allow_unsigned", "CUDAENV_ALLOW_UNSIGNED", "no", "bool",
				   "take apt repositories without a look at their signature"},
	[CONFIG_INDEX] = {"index", NULL, "", "text",
			  "package index URL for wheels; empty: the one of pip or uv"},
};

static const struct {
	const char *word;
	bool value;
} bools[] = {
	{"yes", true}, {"true", true},	 {"on", true},	 {"1", true},
	{"no", false}, {"false", false}, {"off", false}, {"0", false},
};

const struct config_info *config_info(enum config_key k)
{
	return &infos[k];
}

bool config_key_parse(const char *name, enum config_key *k, struct err *err)
{
	const char *names[CONFIG_KEYS + 1] = {0};
	for (int i = 0; i < CONFIG_KEYS; i++) {
		names[i] = infos[i].name;
		if (!strcmp(name, names[i])) {
			*k = (enum config_key)i;
			return true;
		}
	}
	const char *near = nearest(name, names);
	if (near)
		return err_set(err, ERR_USAGE, "unknown key '%s', did you mean '%s'?", name, near);
	err_set(err, ERR_USAGE, "unknown key '%s'", name);
	return err_hint(err, "'cudaenv config list' shows all keys");
}

static bool bool_parse(const char *s, bool *out)
{
	for (size_t i = 0; i < ARRAY_LEN(bools); i++) {
		if (strcasecmp(s, bools[i].word) != 0)
			continue;
		*out = bools[i].value;
		return true;
	}
	return false;
}

static bool number_valid(const char *s)
{
	size_t n = strlen(s);
	return n && n <= 9 && strspn(s, "0123456789") == n &&
	       strtol(s, NULL, 10) <= CONFIG_NUMBER_MAX;
}

static bool word_listed(const char *list, const char *s)
{
	size_t len = strlen(s);
	for (;;) {
		size_t n = strcspn(list, "|");
		if (n == len && !memcmp(list, s, n))
			return true;
		if (!list[n])
			return false;
		list += n + 1;
	}
}

bool config_has_word(enum config_key k, const char *word)
{
	return word_listed(infos[k].type, word);
}

/* Says what is wrong with the value alone; the caller puts the origin in front. */
static bool check(enum config_key k, const char *value, struct err *err)
{
	const char *type = infos[k].type, *name = infos[k].name;
	bool b;
	if (!strcmp(type, "text"))
		return true;
	if (!strcmp(type, "bool"))
		return bool_parse(value, &b) ||
		       err_set(err, ERR_USAGE, "'%s' of '%s' is neither yes nor no", value, name);
	if (!strcmp(type, "number"))
		return number_valid(value) ||
		       err_set(err, ERR_USAGE, "'%s' of '%s' is no number from 0 to %d", value,
			       name, CONFIG_NUMBER_MAX);
	if (!strcmp(type, "path"))
		return !*value || *value == '/' ||
		       err_set(err, ERR_USAGE, "'%s' of '%s' is not an absolute path", value, name);
	return word_listed(type, value) ||
	       err_set(err, ERR_USAGE, "'%s' of '%s' is not one of %s", value, name, type);
}

/* Takes origin over, also when the value is refused. */
static bool set(struct config *c, enum config_key k, const char *value, char *origin,
		struct err *err)
{
	autofree char *from = origin;
	if (!check(k, value, err))
		return err_prefix(err, "%s", from);
	free(c->v[k].value);
	free(c->v[k].origin);
	c->v[k].value = xstrdup(value);
	c->v[k].origin = take_ptr(from);
	return true;
}

static bool on_pair(void *ctx, const char *key, const char *value, const char *file, int line,
		    struct err *err)
{
	autofree char *origin = xasprintf("'%s' line %d", file, line);
	enum config_key k;
	if (!config_key_parse(key, &k, err))
		return err_prefix(err, "%s", origin);
	return set(ctx, k, value, take_ptr(origin), err);
}

static bool load_environment(struct config *c, struct err *err)
{
	for (int k = 0; k < CONFIG_KEYS; k++) {
		const char *value = infos[k].env ? getenv(infos[k].env) : NULL;
		if (value && *value && !set(c, k, value, xstrdup(infos[k].env), err))
			return false;
	}
	return true;
}

static bool load(struct config *c, const struct layout *l, const char *system_file, struct err *err)
{
	for (int k = 0; k < CONFIG_KEYS; k++)
		c->v[k] = (struct config_value){xstrdup(infos[k].preset), xstrdup("built in")};
	autofree char *user_file = xasprintf("%s/config.ini", l->root);
	if (!config_file_read(system_file, on_pair, c, err) ||
	    !config_file_read(user_file, on_pair, c, err) || !load_environment(c, err))
		return false;
	struct config_value *cache = &c->v[CONFIG_CACHE_DIR];
	if (!*cache->value) {
		free(cache->value);
		cache->value = xasprintf("%s/cache", l->root);
	}
	return true;
}

bool config_load_from(struct config *c, const struct layout *l, const char *system_file,
		      struct err *err)
{
	struct config new = {0};
	if (!load(&new, l, system_file, err)) {
		config_clear(&new);
		return false;
	}
	*c = new;
	return true;
}

bool config_load(struct config *c, const struct layout *l, struct err *err)
{
	return config_load_from(c, l, CONFIG_SYSTEM_FILE, err);
}

void config_clear(struct config *c)
{
	for (int k = 0; k < CONFIG_KEYS; k++) {
		free(c->v[k].value);
		free(c->v[k].origin);
	}
	*c = (struct config){0};
}

const char *config_get(const struct config *c, enum config_key k)
{
	return c->v[k].value;
}

bool config_bool(const struct config *c, enum config_key k)
{
	bool b = false;
	bool_parse(c->v[k].value, &b);
	return b;
}

long config_number(const struct config *c, enum config_key k)
{
	return strtol(c->v[k].value, NULL, 10);
}

bool config_override(struct config *c, enum config_key k, const char *value, const char *flag,
		     struct err *err)
{
	return set(c, k, value, xstrdup(flag), err);
}

bool config_write(const struct layout *l, enum config_key k, const char *value, struct err *err)
{
	if (value && !check(k, value, err))
		return false;
	autofree char *user_file = xasprintf("%s/config.ini", l->root);
	return config_file_write(user_file, infos[k].name, value, err);
}
