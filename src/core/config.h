#pragma once
/*
 * Settings: flag > environment > <root>/config.ini > /etc/cudaenv/config.ini > built in. One table
 * of keys; `cudaenv config list` says where each value came from. The files hold `key = value`
 * lines and no sections. An unknown key, a section or a bad value is an error with file, line and
 * the nearest name.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/layout.h"

enum config_key {
	CONFIG_MIRROR,		/* list of base URLs for redist; CUDAENV_MIRROR */
	CONFIG_SOURCE,		/* "auto" or a source's name; CUDAENV_SOURCE */
	CONFIG_OFFLINE,		/* bool; CUDAENV_OFFLINE */
	CONFIG_JOBS,		/* 0: as many as there are cores; CUDAENV_JOBS */
	CONFIG_CACHE_DIR,	/* default <root>/cache; CUDAENV_CACHE_DIR */
	CONFIG_VERIFY,		/* files compile run bandwidth; default compile; CUDAENV_VERIFY */
	CONFIG_PROFILE,		/* minimal default full; CUDAENV_PROFILE */
	CONFIG_ACCEPT_EULA,	/* bool; CUDAENV_ACCEPT_EULA */
	CONFIG_LD_LIBRARY_PATH, /* auto always never */
	CONFIG_COMPILER_PATHS,	/* bool: CPATH and LIBRARY_PATH too */
	CONFIG_ALLOW_UNSIGNED,	/* bool; CUDAENV_ALLOW_UNSIGNED */
	CONFIG_INDEX, /* package index URL for wheels, overrides pip's and uv's settings */
	CONFIG_KEYS,
};

struct config_value {
	char *value;  /* never NULL after config_load */
	char *origin; /* "built in", "CUDAENV_JOBS", "'/path/config.ini' line 3", "--jobs" */
};

struct config {
	struct config_value v[CONFIG_KEYS];
};

enum { CONFIG_NUMBER_MAX = 1024 };

struct config_info {
	const char *name;   /* "jobs" */
	const char *env;    /* "CUDAENV_JOBS" or NULL */
	const char *preset; /* built-in value */
	/*
	 * "bool" (yes no true false on off 1 0), "number" (0 to CONFIG_NUMBER_MAX), "path"
	 * (absolute), "text", or "a|b|c": the words that are accepted.
	 */
	const char *type;
	const char *summary;
};
const struct config_info *config_info(enum config_key k);
/* Whether a key whose type is a list of words takes this one: which sources are there, say. */
bool config_has_word(enum config_key k, const char *word);
/* ERR_USAGE names the nearest key. */
must_check bool config_key_parse(const char *name, enum config_key *k, struct err *err);

#define CONFIG_SYSTEM_FILE "/etc/cudaenv/config.ini"

/* Files that are not there are no error. An empty environment variable counts as unset. */
must_check bool config_load(struct config *c, const struct layout *l, struct err *err);
/* The same with another system file, for tests. */
must_check bool config_load_from(struct config *c, const struct layout *l, const char *system_file,
				 struct err *err);
void config_clear(struct config *c);

const char *config_get(const struct config *c, enum config_key k);
bool config_bool(const struct config *c, enum config_key k);
long config_number(const struct config *c, enum config_key k);
/* From a command-line flag; checks the type (ERR_USAGE). */
must_check bool config_override(struct config *c, enum config_key k, const char *value,
				const char *flag, struct err *err);
/*
 * Writes <root>/config.ini (replaced whole); value NULL takes the key out. Other lines and comments
 * stay as they are. Needs no config_load, so that a bad value can be mended. A value of the wrong
 * type, or one that would not read back the same, is refused (ERR_USAGE).
 */
must_check bool config_write(const struct layout *l, enum config_key k, const char *value,
			     struct err *err);
