#pragma once
/*
 * Tar archives (plain, .xz by ext/xz, .gz, .bz2 and .zst by libarchive) into a folder. The input may still be
 * growing: it is read in order, once, through a callback, to its end.
 *
 * Names are judged here. Absolute names, "..", control characters, what is not UTF-8, devices, fifos,
 * duplicates, links that lead out of the destination and files below a link make the whole archive fail.
 * Owners, set-id bits and modes of folders are never taken over. Links are made last, so nothing can be written
 * through one.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "ext/xz.h"

/*
 * Where an entry goes: a path relative to the destination, freed by unpack, or NULL to leave it out. name: the
 * archive's, that of a folder ends in '/'; so may the path. *mode may be changed; set-id bits, which are told, are dropped behind it. Also asked for
 * the targets of links, which may be folders without a '/'. A symbolic link
 * that would lead to itself is left out.
 */
typedef char *unpack_map_fn(void *ctx, const char *name, mode_t *mode);

/* Called for each file that is there, when its content is. */
typedef void unpack_file_fn(void *ctx, const char *path, uint64_t size, bool executable);

/*
 * An archive inside of the archive. Asked for each file; *taken: its content was read by `read`, whose context is
 * `from`, and it is not written. false: *err is set.
 */
typedef bool unpack_inner_fn(void *ctx, const char *name, source_read_fn *read, void *from,
			     bool *taken, struct err *err);

struct unpack {
	const char *name;     /* of the archive, for messages */
	source_read_fn *read; /* called from a thread of unpack_run's own */
	void (*cancel)(
		void *ctx); /* may be NULL; makes a read that waits, and all later ones, return -1 */
	unpack_map_fn *map;
	unpack_file_fn *file;	/* may be NULL */
	unpack_inner_fn *inner; /* may be NULL */
	void *ctx;		/* of all five */
	int dirfd;		/* destination */
	bool verified; /* the digest of the input is checked elsewhere: no need for the one inside */
	int threads;   /* for an archive that several threads can decode */
	uint64_t max;  /* bytes of all files together; 0: UNPACK_MAX_BYTES */
};

enum { UNPACK_MAX_ENTRIES = 400000 };
#define UNPACK_MAX_BYTES (64ull << 30)

/*
 * Unpacks all of it; files are on their way to the disk then. ERR_INTEGRITY names archive and entry,
 * ERR_FILESYSTEM the path; what read() said is passed on as it is. On failure the destination is left half
 * filled.
 */
must_check bool unpack_run(const struct unpack *u, struct err *err);
