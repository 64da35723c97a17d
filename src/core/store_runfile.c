#include "base/tree.h"
#include "core/runfilemap.h"
#include "core/store_tar.h"
#include "ext/runfile.h"

/* A runfile, or the one inside of it. */
struct layer {
	struct tar *t;
	struct unpack outer; /* what its bytes come from */
	struct runfile *runfile;
};

static ptrdiff_t on_read(void *ctx, void *buf, size_t n, struct err *err)
{
	struct layer *l = ctx;
	return runfile_read(l->runfile, buf, n, err);
}

static void on_cancel(void *ctx)
{
	struct layer *l = ctx;
	l->outer.cancel(l->outer.ctx);
}

static char *on_entry(void *ctx, const char *name, mode_t *mode)
{
	struct layer *l = ctx;
	store_entry_setid(&l->t->e, name, *mode);
	*mode = 0444;
	return runfilemap(name, l->t->e.to->arch);
}

static bool unpack_layer(struct layer *l, const char *name, source_read_fn *read, void *from,
			 unpack_inner_fn *inner, struct err *err)
{
	struct unpack u = l->outer;
	u.name = name;
	u.read = on_read;
	u.cancel = inner ? on_cancel : NULL;
	u.map = on_entry;
	u.file = NULL;
	u.inner = inner;
	u.ctx = l;
	l->runfile = runfile_open(read, from, !u.verified, name);
	bool ok = unpack_run(&u, err);
	runfile_close(l->runfile);
	return ok;
}

/* The toolkit of an old runfile is in a runfile of its own, which is read as it comes. */
static bool on_inner(void *ctx, const char *name, source_read_fn *read, void *from, bool *taken,
		     struct err *err)
{
	struct layer *outer = ctx, l = {outer->t, outer->outer, NULL};
	*taken = runfilemap_is_inner(name);
	return !*taken || unpack_layer(&l, name, read, from, NULL, err);
}

static bool record_file(void *ctx, const char *rel, const struct stat *st, struct err *err)
{
	struct tar *t = ctx;
	if (S_ISREG(st->st_mode))
		store_entry_file(&t->e, rel, (uint64_t)st->st_size, st->st_mode & 0111, "");
	return true;
}

bool store_runfile_unpack(struct tar *t, struct err *err)
{
	struct layer l = {t, store_tar_unpack(t), NULL};
	return unpack_layer(&l, t->e.c->file, l.outer.read, t, on_inner, err) &&
	       runfile_settle(t->e.tree, err) && tree_walk(t->e.tree, record_file, t, err);
}
