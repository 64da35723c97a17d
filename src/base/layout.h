#pragma once
/*
 * Every path of an install root. No allocation: the shim uses it.
 *
 *   versions/<label>/  a prefix (or a link to an existing tree, made by `cudaenv link`)
 *   versions/<label>/.cudaenv/  record.json, verdict.json, ccbin/
 *   store/<sha256>/    one unpacked component: tree/, component.json
 *   cache/             archives by sha256, part files
 *   staging/           what is being built; anything here may be removed by whoever holds the lock
 *   shims/  current  version  aliases/<name> (a link whose text is the SPEC)  config.ini  lock
 */
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct layout {
	char root[PATH_MAX]; /* absolute, no trailing slash */
	const char *shared;  /* CUDAENV_SHARED_ROOTS, ':' between, or NULL; read-only roots */
};

/*
 * From CUDAENV_ROOT, else HOME/.cudaenv, else the password file's home. An empty variable counts as unset;
 * a relative path is refused (ERR_USAGE names the variable).
 */
must_check bool layout_init(struct layout *l, struct err *err);
/*
 * The same for a shim that was started as self ("ROOT/shims/nvcc"): where CUDAENV_ROOT says nothing, as for cron, sudo
 * or another user, its own root comes before HOME's, unless that is one of the shared ones. self may be NULL.
 */
must_check bool layout_init_shim(struct layout *l, const char *self, struct err *err);
/* Whether it is the one below HOME. */
bool layout_is_default(const char *root);

/* root/sub (sub may have slashes). false: too long. */
must_check bool layout_path(const struct layout *l, char *out, size_t cap, const char *sub);
/* The i-th root: 0 is root itself, then those of `shared`. false: no such one. */
bool layout_root(const struct layout *l, int i, char *out, size_t cap);
/* The same with /sub/name behind it. */
bool layout_root_path(const struct layout *l, int i, const char *sub, const char *name, char *out,
		      size_t cap);
