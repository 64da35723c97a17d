#pragma once
/*
 * A prefix of links for a toolkit whose files do not lie as NVIDIA's own do, so that nvcc, CMake and others
 * find them: the packages of Debian and Ubuntu (spread over /usr), conda environments (headers and libraries
 * below targets/, and a bin that is full of other programs), wheels (no lib64, no libX.so). Only links, the
 * nvcc.profile and version.json are ours; nothing outside is changed.
 */
#include <stdbool.h>

#include "base/err.h"
#include "core/adopt.h"

/* Whether trees of this kind need one. */
bool adopt_prefix_wanted(enum adopt_kind kind);
/*
 * Fills the folder `into`, which is empty. path: of the tree, "/usr" for Debian's packages. release: "" where
 * nobody knows. <into>/.cudaenv/adopted then says the path, see toolkit_adopted.
 */
must_check bool adopt_prefix_fill(const char *root, enum adopt_kind kind, const char *path,
				  const char *release, const char *into, struct err *err);
