#pragma once
/*
 * The form of a bundle: an uncompressed tar of plain files alone (POSIX ustar), so that each one lies in one piece
 * at a place that its header tells, and any tar unpacks it. Stricter than tar: what it does not know is refused.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/err.h"

enum { BUNDLE_BLOCK = 512, BUNDLE_MEMBERS_MAX = 4096 };
#define BUNDLE_MEMBER_MAX (8ull << 30) /* bytes of one file, and none has so many */

struct bundle_member {
	char *name;
	uint64_t offset, size; /* of its content */
};
struct bundle_index {
	struct bundle_member *members; /* by name */
	size_t n;
};

/* Whether that is a tar, or is called so. */
bool bundle_is(const char *path);
/*
 * ERR_INTEGRITY: no tar, cut short, a name that is absolute or has "..", anything but files and folders, a name
 * that is there twice. Contents are not looked at.
 */
must_check bool bundle_index_read(const char *path, struct bundle_index *out, struct err *err);
/* NULL: there is none of that name. */
const struct bundle_member *bundle_index_find(const struct bundle_index *x, const char *name);
void bundle_index_clear(struct bundle_index *x);
#define autobundle __attribute__((cleanup(bundle_index_clear)))

/* The content of a small member. ERR_INTEGRITY: it is longer than out->max. */
must_check bool bundle_part_read(const char *path, uint64_t offset, uint64_t size, struct buf *out,
				 struct err *err);

/* The header of a file, the same for the same file always. false: the name is too long for it, or the size. */
must_check bool bundle_head(uint8_t block[BUNDLE_BLOCK], const char *name, uint64_t size);
