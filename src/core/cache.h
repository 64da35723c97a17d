#pragma once
/*
 * Downloaded archives: <cache>/<sha256>.<file name>, and ".part" behind that while it is not whole. A file
 * gets its final name only after its digest was right, so what is here by that name is whole; it is still
 * hashed again before use when its size is not the expected one.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"

/* Path for an archive. The caller frees. file is made safe (no slash, no leading dot). */
char *cache_path(const char *dir, const char *sha256, const char *file);

struct cache_entry {
	char *file; /* the archive's name */
	char sha256[65];
	uint64_t size;
	bool part;
};
struct cache_list {
	struct cache_entry *entries; /* by file name */
	size_t n;
};
must_check bool cache_read(const char *dir, struct cache_list *out, struct err *err);
void cache_list_clear(struct cache_list *l);
/* Removes everything that is ours; *freed: bytes. */
must_check bool cache_clear(const char *dir, uint64_t *freed, struct err *err);
