#pragma once
/* Replace a file, link or folder so that a reader sees the old one or the new one, never neither. */
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

/* Unique temporary name beside path, write, fsync, rename, fsync the folder. */
must_check bool atomic_write(const char *path, const void *data, size_t len, mode_t mode,
			     struct err *err);

/* A symbolic link with this target text; does nothing when it is there already. */
must_check bool atomic_symlink(const char *target, const char *path, struct err *err);

/*
 * Moves the folder `from` to `to` on the same file system. Where `to` exists the two are exchanged in
 * one step and `from` then holds the old one; *exchanged (may be NULL) tells. A folder of a lower layer of
 * overlayfs (what an earlier step of an image's build installed) cannot be moved: it is removed first.
 */
must_check bool atomic_publish(const char *from, const char *to, bool *exchanged, struct err *err);

/*
 * Removes a folder: away from its name first, to `trash` on the same file system, so that what is half removed
 * is never taken for whole. In a lower layer of overlayfs it is removed where it is.
 */
must_check bool atomic_remove(const char *path, const char *trash, struct err *err);
