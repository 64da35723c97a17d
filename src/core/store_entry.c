#include "core/store_entry.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/flush.h"
#include "base/intr.h"
#include "base/io.h"
#include "base/tree.h"
#include "core/store_sync.h"

enum { STORE_FORMAT = 1, PROGRESS_MS = 100, FEW = 64 };

static long long now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (long long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void tell(const struct store_entry *e, uint64_t step)
{
	event_emit(e->to->events, &(struct event){.kind = EVENT_UNPACK,
						  .name = e->c->name,
						  .done = step,
						  .total = e->steps});
}

void store_entry_progress(struct store_entry *e, uint64_t steps)
{
	uint64_t done = __atomic_add_fetch(&e->step, steps, __ATOMIC_RELAXED);
	long long now = now_ms(), before = __atomic_load_n(&e->shown, __ATOMIC_RELAXED);
	/* done == total is told once, when the entry is published. */
	if (now - before >= PROGRESS_MS && done < e->steps &&
	    __atomic_compare_exchange_n(&e->shown, &before, now, false, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED))
		tell(e, done);
}

bool store_entry_open(struct store_entry *e, struct err *err)
{
	autofree char *staging = xasprintf("%s/staging", e->to->l->root);
	autofree char *store = xasprintf("%s/store", e->to->l->root);
	unsigned r = 0;
	if (!tree_mkdirs(staging, err) || !tree_mkdirs(store, err))
		return false;
	if (getrandom(&r, sizeof r, GRND_NONBLOCK) != sizeof r)
		r = (unsigned)now_ms();
	char *dir = xasprintf("%s/store-%.12s-%ld-%08x", staging, e->c->sha256, (long)getpid(), r);
	if (mkdir(dir, 0755) < 0) {
		err_sys(err, ERR_FILESYSTEM, "cannot create folder '%s'", dir);
		free(dir);
		return false;
	}
	e->dir = dir;
	e->tree = xasprintf("%s/tree", dir);
	e->files = json_array();
	if (mkdir(e->tree, 0755) < 0 || chmod(dir, 0755) < 0 || chmod(e->tree, 0755) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot create folder '%s'", e->tree);
	e->treefd = open(e->tree, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (e->treefd < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot open folder '%s'", e->tree);
	return true;
}

void store_entry_reset(struct store_entry *e)
{
	struct err ignored;
	if (e->treefd >= 0)
		close(e->treefd);
	e->treefd = -1;
	if (e->dir && !tree_remove(e->dir, &ignored))
		event_debug(e->to->events, "%s", ignored.msg);
	free(take_ptr(e->dir));
	free(take_ptr(e->tree));
	json_decref(take_ptr(e->files));
	e->bytes = 0;
	__atomic_store_n(&e->step, 0, __ATOMIC_RELAXED);
}

void store_entry_file(struct store_entry *e, const char *path, uint64_t size, bool executable,
		      const char *sha256)
{
	json_t *file =
		json_pack("{ss sI sb}", "path", path, "size", (json_int_t)size, "exec", executable);
	if (sha256[0])
		json_object_set_new(file, "sha256", json_string(sha256));
	json_array_append_new(e->files, file);
	e->bytes += size;
}

void store_entry_setid(struct store_entry *e, const char *name, mode_t mode)
{
	size_t n = strlen(name);
	if (!(mode & (S_ISUID | S_ISGID)) || e->setid || (n && name[n - 1] == '/'))
		return;
	e->setid = true;
	event_warn(e->to->events, NULL, "'%s' has set-id bits in '%s', which are left out", name,
		   e->c->file);
}

static bool write_component(const struct store_entry *e, struct err *err)
{
	const struct component *c = e->c;
	autofree char *path = xasprintf("%s/component.json", e->dir);
	json_t *root =
		json_pack("{si ss ss* ss* ss* ss sI sO}", "format", STORE_FORMAT, "name", c->name,
			  "package", c->package, "version", c->version, "file", c->file, "sha256",
			  c->sha256, "bytes", (json_int_t)e->bytes, "files", e->files);
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

static bool sync_one_by_one(const struct store_entry *e)
{
	struct store_sync s = {0};
	bool ok = true;
	size_t i;
	json_t *file;
	json_array_foreach(e->files, i, file)
	{
		const char *path = json_string_value(json_object_get(file, "path"));
		ok = ok && store_sync_file(&s, e->treefd, path);
	}
	return store_sync_end(&s) && ok;
}

/* Many small files go together where that does not mean to wait for what others wrote. */
static bool sync_files(const struct store_entry *e, struct err *err)
{
	uint64_t small = 0;
	size_t i, n = 0;
	json_t *file;
	json_array_foreach(e->files, i, file)
	{
		uint64_t size = (uint64_t)json_integer_value(json_object_get(file, "size"));
		n += size < FLUSH_SMALL;
		small += size < FLUSH_SMALL ? size : 0;
	}
	errno = EBUSY;
	bool ok = n > FEW && flush_all(e->treefd, small);
	if (!ok && (errno == EBUSY || errno == ENOSYS))
		ok = sync_one_by_one(e);
	return ok || err_sys(err, ERR_FILESYSTEM, "cannot write '%s' to disk", e->tree);
}

/* One rename; whoever was first wins, and both have the same content. */
static bool publish(struct store_entry *e, struct err *err)
{
	autofree char *to = xasprintf("%s/store/%s", e->to->l->root, e->c->sha256);
	if (!sync_files(e, err) || !write_component(e, err) || !intr_check(err))
		return false;
	if (rename(e->dir, to) == 0) {
		free(take_ptr(e->dir));
		return true;
	}
	if (errno != EEXIST && errno != ENOTEMPTY)
		return err_sys(err, ERR_FILESYSTEM, "cannot move '%s' to '%s'", e->dir, to);
	if (store_has(e->to->l, e->c->sha256))
		return true;
	/* Something that is no entry stands there: take its place and remove it. */
	return atomic_publish(e->dir, to, NULL, err);
}

static void hint_room(const struct store_entry *e, struct err *err)
{
	struct statvfs v;
	const char *root = e->to->l->root;
	if (statvfs(root, &v) == 0 && v.f_files && !v.f_favail)
		err_hint(err,
			 "the file system of '%s' takes no more files (inodes), whatever their "
			 "size: remove some, or set CUDAENV_ROOT to another disk",
			 root);
	else
		err_hint(err,
			 "'%s' needs %s%.1f MiB in all below '%s': free some, or set CUDAENV_ROOT "
			 "to another disk",
			 e->c->name, e->counted ? "" : "more than ", (double)e->bytes / (1 << 20),
			 root);
}

static void finish(struct store_entry *e, bool ok, struct err *err)
{
	if (!ok && (err->sys == ENOSPC || err->sys == EDQUOT))
		hint_room(e, err);
	store_entry_reset(e);
	e->to->done(e->to->ctx, e->c, ok, err);
	e->free(e);
}

static void run_publish(void *arg)
{
	struct store_entry *e = arg;
	struct err err = {0};
	bool ok = publish(e, &err);
	if (ok)
		tell(e, e->steps);
	finish(e, ok, &err);
}

void store_entry_end(struct store_entry *e, bool ok, const struct err *err)
{
	struct err copy = *err;
	/* Behind all unpacking: it waits for the disk, and what was written last is nearer to it
	 * then. */
	if (ok && e->dir)
		pool_add(e->to->pool, run_publish, e);
	else
		finish(e, ok, &copy);
}
