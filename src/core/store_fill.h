#pragma once
/* From a plan to a store that has every component of it. */
#include <stdbool.h>

#include "base/err.h"
#include "base/event.h"
#include "base/layout.h"
#include "core/config.h"
#include "core/plan.h"

/*
 * Fetches and unpacks what the store lacks, several archives at once, largest first; those of NVIDIA's redist
 * are unpacked while they arrive. On failure what is whole stays in store and cache, and part files stay.
 */
must_check bool store_fill(const struct layout *l, const struct config *cfg,
			   const struct release *r, const struct plan *p, const struct events *ev,
			   struct err *err);
