#pragma once
/* Inside of the store: an entry on its way into it, whatever kind of archive it comes from. */
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/store.h"

struct store_entry {
	/* set by whoever makes it */
	const struct store_target *to;
	const struct component *c;
	void (*run)(struct store_entry *e);  /* does all the work, on a pool thread */
	void (*free)(struct store_entry *e); /* frees what it is part of */

	char *dir;  /* below staging/; becomes store/<sha256> */
	char *tree; /* dir/tree */
	int treefd;
	json_t *files;
	uint64_t bytes;	      /* of all files */
	bool setid;	      /* one was told */
	bool counted;	      /* bytes was known before the first one was written */
	uint64_t step, steps; /* progress; step: atomic */
	long long shown;      /* atomic: when progress was last told */
};

/* A folder of our own below staging/; its parts are open to all users whatever the umask is. */
must_check bool store_entry_open(struct store_entry *e, struct err *err);
/* Throws away what was unpacked. */
void store_entry_reset(struct store_entry *e);
/* sha256: "" not known. */
void store_entry_file(struct store_entry *e, const char *path, uint64_t size, bool executable,
		      const char *sha256);
/* A file that has set-id bits in its archive is told, the first one. They are dropped. */
void store_entry_setid(struct store_entry *e, const char *name, mode_t mode);
void store_entry_progress(struct store_entry *e, uint64_t steps);
/*
 * The end. ok: everything was written; it is published by the pool. Else all of it is removed. The caller's
 * done() and free() are called after that; e is not to be used any more.
 */
void store_entry_end(struct store_entry *e, bool ok, const struct err *err);

/* New ones with run() and free() set. archive is borrowed until the end, size 0: all of it; g is freed where `own` says so. */
struct store_entry *store_wheel_new(const char *archive, uint64_t offset, uint64_t size);
struct store_entry *store_folder_new(const char *path);
struct store_entry *store_tar_new(struct growing *g, bool own);
