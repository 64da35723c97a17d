#pragma once
/* Writing pins: the version in a .cuda-version or <root>/version. Other lines and comments are kept. */
#include <stdbool.h>

#include "base/err.h"
#include "base/layout.h"

/*
 * Replaces the first word that is no comment (and the fallbacks behind it), or creates the file. A link is
 * followed. What cannot be read as a version file, before or after, is refused and left as it is.
 */
must_check bool pin_write(const char *path, const char *spec, struct err *err);
/* key=value line; value NULL takes it out. ERR_USAGE when there is no such file: it has to name a version. */
must_check bool pin_set_key(const char *path, const char *key, const char *value, struct err *err);

/* <root>/version, and the links `current` and `cudnn/current` for it. spec NULL: takes both away. The lock is held. */
must_check bool pin_global(const struct layout *l, const char *spec, struct err *err);
/*
 * Makes `current`, and `cudnn/current` for its cuDNN, lead to what <root>/version means now; where that is `system`, nothing, not installed
 * or not readable, there is no `current`. For whoever adds or removes a version. The lock is held.
 */
must_check bool pin_refresh(const struct layout *l, struct err *err);
