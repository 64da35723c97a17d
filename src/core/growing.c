#include "core/growing.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/attr.h"

struct growing {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	char *path;
	int fd, open_errno;
	uint64_t bytes, taken;
	uint64_t offset, size; /* the part of the file that counts; size 0: all of it */
	unsigned round;
	bool ended, whole, cancelled;
};

struct growing *growing_new(void)
{
	struct growing *g = xcalloc(1, sizeof *g);
	g->fd = -1;
	pthread_mutex_init(&g->mutex, NULL);
	pthread_cond_init(&g->changed, NULL);
	return g;
}

struct growing *growing_whole(const char *path)
{
	struct growing *g = growing_new();
	growing_arrived(g, path, 0, false);
	growing_end(g, true);
	return g;
}

struct growing *growing_part(const char *path, uint64_t offset, uint64_t size)
{
	struct growing *g = growing_whole(path);
	g->offset = offset;
	g->size = size;
	return g;
}

void growing_free(struct growing *g)
{
	if (!g)
		return;
	if (g->fd >= 0)
		close(g->fd);
	pthread_mutex_destroy(&g->mutex);
	pthread_cond_destroy(&g->changed);
	free(g->path);
	free(g);
}

/* Opened at once: the file gets another name when it is whole. */
static void open_path(struct growing *g, const char *path)
{
	free(g->path);
	g->path = xstrdup(path);
	if (g->fd >= 0)
		close(g->fd);
	g->fd = open(path, O_RDONLY | O_CLOEXEC);
	g->open_errno = g->fd < 0 ? errno : 0;
}

void growing_arrived(struct growing *g, const char *path, uint64_t bytes, bool restarted)
{
	pthread_mutex_lock(&g->mutex);
	g->round += restarted;
	if (g->fd < 0 || restarted)
		open_path(g, path);
	g->bytes = bytes;
	pthread_cond_broadcast(&g->changed);
	pthread_mutex_unlock(&g->mutex);
}

void growing_end(struct growing *g, bool whole)
{
	pthread_mutex_lock(&g->mutex);
	g->ended = true;
	g->whole = whole;
	pthread_cond_broadcast(&g->changed);
	pthread_mutex_unlock(&g->mutex);
}

static bool cannot_read(struct growing *g, int e, struct err *err)
{
	errno = e;
	return err_sys(err, ERR_FILESYSTEM, "cannot read '%s'", g->path);
}

static bool restarted(const struct growing_reader *r)
{
	return r->round != r->g->round;
}

void growing_rewind(struct growing_reader *r)
{
	growing_close(r);
	pthread_mutex_lock(&r->g->mutex);
	r->g->cancelled = false;
	r->round = r->g->round;
	r->at = r->g->taken = 0;
	pthread_mutex_unlock(&r->g->mutex);
}

/* Until there is something to read, or nothing more to wait for. The mutex is held. */
static bool wait_for_bytes(struct growing_reader *r, struct err *err)
{
	struct growing *g = r->g;
	while (!g->ended && !g->cancelled && !restarted(r) && g->bytes <= r->at)
		pthread_cond_wait(&g->changed, &g->mutex);
	if (g->cancelled || restarted(r) || (g->ended && !g->whole)) {
		*err = (struct err){0};
		return false;
	}
	if (r->fd < 0)
		r->fd = g->fd < 0 ? -1 : fcntl(g->fd, F_DUPFD_CLOEXEC, 0);
	if (r->fd >= 0)
		return true;
	return cannot_read(g, g->open_errno ? g->open_errno : errno, err);
}

ptrdiff_t growing_read(void *ctx, void *buf, size_t n, struct err *err)
{
	struct growing_reader *r = ctx;
	struct growing *g = r->g;
	for (;;) {
		pthread_mutex_lock(&g->mutex);
		g->taken = r->at;
		bool ok = wait_for_bytes(r, err), end = g->whole;
		uint64_t there = g->bytes;
		pthread_mutex_unlock(&g->mutex);
		if (!ok)
			return -1;
		if (!end && there - r->at < n)
			n = (size_t)(there - r->at);
		if (g->size && g->size - r->at < n)
			n = (size_t)(g->size - r->at);
		ssize_t got = pread(r->fd, buf, n, (off_t)(g->offset + r->at));
		if (got < 0 && errno == EINTR)
			continue;
		if (got > 0 || (got == 0 && end)) {
			r->at += (uint64_t)got;
			return got;
		}
		int e = errno;
		pthread_mutex_lock(&g->mutex);
		if (got < 0)
			cannot_read(g, e, err);
		else if (!restarted(r) && !g->ended) /* cut short: a restart is near */
			pthread_cond_wait(&g->changed, &g->mutex);
		pthread_mutex_unlock(&g->mutex);
		if (got < 0)
			return -1;
	}
}

uint64_t growing_behind(struct growing *g)
{
	pthread_mutex_lock(&g->mutex);
	uint64_t behind = g->bytes > g->taken ? g->bytes - g->taken : 0;
	pthread_mutex_unlock(&g->mutex);
	return behind;
}

void growing_cancel(struct growing_reader *r)
{
	pthread_mutex_lock(&r->g->mutex);
	r->g->cancelled = true;
	pthread_cond_broadcast(&r->g->changed);
	pthread_mutex_unlock(&r->g->mutex);
}

enum growing_fate growing_fate(struct growing_reader *r)
{
	struct growing *g = r->g;
	pthread_mutex_lock(&g->mutex);
	while (!g->ended && !restarted(r))
		pthread_cond_wait(&g->changed, &g->mutex);
	enum growing_fate fate = restarted(r) ? GROWING_RESTARTED
				 : g->whole   ? GROWING_WHOLE
					      : GROWING_LOST;
	pthread_mutex_unlock(&g->mutex);
	return fate;
}

void growing_close(struct growing_reader *r)
{
	if (r->fd >= 0)
		close(r->fd);
	r->fd = -1;
}
