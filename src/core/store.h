#pragma once
/*
 * store/<sha256>/: one unpacked component archive, shared by every prefix that has it.
 *   tree/            the files, already at their place in a prefix (bin/..., targets/<arch>-linux/...)
 *   component.json   name, version, file, and each file with size and sha256 where the archive gives it
 * Files are read-only (0444 or 0555), so that an edit through one hard link cannot change all prefixes.
 * An entry is there whole or not at all (built in staging/, one rename).
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/event.h"
#include "base/layout.h"
#include "base/pool.h"
#include "core/source.h"

bool store_has(const struct layout *l, const char *sha256);
/* store/<sha256>/tree; the caller frees. */
char *store_tree(const struct layout *l, const char *sha256);

struct growing;
typedef void store_done_fn(void *ctx, const struct component *c, bool ok, const struct err *err);

/* What all archives of one install share. */
struct store_target {
	const struct layout *l;
	const char *arch; /* "x86_64": targets/<arch>-linux */
	struct pool *pool;
	const struct events *events;
	store_done_fn
		*done; /* called from a pool thread when an entry is published, or with the error */
	void *ctx;
};

/*
 * Unpacks `archive` (digest already checked) for component c into the store, on the pool. Returns at once.
 * Everything passed must live until done() was called.
 */
must_check bool store_add(const struct store_target *to, const struct component *c,
			  const char *archive, struct err *err);
/* The same for a part of a file, as a bundle's member is; size 0: all of it. */
must_check bool store_add_part(const struct store_target *to, const struct component *c,
			       const char *file, uint64_t offset, uint64_t size, struct err *err);
/*
 * The same for one that is still arriving; not for wheels. Nothing is published before g is whole. `readers`:
 * its own pool, since its threads wait for the network. done() gets ERR_NONE as error when g was lost.
 */
must_check bool store_add_growing(const struct store_target *to, const struct component *c,
				  struct growing *g, struct pool *readers, struct err *err);

/* Entries that no version's record (own root) names. An unreadable record is an error. */
must_check bool store_unused(const struct layout *l, struct strlist *out, struct err *err);
/* Takes one away and adds the bytes that came back to *freed. The lock is held. */
must_check bool store_remove(const struct layout *l, const char *sha256, uint64_t *freed,
			     struct err *err);
/* All unused ones. *freed: bytes that came back. The lock is held. */
must_check bool store_collect(const struct layout *l, uint64_t *freed, struct err *err);
