#pragma once
/*
 * Zip archives (wheels): the central directory is read once and checked, entries are independent and are
 * inflated side by side on a pool. Names are judged here: absolute names, "..", control characters, links,
 * devices and duplicates make the whole archive fail before anything is written.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/pool.h"

struct zip_entry {
	char *name; /* as in the archive, '/' between parts; a folder ends in '/' */
	uint64_t size, packed;
	uint64_t offset; /* of the packed bytes in the archive */
	uint32_t crc;
	uint16_t method; /* 0 stored, 8 deflate */
	mode_t mode;	 /* permission and set-id bits, 0 if not told */
};
struct zip;

/*
 * Opens and checks the central directory (zip64 too) and every local header. ERR_INTEGRITY names the archive,
 * the entry and the reason.
 */
must_check bool zip_open(struct zip **z, const char *path, struct err *err);
/* The same of an archive that is a part of a file; size 0: all of it. */
must_check bool zip_open_part(struct zip **z, const char *path, uint64_t offset, uint64_t size,
			      struct err *err);
void zip_close(struct zip *z); /* NULL is fine */
/* In order of name. */
size_t zip_entries(const struct zip *z, const struct zip_entry **entries);
const struct zip_entry *zip_find(const struct zip *z, const char *name);

/* One entry into memory (out->max is the limit). */
must_check bool zip_read(struct zip *z, const struct zip_entry *e, struct buf *out,
			 struct err *err);

/*
 * Where an entry goes: a path relative to the destination, owned by the caller of this function (freed
 * here), or NULL to leave it out. *mode may be changed; without set-id bits the file gets it whatever the umask is. Called for
 * every entry but folders, in order, before anything is written.
 */
typedef char *zip_map_fn(void *ctx, const struct zip_entry *e, mode_t *mode);
/* Called once, from a pool thread, when all entries are written (ok) or none is being written after an error. */
typedef void zip_done_fn(void *ctx, bool ok, const struct err *err);

struct zip_unpack {
	int dirfd;	  /* destination folder, open until done */
	const char *dest; /* its path, for messages */
	zip_map_fn *map;
	zip_done_fn *done;
	void (*progress)(void *ctx, uint64_t bytes); /* may be NULL; from pool threads */
	void *ctx;
};
/*
 * Makes the folders (0755) and queues all entries, largest first. z, and what u points to, must live until
 * done() was called. On false nothing was queued and done() is not called.
 */
must_check bool zip_unpack_start(struct zip *z, const struct zip_unpack *u, struct pool *pool,
				 struct err *err);
