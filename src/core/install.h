#pragma once
/* Install and uninstall whole versions. The caller holds the lock. */
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/event.h"
#include "base/layout.h"
#include "core/catalog.h"
#include "core/config.h"
#include "core/probe.h"
#include "core/source.h"

struct plan_item {
	const struct component *c;
	enum { PLAN_STORE, PLAN_CACHE, PLAN_FETCH } from; /* where its bytes are now */
	uint64_t have; /* bytes of a part file */
};
struct plan {
	struct plan_item *items; /* largest first */
	size_t n;
	uint64_t fetch;    /* bytes to fetch */
	uint64_t unpacked; /* bytes of files that will be written (told or estimated) */
	uint64_t need;     /* free bytes needed in the root, with the archives where the cache is there */
};
/* Pure: looks at store and cache, changes nothing. */
void plan_make(struct plan *p, const struct layout *l, const char *cache_dir, const struct release *r);
void plan_clear(struct plan *p);

struct install_opts {
	const char *name;  /* folder below versions/; NULL: the label */
	const char *profile; /* word for the record */
	enum probe_level level;
	bool replace;      /* -f: build anew and exchange */
	int jobs;
};
/*
 * Fetches, unpacks, assembles in staging/, proves and publishes. *v is the verdict, stored with the prefix.
 * A tree that cannot be whole is not published (ERR_VERIFY); one that only lacks a host compiler is.
 */
must_check bool install_release(const struct layout *l, const struct config *cfg, const struct release *r,
				const struct install_opts *o, const struct events *ev,
				struct verdict *v, struct err *err);

/* Removes staging/ left-overs; called with the lock held. */
must_check bool install_clean(const struct layout *l, struct err *err);

/* Renames away, deletes, collects the store. *freed: bytes that came back. */
must_check bool uninstall_version(const struct layout *l, const char *name, uint64_t *freed,
				  struct err *err);
