#pragma once
/* Folders as wholes, by openat: a link inside a tree is never followed. */
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/err.h"

/* mkdir -p: missing parents get mode 0777 & ~umask, as mkdir(1) gives them. */
must_check bool tree_mkdirs(const char *path, struct err *err);

/* Removes a file, link or whole tree; nothing there is fine. Read-only folders are opened up first. */
must_check bool tree_remove(const char *path, struct err *err);

/*
 * Calls fn for every entry below path (not for path itself), parents before children, with the path
 * relative to the start. Links are reported, not followed. fn returns false to stop with *err set.
 */
typedef bool tree_fn(void *ctx, const char *rel, const struct stat *st, struct err *err);
must_check bool tree_walk(const char *path, tree_fn *fn, void *ctx, struct err *err);

struct tree_use {
	uint64_t bytes;	 /* on disk, each inode once */
	uint64_t shared; /* the part of bytes in files that have further links outside this tree */
	uint64_t files;
};
must_check bool tree_usage(const char *path, struct tree_use *use, struct err *err);
