#pragma once
/* Where an archive lies on this machine already: a file of its own, or a part of a bundle. */
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "core/source.h"

struct local_place {
	char *path;
	uint64_t offset, size; /* of the part; size 0: the whole file */
};

/*
 * The only place that its URLs leave: a file, a folder (ARCHIVE_FOLDER) or a member of a bundle, of the right size.
 * false: there is none, or another mirror may have what this one is not.
 */
bool local_place_find(const struct component *c, struct local_place *out);
/* Whether path goes on behind a file; *file: that one, freed by the caller. */
bool local_place_split(const char *path, char **file);
/*
 * The member of a bundle that a path means which goes on behind a file: /srv/b.tar/cuda/redist/x. *found: whether
 * path is such a one. ERR_NETWORK with err->sys ENOENT, as for a server that has no such file, where the bundle has
 * no such member; ERR_INTEGRITY where it is none.
 */
must_check bool local_place_member(const char *path, bool *found, struct local_place *out,
				   struct err *err);
void local_place_clear(struct local_place *p);
