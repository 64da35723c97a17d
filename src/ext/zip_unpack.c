#include "ext/zip_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

struct unpack;

struct job {
	struct unpack *u;
	const struct zip_entry *e;
	char *path; /* relative to the destination */
	mode_t mode;
};

struct unpack {
	const struct zip *z;
	struct zip_unpack to;
	struct job *jobs;
	size_t n, left; /* left: not ended yet; atomic */
	pthread_mutex_t mutex;
	bool failed; /* atomic for readers */
	struct err err;
};

struct output {
	struct job *job;
	int fd;
	bool direct;
	off_t written;
};

/*
 * Large files go past the page cache. A store entry is durable before it is published, so the disk
 * has to be waited for in any case, and filling 600 MB of cache pages costs as much time as
 * inflating them (two to three times as much where the pages are new to a virtual machine): 0.7 s
 * in place of 1.3 to 2.3 s for the minimal toolkit on two processors. It also leaves in the cache
 * what the user works with. There are more threads than processors, so that one inflates while
 * another waits. Where it cannot be had (tmpfs), nothing is lost.
 */
static void go_direct(struct output *o)
{
	if (o->job->e->size >= ZIP_PIECE_BYTES)
		o->direct = fcntl(o->fd, F_SETFL, O_DIRECT) == 0;
}

/* One extent rather than one a piece, and a full disk is seen before the work is done. */
static bool reserve(const struct output *o)
{
	return !o->direct || fallocate(o->fd, 0, 0, (off_t)o->job->e->size) == 0 ||
	       (errno != ENOSPC && errno != EDQUOT);
}

static bool write_piece(struct output *o, const char *p, size_t n)
{
	size_t whole = o->direct ? n & ~(size_t)(ZIP_PIECE_ALIGN - 1) : 0;
	if (whole && !io_write_all(o->fd, p, whole)) {
		/* A file system with wishes of its own. */
		if (errno != EINVAL || lseek(o->fd, o->written, SEEK_SET) < 0)
			return false;
		whole = 0;
	}
	if (o->direct && whole < n) {
		if (fcntl(o->fd, F_SETFL, 0) < 0)
			return false;
		o->direct = false;
	}
	return io_write_all(o->fd, p + whole, n - whole);
}

static bool put_file(void *ctx, const void *p, size_t n, struct err *err)
{
	struct output *o = ctx;
	const struct zip_unpack *to = &o->job->u->to;
	if (!write_piece(o, p, n))
		return err_sys(err, ERR_FILESYSTEM, "cannot write '%s/%s'", to->dest, o->job->path);
	o->written += (off_t)n;
	if (to->progress)
		to->progress(to->ctx, n);
	return true;
}

