#pragma once
/* What an install would do: which archives are here already, what is fetched, what room it takes. */
#include <stddef.h>
#include <stdint.h>

#include "base/layout.h"
#include "core/source.h"

enum plan_from { PLAN_STORE, PLAN_CACHE, PLAN_FETCH };

struct plan_item {
	const struct component *c; /* borrowed from the release */
	enum plan_from from;	   /* where its bytes are now */
	uint64_t have;		   /* bytes of a part file */
};

struct plan {
	struct plan_item *items; /* largest first */
	size_t n;
	uint64_t fetch;	   /* bytes that will be fetched */
	uint64_t unpacked; /* bytes of files that will be written, told or estimated */
};

/* Looks at store and cache, changes nothing. r must outlive p. */
void plan_make(struct plan *p, const struct layout *l, const char *cache_dir,
	       const struct release *r);
void plan_clear(struct plan *p);
