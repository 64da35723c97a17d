#pragma once
/* Inside of bundle: one member to be. */
#include <stdbool.h>
#include <stddef.h>

#include "base/atomic.h"
#include "core/bundle.h"
#include "core/local_place.h"

struct bundle_item {
	char *name;
	char *text; /* its content; NULL: that of c, which lies at place */
	uint64_t size;
	const struct component *c;
	const struct release *from; /* what has c */
	struct local_place place;
};

/*
 * Finds where the archives of one release lie: in the cache, or elsewhere on this machine. What does not is fetched
 * into the cache.
 */
must_check bool bundle_fetch(const struct source_ctx *ctx, const struct release *from,
			     struct bundle_item *items, size_t n_items, struct err *err);
/* All of them, in this order, and the end. Archives are compared with their digests. */
must_check bool bundle_write(struct atomic_file *f, const struct bundle_item *items, size_t n,
			     struct bundle_made *out, struct err *err);