static bool write_entry(struct job *j, struct err *err)
{
	const struct zip_unpack *to = &j->u->to;
	/* The folders above were made, or found to be no links, by make_folders. */
	autoclose int fd = openat(to->dirfd, j->path,
				  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, j->mode);
	if (fd < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot create '%s/%s'", to->dest, j->path);
	struct output o = {.job = j, .fd = fd};
	go_direct(&o);
	if (!reserve(&o))
		return err_sys(err, ERR_FILESYSTEM, "cannot write '%s/%s'", to->dest, j->path);
	if (!zip_stream(j->u->z, j->e, put_file, &o, err))
		return false;
	/* On its way to the disk; whoever publishes the whole waits for it. */
	sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
	/* The umask has no say in what others may read. */
	if (fchmod(fd, j->mode) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot set the mode of '%s/%s'", to->dest,
			       j->path);
	if (close(take_fd(&fd)) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot write '%s/%s'", to->dest, j->path);
	return true;
}

static void fail(struct unpack *u, const struct err *err)
{
	pthread_mutex_lock(&u->mutex);
	if (!u->failed)
		u->err = *err;
	__atomic_store_n(&u->failed, true, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&u->mutex);
}

static void unpack_free(struct unpack *u)
{
	for (size_t i = 0; i < u->n; i++)
		free(u->jobs[i].path);
	free(u->jobs);
	pthread_mutex_destroy(&u->mutex);
	free(u);
}

static void end(struct unpack *u)
{
	struct zip_unpack to = u->to;
	bool ok = !u->failed;
	struct err err = u->err;
	unpack_free(u);
	to.done(to.ctx, ok, &err);
}

static void run_job(void *arg)
{
	struct job *j = arg;
	struct unpack *u = j->u;
	struct err err;
	/* After an error the rest is only counted down. */
	if (!__atomic_load_n(&u->failed, __ATOMIC_ACQUIRE) && !write_entry(j, &err))
		fail(u, &err);
	if (__atomic_sub_fetch(&u->left, 1, __ATOMIC_ACQ_REL) == 0)
		end(u);
}

static void run_nothing(void *arg)
{
	end(arg);
}

static int by_path(const void *a, const void *b)
{
	const struct job *x = a, *y = b;
	return zip_name_cmp(x->path, y->path);
}

/* The mapping may send two entries to one place. */
static bool map_entries(struct unpack *u, struct err *err)
{
	for (size_t i = 0; i < u->z->n; i++) {
		const struct zip_entry *e = &u->z->entries[i];
		mode_t mode = e->mode ? e->mode : 0644;
		if (e->name[strlen(e->name) - 1] == '/')
			continue;
		char *path = u->to.map(u->to.ctx, e, &mode);
		if (path)
			u->jobs[u->n++] = (struct job){u, e, path, mode & 0777};
	}
	qsort(u->jobs, u->n, sizeof *u->jobs, by_path);
	for (size_t i = 0; i < u->n; i++) {
		const struct job *j = &u->jobs[i];
		const char *fault = zip_name_fault(j->path, strlen(j->path));
		if (!fault && i)
			fault = zip_name_clash(j[-1].path, j->path);
		if (fault)
			return zip_entry_bad(u->z, j->e->name, err, "cannot go to '%.300s': it %s",
					     j->path, fault);
	}
	return true;
}

static bool make_folder(const struct zip_unpack *to, const char *path, struct err *err)
{
	struct stat st;
	if (mkdirat(to->dirfd, path, 0755) == 0) {
		if (fchmodat(to->dirfd, path, 0755, 0) == 0)
			return true;
	} else if (errno == EEXIST && fstatat(to->dirfd, path, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		if (S_ISDIR(st.st_mode))
			return true;
		errno = ENOTDIR;
	}
	return err_sys(err, ERR_FILESYSTEM, "cannot create folder '%s/%s'", to->dest, path);
}

/* Paths are in order, so only what differs from the path before needs a look. */
static bool make_folders(struct unpack *u, struct err *err)
{
	const char *before = "";
	for (size_t i = 0; i < u->n; i++) {
		char *path = u->jobs[i].path;
		size_t same = 0;
		for (size_t k = 0; path[k] && path[k] == before[k]; k++)
			if (path[k] == '/')
				same = k + 1;
		for (char *s = path + same; (s = strchr(s, '/')); s++) {
			*s = '\0';
			bool ok = make_folder(&u->to, path, err);
			*s = '/';
			if (!ok)
				return false;
		}
		before = path;
	}
	return true;
}

bool zip_unpack_start(struct zip *z, const struct zip_unpack *to, struct pool *pool,
		      struct err *err)
{
	struct unpack *u = xcalloc(1, sizeof *u);
	*u = (struct unpack){.z = z, .to = *to, .jobs = xcalloc(z->n, sizeof *u->jobs)};
	pthread_mutex_init(&u->mutex, NULL);
	if (!map_entries(u, err) || !make_folders(u, err)) {
		unpack_free(u);
		return false;
	}
	size_t n = u->n;
	struct job *jobs = u->jobs;
	u->left = n;
	/* The job that ends last frees u and the jobs: none is looked at here once it is queued. */
	for (size_t i = 0; i < n; i++)
		pool_add_weighted(pool, run_job, &jobs[i], jobs[i].e->size);
	if (n == 0)
		pool_add(pool, run_nothing, u);
	return true;
}

static bool put_buf(void *ctx, const void *p, size_t n, struct err *err)
{
	if (!buf_add(ctx, p, n))
		return err_set(err, ERR_INTEGRITY, "more than %zu bytes", ((struct buf *)ctx)->max);
	return true;
}

bool zip_read(struct zip *z, const struct zip_entry *e, struct buf *out, struct err *err)
{
	if (e->size > out->max)
		return zip_entry_bad(z, e->name, err, "is longer than %zu bytes", out->max);
	buf_clear(out);
	if (zip_stream(z, e, put_buf, out, err))
		return true;
	buf_clear(out);
	return false;
}
