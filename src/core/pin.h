#pragma once
/* Writing pins: the version in a .cuda-version or <root>/version, other lines and comments kept. */
#include <stdbool.h>

#include "base/err.h"
#include "base/layout.h"

/* Replaces the first word that is no comment (and the fallbacks behind it), or creates the file. */
must_check bool pin_write(const char *path, const char *spec, struct err *err);
/* key=value line; value NULL takes it out. */
must_check bool pin_set_key(const char *path, const char *key, const char *value, struct err *err);
/* <root>/version and the `current` folder link. name NULL: takes both away. */
must_check bool pin_global(const struct layout *l, const char *spec, const char *prefix, struct err *err);
