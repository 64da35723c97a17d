#pragma once
/*
 * A prefix: a drop-in for /usr/local/cuda-X.Y, made by hard links from store entries plus what a
 * drop-in needs and the archives lack (links include, lib64, lib; version-less lib links; stubs;
 * .pc files with the final prefix; version.json; libcuda stub). Files that are changed here are
 * private copies.
 */
#include <stdbool.h>

#include "base/err.h"
#include "base/event.h"
#include "base/layout.h"
#include "core/source.h"

/*
 * Builds the tree at `staging` (an empty folder on the store's file system) for the release;
 * `final` is where it will live: no text file, link or record may name the staging folder. The
 * components are in the store. An existing equal link or folder is accepted, a file that two
 * components bring with different content is an error that names both, nothing is ever written
 * through a link.
 */
must_check bool prefix_assemble(const struct layout *l, const struct release *r,
				const char *staging, const char *final, const struct events *ev,
				struct err *err);

/* For Debian's nvcc, whose own names Debian's folders and is left out. The words are those of NVIDIA's. */
extern const char prefix_nvcc_profile[];

/*
 * Whether the .pc files of a prefix name another place, since the root was moved or restored; with
 * mend they are changed. They are the only files that name the prefix.
 */
must_check bool prefix_settle(const char *prefix, const char *arch, bool mend, bool *moved,
			      struct err *err);
