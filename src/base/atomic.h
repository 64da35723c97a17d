#pragma once
/* Replace a file, link or folder so that a reader sees the old one or the new one, never neither. */
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

/* Unique temporary name beside path, write, fsync, rename, fsync the folder. */
must_check bool atomic_write(const char *path, const void *data, size_t len, mode_t mode,
			     struct err *err);

/*
 * A file that is written piece by piece and appears whole. Where the file system can, it has no name before that,
 * so nothing is left of it whatever ends the program.
 */
struct atomic_file {
	int fd;
	char *path, *tmp; /* tmp NULL: it has no name yet */
};
must_check bool atomic_open(struct atomic_file *f, const char *path, mode_t mode, struct err *err);
/* fsync, and then it is there. replace false: err->sys is EEXIST where path is there already. Ends f in any case. */
must_check bool atomic_commit(struct atomic_file *f, bool replace, struct err *err);
/* Instead of atomic_commit. */
void atomic_abandon(struct atomic_file *f);

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
