#pragma once
/* What uv is set to: UV_... variables, then the user's uv.toml, then the system's. */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/event.h"

enum uvconf_kind {
	UVCONF_DEFAULT, /* the index that stands for uv's own default */
	UVCONF_EXTRA,
	UVCONF_LINKS, /* a folder or page of files */
};

struct uvconf_url {
	enum uvconf_kind kind;
	char *url;    /* a login from UV_INDEX_<NAME>_USERNAME and _PASSWORD is in it: never show */
	char *origin; /* "UV_INDEX", "'/etc/uv/uv.toml'" */
	bool from_env;
};

struct uvconf {
	struct uvconf_url *urls; /* in uv's order of trust */
	size_t n;
	char *no_index;	     /* where it is said that no index may be asked; NULL: nowhere */
	char *insecure_host; /* where uv is told to skip checks; NULL: nowhere */
};

/* A file that is not there is fine, one that cannot be read is a warning, a broken one is
 * ERR_USAGE. */
must_check bool uvconf_load(struct uvconf *c, const struct events *ev, struct err *err);
void uvconf_clear(struct uvconf *c);
