#pragma once
/* A file of `key = value` lines without sections, as text: what config.h is made of. */
#include <stdbool.h>

#include "base/err.h"

enum { CONFIG_FILE_MAX = 64 << 10 };

typedef bool config_file_fn(void *ctx, const char *key, const char *value, const char *file,
			    int line, struct err *err);

/* A file that is not there has no pairs. A section is an error. */
must_check bool config_file_read(const char *path, config_file_fn *fn, void *ctx, struct err *err);

/*
 * Replaces the line of key, adds one at the end, or (value NULL) takes it out; every other byte
 * stays. The new text is read once more before it is written: the value must come back as it was
 * given.
 */
must_check bool config_file_write(const char *path, const char *key, const char *value,
				  struct err *err);
