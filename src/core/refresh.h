#pragma once
/* What follows from the versions that are installed: shims and `current`. */
#include <stdbool.h>

#include "base/err.h"
#include "base/event.h"
#include "base/layout.h"

/* For whoever added, changed or removed one. The lock is held. */
must_check bool refresh_root(const struct layout *l, const struct events *ev, struct err *err);
