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

/*
 * Unpacks `archive` (digest already checked) for component c into the store, entries side by side on the
 * pool. Returns at once; done() is called from a pool thread when the entry is published, or with the
 * error. Everything passed must live until then.
 */
typedef void store_done_fn(void *ctx, const struct component *c, bool ok, const struct err *err);
must_check bool store_add(const struct layout *l, const struct component *c, const char *arch,
			  const char *archive, struct pool *pool, const struct events *ev,
			  store_done_fn *done, void *ctx, struct err *err);

/*
 * Removes entries that no version's record (own root) names. *freed: bytes that came back. The lock is held.
 */
must_check bool store_collect(const struct layout *l, uint64_t *freed, struct err *err);
