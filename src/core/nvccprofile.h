#pragma once
/*
 * Lines of cudaenv in bin/nvcc.profile of a prefix. nvcc reads "NAME = TEXT" and, from its first manuals on, "NAME ?= TEXT"
 * (where it is not set), "NAME += TEXT" (in front of what there is) and "NAME =+ TEXT" (behind it); what it sets
 * is in the environment of the programs that it starts.
 */
#include <stdbool.h>

#include "base/err.h"

/* A folder in .cudaenv, relative to nvcc, so that a prefix may be proved in staging and moved as a whole. */
#define NVCCPROFILE_OWN "$(_HERE_)/../.cudaenv/"

/*
 * Puts `lines` ("": none) in place of those that name the folder NVCCPROFILE_OWN "<own>"; all others stay as they
 * are. Nothing is put where another line sets the variable `unless` (NULL: no such rule). One step; nothing where
 * nothing changes.
 */
must_check bool nvccprofile_set(const char *prefix, const char *own, const char *lines,
				const char *unless, struct err *err);
