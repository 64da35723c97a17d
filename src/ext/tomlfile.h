#pragma once
/* TOML files (toml++), flattened: each text, number and truth value by its dotted path. */
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "base/err.h"

/* "index.0.url", "pip.index-url", "offline" -> "true". Array items are counted from 0. Borrowed. */
typedef void tomlfile_fn(void *ctx, const char *key, const char *value);

/*
 * Calls fn in the order of the file's arrays (keys of a table are sorted). Floats and dates are
 * left out. ERR_USAGE names `file` and the line.
 */
must_check bool tomlfile_parse(const char *file, const char *text, size_t len, tomlfile_fn *fn,
			       void *ctx, struct err *err);

#ifdef __cplusplus
}
#endif
