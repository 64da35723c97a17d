#pragma once
/*
 * What pip is set to: PIP_... variables over its configuration files, in pip's own order. Files:
 * those of the system (XDG_CONFIG_DIRS, /etc/pip.conf), of the user (~/.pip, XDG_CONFIG_HOME), of
 * the virtual environment, and PIP_CONFIG_FILE; a later one wins, [install] over [download] over
 * [global].
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/event.h"

enum pipconf_key {
	PIPCONF_INDEX_URL,
	PIPCONF_EXTRA_INDEX_URL, /* words */
	PIPCONF_FIND_LINKS,	 /* words */
	PIPCONF_NO_INDEX,
	PIPCONF_CERT,
	PIPCONF_TRUSTED_HOST,
	PIPCONF_KEYS,
};

struct pipconf {
	struct {
		char *value;  /* NULL: not set */
		char *origin; /* "PIP_INDEX_URL", "'/etc/pip.conf'" */
	} v[PIPCONF_KEYS];
};

/* A file that is not there is fine, one that cannot be read is a warning, a broken one is
 * ERR_USAGE. */
must_check bool pipconf_load(struct pipconf *c, const struct events *ev, struct err *err);
void pipconf_clear(struct pipconf *c);
bool pipconf_true(const struct pipconf *c, enum pipconf_key k);

/*
 * The text of a pip.conf as Python's configparser reads it: "key = value" or "key: value", indented
 * lines go on with the value, '#' or ';' begins a comment line only. Keys come lower case with '-'
 * for '_'.
 */
typedef void pipconf_fn(void *ctx, const char *section, const char *key, const char *value);
must_check bool pipconf_parse(const char *file, const char *text, size_t len, pipconf_fn *fn,
			      void *ctx, struct err *err);
