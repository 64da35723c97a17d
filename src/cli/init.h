#pragma once
/* The hooks that `init --install` wrote. */
#include <stdbool.h>

#include "base/err.h"
#include "base/layout.h"

/* Writes each of them anew: this program may be another one than that which wrote them. */
must_check bool init_refresh(const struct layout *l, struct err *err);
