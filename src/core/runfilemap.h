#pragma once
/*
 * From the folders of a CUDA runfile to those of a prefix. Facts: 11.0 and newer have builds/<component>/ with the
 * layout of an installed toolkit and manifests/cuda_<arch>.xml; 10.1 and 10.2 builds/cuda-toolkit/ and
 * builds/cublas/; older ones run_files/cuda-linux*.run, a runfile of its own with the toolkit at its top.
 */
#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

/*
 * Where an entry lies at first: builds/<component>/... or manifests/..., as the archive has it or, for a toolkit at
 * the archive's top, builds/toolkit/...; NULL: it is left out (driver, samples, installer, and the links include,
 * lib64 and lib, which every prefix has). The caller frees.
 */
char *runfilemap(const char *entry, const char *arch);
/* Whether the entry is the toolkit's own runfile inside of an old one. */
bool runfilemap_is_inner(const char *entry);

/*
 * When all of it is there: puts the components at their places, as the manifest says where there is one, and gives
 * programs and other files the right modes; those of the archive are not reliable. tree: path of the folder.
 */
must_check bool runfile_settle(const char *tree, struct err *err);
