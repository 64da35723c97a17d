#include <stdlib.h>

#include "base/intr.h"
#include "core/store_entry.h"
#include "core/wheelmap.h"
#include "core/wheelrecord.h"
#include "ext/zip.h"

/* A wheel on its way into the store: its files are inflated side by side. */
struct wheel {
	struct store_entry e; /* first */
	const char *archive;
	uint64_t offset, size;
	struct zip *zip;
	const struct zip_entry *entries;
	wheel_sha256 *sha;
};

static void wheel_free(struct store_entry *e)
{
	struct wheel *w = (struct wheel *)e;
	zip_close(w->zip);
	free(w->sha);
	free(w);
}

static char *map_entry(void *ctx, const struct zip_entry *ze, mode_t *mode)
{
	struct wheel *w = ctx;
	char *path = wheelmap(ze->name, w->e.to->arch, w->e.c->name);
	if (!path)
		return NULL;
	store_entry_setid(&w->e, ze->name, *mode);
	/* Read-only, so that an edit through one hard link cannot change all prefixes. */
	*mode = *mode & 0111 ? 0555 : 0444;
	store_entry_file(&w->e, path, ze->size, *mode == 0555, w->sha[ze - w->entries]);
	w->e.steps += ze->size;
	return path;
}

static void on_progress(void *ctx, uint64_t bytes)
{
	store_entry_progress(ctx, bytes);
}

static void on_unpacked(void *ctx, bool ok, const struct err *err)
{
	store_entry_end(ctx, ok, err);
}

static bool start(struct wheel *w, struct err *err)
{
	if (!intr_check(err) || !zip_open_part(&w->zip, w->archive, w->offset, w->size, err))
		return false;
	zip_entries(w->zip, &w->entries);
	if (!wheelrecord_read(w->zip, w->archive, &w->sha, err) || !store_entry_open(&w->e, err))
		return false;
	w->e.counted = true;
	struct zip_unpack u = {
		.dirfd = w->e.treefd,
		.dest = w->e.tree,
		.map = map_entry,
		.done = on_unpacked,
		.progress = on_progress,
		.ctx = w,
	};
	return zip_unpack_start(w->zip, &u, w->e.to->pool, err);
}

static void run(struct store_entry *entry)
{
	struct err err = {0};
	if (!start((struct wheel *)entry, &err))
		store_entry_end(entry, false, &err);
}

struct store_entry *store_wheel_new(const char *archive, uint64_t offset, uint64_t size)
{
	struct wheel *w = xcalloc(1, sizeof *w);
	w->archive = archive;
	w->offset = offset;
	w->size = size;
	w->e.run = run;
	w->e.free = wheel_free;
	return &w->e;
}
