#pragma once
/* What follows from the versions that are installed, and from where the root is. */
#include <stdbool.h>

#include "base/err.h"
#include "base/event.h"
#include "base/layout.h"

/*
 * Shims, `current`, and the .pc files of versions that were moved with their root. For whoever
 * added, changed or removed a version. The lock is held.
 */
must_check bool refresh_root(const struct layout *l, const struct events *ev, struct err *err);

/* Whether an installed version was moved since, and refresh_root has not been called. */
bool refresh_moved(const char *prefix);
