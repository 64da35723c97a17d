#include <stdlib.h>
#include <string.h>

#include "base/intr.h"
#include "core/condamap.h"
#include "core/debmap.h"
#include "core/growing.h"
#include "core/redistmap.h"
#include "core/store_tar.h"

/* No component's files are so much larger than its archive: headers are packed to a fifteenth. */
enum { RATIO_MAX = 100 };
#define SLACK (256ull << 20)

static void tar_free(struct store_entry *e)
{
	struct tar *t = (struct tar *)e;
	growing_close(&t->reader);
	if (t->own)
		growing_free(t->g);
	free(t);
}

static ptrdiff_t on_read(void *ctx, void *buf, size_t n, struct err *err)
{
	struct tar *t = ctx;
	ptrdiff_t got = growing_read(&t->reader, buf, n, err);
	if (got > 0)
		store_entry_progress(&t->e, (uint64_t)got);
	return got;
}

static ptrdiff_t on_read_deb(void *ctx, void *buf, size_t n, struct err *err)
{
	struct tar *t = ctx;
	return debfile_read(&t->deb, buf, n, err);
}

static ptrdiff_t on_read_conda(void *ctx, void *buf, size_t n, struct err *err)
{
	struct tar *t = ctx;
	return condafile_read(&t->conda, buf, n, err);
}

/* What takes the tar out of the archive. */
static source_read_fn *reader_of(const struct component *c)
{
	size_t n = strlen(c->file);
	bool zip = n > 6 && !strcmp(c->file + n - 6, ".conda");
	return c->kind == ARCHIVE_DEB		 ? on_read_deb
	       : c->kind == ARCHIVE_CONDA && zip ? on_read_conda
						 : on_read;
}

static void on_cancel(void *ctx)
{
	struct tar *t = ctx;
	growing_cancel(&t->reader);
}

static char *on_entry(void *ctx, const char *name, mode_t *mode)
{
	struct tar *t = ctx;
	store_entry_setid(&t->e, name, *mode);
	/* Read-only, so that an edit through one hard link cannot change all prefixes. */
	*mode = *mode & 0111 ? 0555 : 0444;
	const struct component *c = t->e.c;
	if (c->kind == ARCHIVE_DEB)
		return debmap(name, t->e.to->arch, c->name, c->archive_sha256[0]);
	return c->kind == ARCHIVE_CONDA ? condamap(name, t->e.to->arch, c->name)
					: redistmap(name, t->e.to->arch, c->name);
}

static void on_file(void *ctx, const char *path, uint64_t size, bool executable)
{
	struct tar *t = ctx;
	store_entry_file(&t->e, path, size, executable, "");
}

struct unpack store_tar_unpack(struct tar *t)
{
	return (struct unpack){
		.name = t->e.c->file,
		.read = reader_of(t->e.c),
		.cancel = on_cancel,
		.map = on_entry,
		.file = on_file,
		.ctx = t,
		.dirfd = t->e.treefd,
		.max = t->e.c->size ? t->e.c->size * RATIO_MAX + SLACK : 0,
		.verified = !t->e.c->unverified,
		/* The pool has two threads a processor. */
		.threads = (pool_threads(t->e.to->pool) + 1) / 2,
	};
}

static bool unpack(struct tar *t, struct err *err)
{
	growing_rewind(&t->reader);
	t->deb = (struct debfile){.read = on_read, .ctx = t, .name = t->e.c->file};
	t->conda = (struct condafile){.read = on_read, .ctx = t, .name = t->e.c->file};
	t->e.steps = t->e.c->size;
	if (!intr_check(err) || !store_entry_open(&t->e, err))
		return false;
	if (t->e.c->kind == ARCHIVE_RUNFILE)
		return store_runfile_unpack(t, err);
	struct unpack u = store_tar_unpack(t);
	return unpack_run(&u, err);
}

/*
 * Whether the failure is the archive's own. Bytes that cannot be unpacked may be a mirror's fault
 * as long as the digest of the whole is not known.
 */
static bool final(struct tar *t, struct err *err)
{
	if (err->code && err->code != ERR_INTEGRITY)
		return true;
	switch (growing_fate(&t->reader)) {
	case GROWING_RESTARTED:
		return false;
	case GROWING_LOST:
		*err = (struct err){0};
		break;
	case GROWING_WHOLE:
		break;
	}
	return true;
}

static void run(struct store_entry *entry)
{
	struct tar *t = (struct tar *)entry;
	struct err err = {0};
	bool ok;
	while (!(ok = unpack(t, &err)) && !final(t, &err))
		store_entry_reset(&t->e);
	store_entry_end(&t->e, ok, &err);
}

struct store_entry *store_tar_new(struct growing *g, bool own)
{
	struct tar *t = xcalloc(1, sizeof *t);
	t->g = g;
	t->own = own;
	t->reader = (struct growing_reader){.g = g, .fd = -1};
	t->e.run = run;
	t->e.free = tar_free;
	return &t->e;
}
