#include "core/store.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/intr.h"
#include "base/io.h"
#include "base/tree.h"
#include "core/store_sync.h"
#include "core/wheelmap.h"
#include "core/wheelrecord.h"
#include "ext/zip.h"

enum { STORE_FORMAT = 1, PROGRESS_MS = 100 };

/* One archive on its way into the store. */
struct add {
	const struct layout *l;
	const struct component *c;
	const char *arch, *archive;
	struct pool *pool;
	const struct events *ev;
	store_done_fn *done;
	void *ctx;
	struct zip *zip;
	const struct zip_entry *entries;
	wheel_sha256 *sha;
	char *dir;  /* below staging/; becomes store/<sha256> */
	char *tree; /* dir/tree */
	int treefd;
	json_t *files;
	uint64_t total;
	uint64_t written; /* atomic */
	long long shown;  /* atomic: when progress was last told */
};

bool store_valid_sha256(const char *s)
{
	return strlen(s) == 64 && strspn(s, "0123456789abcdef") == 64;
}

static char *entry_dir(const struct layout *l, const char *sha256)
{
	return xasprintf("%s/store/%s", l->root, sha256);
}

bool store_has(const struct layout *l, const char *sha256)
{
	if (!store_valid_sha256(sha256))
		return false;
	autofree char *p = xasprintf("%s/store/%s/component.json", l->root, sha256);
	return access(p, F_OK) == 0;
}

char *store_tree(const struct layout *l, const char *sha256)
{
	return xasprintf("%s/store/%s/tree", l->root, sha256);
}

