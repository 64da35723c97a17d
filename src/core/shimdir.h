#pragma once
/*
 * Makes shims/ agree with what is installed: one hard link (else copy) of the shim program for each CUDA
 * tool that some version has. Names that a build itself needs (sh, env, gcc, ld, cmake, ...) never become
 * shims; files in shims/ that are not ours are reported and left alone.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/event.h"
#include "base/layout.h"

/* shim: path of the shim program; NULL: the installed one (CUDAENV_SHIM overrides, for tests). */
must_check bool shimdir_rebuild(const struct layout *l, const char *shim, const struct events *ev,
				struct err *err);
/* The names that are there now, sorted. */
must_check bool shimdir_list(const struct layout *l, struct strlist *out, struct err *err);
