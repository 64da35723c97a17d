#pragma once
/*
 * Files of this machine as a source (--from): NVIDIA's archives, wheels, conda packages, Debian packages, a runfile;
 * or a folder of them. Each is known by its content, and its parts by its name. What the catalog knows a digest of is
 * compared with it; all else is marked as not verified.
 */
#include <stdbool.h>

#include "base/attr.h"
#include "base/err.h"
#include "core/source.h"

/*
 * One release of all these files. rq->label: what the person said it is, or NULL, where the files must say so
 * themselves. ERR_USAGE: no such file, a kind that is none of these, a label that is missing or another one than the
 * files'; ERR_INTEGRITY: a web page, or another digest than the catalog's; ERR_VERIFY names what the set lacks to be
 * a toolkit. Nothing is unpacked by this.
 */
must_check bool local_release(const struct source_ctx *ctx, const struct strlist *paths,
			      const struct request *rq, struct release *out, struct err *err);

/*
 * Whether path is a folder with manifests of NVIDIA's, as a mirror is: then it serves as one. *label: the release of
 * the only manifest in it, freed by the caller; NULL where there are several.
 */
bool local_is_mirror(const char *path, char **label);