static long long now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (long long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void tell(const struct add *a, uint64_t done)
{
	event_emit(a->ev, &(struct event){.kind = EVENT_UNPACK,
					  .name = a->c->name,
					  .done = done,
					  .total = a->total});
}

static void on_progress(void *ctx, uint64_t bytes)
{
	struct add *a = ctx;
	uint64_t done = __atomic_add_fetch(&a->written, bytes, __ATOMIC_RELAXED);
	long long now = now_ms(), before = __atomic_load_n(&a->shown, __ATOMIC_RELAXED);
	/* done == total is told once, when the entry is published. */
	if (now - before >= PROGRESS_MS && done < a->total &&
	    __atomic_compare_exchange_n(&a->shown, &before, now, false, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED))
		tell(a, done);
}

static void finish(struct add *a, bool ok, struct err *err)
{
	struct err ignored;
	if (!ok && (err->sys == ENOSPC || err->sys == EDQUOT))
		err_hint(err,
			 "'%s' needs %.1f MiB in all below '%s': free some, or set CUDAENV_ROOT to "
			 "another disk",
			 a->c->name, (double)a->total / (1 << 20), a->l->root);
	if (a->treefd >= 0)
		close(a->treefd);
	if (a->dir && !tree_remove(a->dir, &ignored))
		event_debug(a->ev, "%s", ignored.msg);
	zip_close(a->zip);
	json_decref(a->files);
	free(a->sha);
	free(a->dir);
	free(a->tree);
	a->done(a->ctx, a->c, ok, err);
	free(a);
}

static bool write_component(const struct add *a, struct err *err)
{
	const struct component *c = a->c;
	autofree char *path = xasprintf("%s/component.json", a->dir);
	json_t *root =
		json_pack("{si ss ss* ss* ss* ss sI sO}", "format", STORE_FORMAT, "name", c->name,
			  "package", c->package, "version", c->version, "file", c->file, "sha256",
			  c->sha256, "bytes", (json_int_t)a->total, "files", a->files);
	autofree char *text = root ? json_dumps(root, JSON_INDENT(1)) : NULL;
	json_decref(root);
	if (!text)
		return err_set(err, ERR_FAILED, "cannot write '%s': a name is not UTF-8", path);
	autoclose int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
	if (fd < 0 || !io_write_all(fd, text, strlen(text)) || fchmod(fd, 0444) < 0 ||
	    !store_sync_last(fd) || close(take_fd(&fd)) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot write '%s'", path);
	return true;
}

static bool sync_files(const struct add *a, struct err *err)
{
	size_t i;
	json_t *file;
	json_array_foreach(a->files, i, file)
	{
		const char *path = json_string_value(json_object_get(file, "path"));
		if (!store_sync_file(a->treefd, path))
			return err_sys(err, ERR_FILESYSTEM, "cannot write '%s/%s' to disk", a->tree,
				       path);
	}
	return true;
}

/* One rename; whoever was first wins, and both have the same content. */
static bool publish(struct add *a, struct err *err)
{
	autofree char *to = entry_dir(a->l, a->c->sha256);
	if (!sync_files(a, err) || !write_component(a, err) || !intr_check(err))
		return false;
	if (rename(a->dir, to) == 0) {
		free(take_ptr(a->dir));
		return true;
	}
	if (errno != EEXIST && errno != ENOTEMPTY)
		return err_sys(err, ERR_FILESYSTEM, "cannot move '%s' to '%s'", a->dir, to);
	if (store_has(a->l, a->c->sha256))
		return true;
	/* Something that is no entry stands there: take its place and remove it. */
	return atomic_publish(a->dir, to, NULL, err);
}

static void run_publish(void *arg)
{
	struct add *a = arg;
	struct err err = {0};
	bool ok = publish(a, &err);
	if (ok)
		tell(a, a->total);
	finish(a, ok, &err);
}

static void on_unpacked(void *ctx, bool ok, const struct err *err)
{
	struct add *a = ctx;
	struct err copy = *err;
	/* Behind all inflating: it waits for the disk, and what was written last is nearer to it
	 * then. */
	if (ok)
		pool_add(a->pool, run_publish, a);
	else
		finish(a, false, &copy);
}

static char *map_entry(void *ctx, const struct zip_entry *e, mode_t *mode)
{
	struct add *a = ctx;
	char *path = wheelmap(e->name, a->arch, a->c->name);
	if (!path)
		return NULL;
	/* Read-only, so that an edit through one hard link cannot change all prefixes. */
	*mode = *mode & 0111 ? 0555 : 0444;
	json_t *file = json_pack("{ss sI sb}", "path", path, "size", (json_int_t)e->size, "exec",
				 *mode == 0555);
	const char *sha = a->sha[e - a->entries];
	if (sha[0])
		json_object_set_new(file, "sha256", json_string(sha));
	json_array_append_new(a->files, file);
	a->total += e->size;
	return path;
}

/* A folder of our own below staging/; its parts are open to all users whatever the umask is. */
static bool make_staging(struct add *a, struct err *err)
{
	autofree char *staging = xasprintf("%s/staging", a->l->root);
	autofree char *store = xasprintf("%s/store", a->l->root);
	unsigned r = 0;
	if (!tree_mkdirs(staging, err) || !tree_mkdirs(store, err))
		return false;
	if (getrandom(&r, sizeof r, GRND_NONBLOCK) != sizeof r)
		r = (unsigned)now_ms();
	char *dir = xasprintf("%s/store-%.12s-%ld-%08x", staging, a->c->sha256, (long)getpid(), r);
	if (mkdir(dir, 0755) < 0) {
		err_sys(err, ERR_FILESYSTEM, "cannot create folder '%s'", dir);
		free(dir);
		return false;
	}
	a->dir = dir;
	a->tree = xasprintf("%s/tree", dir);
	if (mkdir(a->tree, 0755) < 0 || chmod(dir, 0755) < 0 || chmod(a->tree, 0755) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot create folder '%s'", a->tree);
	a->treefd = open(a->tree, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (a->treefd < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot open folder '%s'", a->tree);
	return true;
}

static bool start(struct add *a, struct err *err)
{
	if (!intr_check(err) || !zip_open(&a->zip, a->archive, err))
		return false;
	zip_entries(a->zip, &a->entries);
	if (!wheelrecord_read(a->zip, a->archive, &a->sha, err) || !make_staging(a, err))
		return false;
	struct zip_unpack u = {
		.dirfd = a->treefd,
		.dest = a->tree,
		.map = map_entry,
		.done = on_unpacked,
		.progress = on_progress,
		.ctx = a,
	};
	return zip_unpack_start(a->zip, &u, a->pool, err);
}

static void run_start(void *arg)
{
	struct add *a = arg;
	struct err err = {0};
	if (store_has(a->l, a->c->sha256))
		finish(a, true, &err);
	else if (!start(a, &err))
		finish(a, false, &err);
}

bool store_add(const struct layout *l, const struct component *c, const char *arch,
	       const char *archive, struct pool *pool, const struct events *ev, store_done_fn *done,
	       void *ctx, struct err *err)
{
	if (!store_valid_sha256(c->sha256))
		return err_set(err, ERR_INTEGRITY, "no valid sha256 is known for '%s'", c->name);
	struct add *a = xcalloc(1, sizeof *a);
	*a = (struct add){
		.l = l,
		.c = c,
		.arch = arch,
		.archive = archive,
		.pool = pool,
		.ev = ev,
		.done = done,
		.ctx = ctx,
		.treefd = -1,
		.files = json_array(),
	};
	/* In front of all inflating, so that the largest files of all archives come first. */
	pool_add_weighted(pool, run_start, a, UINT64_MAX);
	return true;
}
