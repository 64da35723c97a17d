#include "ext/xz.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "ext/xz_priv.h"

enum {
	ROOM = 4 << 20,		       /* decoded, and not taken yet */
	XZ_THREADS_MEMORY = 128 << 20, /* threads are dropped above: a block in and out for each */
	XZ_HEAD = 14,		       /* bytes up to the flags of the first block */
};

bool xz_refuse(const struct xz *x, lzma_ret r, struct err *err)
{
	switch ((int)r) {
	case LZMA_MEM_ERROR:
		return err_set(err, ERR_FAILED, "out of memory while unpacking '%s'", x->name);
	case LZMA_MEMLIMIT_ERROR:
		return err_set(err, ERR_INTEGRITY, "'%s' needs more than %d MiB to unpack", x->name,
			       XZ_MEMORY_MAX >> 20);
	case LZMA_FORMAT_ERROR:
		return err_set(err, ERR_INTEGRITY, "'%s' is no .xz file", x->name);
	case LZMA_BUF_ERROR:
		return err_set(err, ERR_INTEGRITY, "'%s' ends too early", x->name);
	case LZMA_OPTIONS_ERROR:
		return err_set(err, ERR_INTEGRITY, "'%s' is packed in a way that is not known",
			       x->name);
	default:
		return err_set(err, ERR_INTEGRITY, "'%s' is damaged (xz error %d)", x->name,
			       (int)r);
	}
}

static uint32_t flags(const struct xz *x)
{
	return LZMA_CONCATENATED | (x->check ? 0 : LZMA_IGNORE_CHECK);
}

#ifdef HAVE_LZMA_DECODER_MT
/*
 * The memory of one file's threads is there once: several files at a time keep the processors busy
 * anyway.
 */
static atomic_bool memory_taken;

/* Blocks can be told apart before they are decoded only where their headers say how long they are. */
static bool takes_memory(const struct xz *x)
{
	return x->threads > 1 && x->in_n - x->in_at >= XZ_HEAD &&
	       (x->in[x->in_at + XZ_HEAD - 1] & 0xc0) == 0xc0 &&
	       !atomic_exchange(&memory_taken, true);
}

static void give_memory(void)
{
	atomic_store(&memory_taken, false);
}

static lzma_ret start_lib(struct xz *x)
{
	if (!x->has_memory)
		return lzma_stream_decoder(&x->lib, XZ_MEMORY_MAX, flags(x));
	lzma_mt mt = {
		.flags = flags(x),
		.threads = (uint32_t)x->threads,
		.memlimit_threading = XZ_THREADS_MEMORY,
		.memlimit_stop = XZ_MEMORY_MAX,
	};
	return lzma_stream_decoder_mt(&x->lib, &mt);
}
#else
static bool takes_memory(const struct xz *x)
{
	(void)x;
	return false;
}

static void give_memory(void)
{
}

static lzma_ret start_lib(struct xz *x)
{
	return lzma_stream_decoder(&x->lib, XZ_MEMORY_MAX, flags(x));
}
#endif

bool xz_need(struct xz *x, size_t n, struct err *err)
{
	if (x->in_n - x->in_at >= n || x->input_ended)
		return true;
	memmove(x->in, x->in + x->in_at, x->in_n - x->in_at);
	x->in_n -= x->in_at;
	x->in_at = 0;
	while (x->in_n < n && !x->input_ended) {
		ptrdiff_t got = x->read(x->ctx, x->in + x->in_n, XZ_IN - x->in_n, err);
		if (got < 0)
			return false;
		x->in_n += (size_t)got;
		x->input_ended = got == 0;
	}
	return true;
}

uint8_t *xz_room(struct xz *x, size_t n)
{
	pthread_mutex_lock(&x->mutex);
	while (x->written - x->taken + n > x->ring.size - x->ring.history && !x->stop)
		pthread_cond_wait(&x->emptied, &x->mutex);
	bool stop = x->stop;
	pthread_mutex_unlock(&x->mutex);
	if (stop)
		return NULL;
	uint8_t *at = ring_at(&x->ring, x->written);
	ring_touch(&x->ring, at, n);
	return at;
}

void xz_wrote(struct xz *x, size_t n)
{
	pthread_mutex_lock(&x->mutex);
	x->written += n;
	pthread_cond_signal(&x->filled);
	pthread_mutex_unlock(&x->mutex);
}

bool xz_new_history(struct xz *x, size_t history, struct err *err)
{
	bool ok = true;
	pthread_mutex_lock(&x->mutex);
	while ((x->lent || x->written != x->taken) && !x->stop)
		pthread_cond_wait(&x->emptied, &x->mutex);
	/* When nobody wants the rest the old one will do: xz_room says so. */
	if (!x->stop) {
		ring_unmap(&x->ring);
		x->written = x->taken = 0;
		ok = ring_map(&x->ring, history, ROOM);
	}
	pthread_mutex_unlock(&x->mutex);
	return ok || xz_refuse(x, LZMA_MEM_ERROR, err);
}

/* By liblzma: until a piece is full or all is done. */
static bool lib_step(struct xz *x, struct err *err)
{
	x->lib.next_out = xz_room(x, XZ_PIECE);
	x->lib.avail_out = XZ_PIECE;
	while (x->lib.next_out && !x->ended && x->lib.avail_out) {
		if (!xz_need(x, 1, err))
			return false;
		x->lib.next_in = x->in + x->in_at;
		x->lib.avail_in = x->in_n - x->in_at;
		lzma_ret r = lzma_code(&x->lib, x->input_ended ? LZMA_FINISH : LZMA_RUN);
		x->in_at = x->in_n - x->lib.avail_in;
		if (r == LZMA_STREAM_END)
			x->ended = true;
		else if (r != LZMA_OK)
			return xz_refuse(x, r, err);
	}
	xz_wrote(x, XZ_PIECE - x->lib.avail_out);
	return true;
}

/*
 * Several threads for one file are left to liblzma. What comes next needs history in the ring, liblzma has its
 * own.
 */
static bool start(struct xz *x, struct err *err)
{
	bool own = false;
	size_t dict = 0;
	if (!xz_need(x, XZ_HEAD, err))
		return false;
	x->has_memory = takes_memory(x);
	if (!x->has_memory && !xz_stream_can(x, &own, &dict, err))
		return false;
	if (own && ring_map(&x->ring, dict, ROOM)) {
		x->step = xz_stream_step;
		return true;
	}
	lzma_ret r = start_lib(x);
	if (r == LZMA_OK && !ring_map(&x->ring, 0, ROOM))
		r = LZMA_MEM_ERROR;
	x->step = lib_step;
	return r == LZMA_OK || xz_refuse(x, r, err);
}

static void *decode(void *arg)
{
	struct xz *x = arg;
	struct err err;
	bool ok = true, stop = false;
	while (ok && !x->ended && !stop) {
		ok = x->step(x, &err);
		pthread_mutex_lock(&x->mutex);
		stop = x->stop;
		pthread_mutex_unlock(&x->mutex);
	}
	pthread_mutex_lock(&x->mutex);
	if (!ok)
		x->err = err;
	x->failed = !ok;
	x->done = true;
	pthread_cond_signal(&x->filled);
	pthread_mutex_unlock(&x->mutex);
	return NULL;
}

struct xz *xz_open(source_read_fn *read, void *ctx, int threads, bool check, const char *name)
{
	struct xz *x = xcalloc(1, sizeof *x);
	x->lib = (lzma_stream)LZMA_STREAM_INIT;
	x->read = read;
	x->ctx = ctx;
	x->name = name;
	x->threads = threads;
	x->check = check;
	x->step = start;
	x->in = xcalloc(1, XZ_IN + LZMA2_IN_SLACK);
	pthread_mutex_init(&x->mutex, NULL);
	pthread_cond_init(&x->filled, NULL);
	pthread_cond_init(&x->emptied, NULL);
	x->threaded = pthread_create(&x->thread, NULL, decode, x) == 0;
	return x;
}

bool xz_next(struct xz *x, const void **data, size_t *n, struct err *err)
{
	pthread_mutex_lock(&x->mutex);
	x->taken += x->lent;
	x->lent = 0;
	pthread_cond_signal(&x->emptied);
	while (x->threaded && x->written == x->taken && !x->done)
		pthread_cond_wait(&x->filled, &x->mutex);
	x->lent = (size_t)(x->written - x->taken);
	bool ok = x->lent || !x->failed;
	if (!ok)
		*err = x->err;
	pthread_mutex_unlock(&x->mutex);
	while (!x->threaded && ok && !x->ended && !x->lent) {
		ok = x->step(x, err);
		x->lent = (size_t)(x->written - x->taken);
	}
	if (!ok)
		return false;
	*data = x->lent ? ring_at(&x->ring, x->taken) : NULL;
	*n = x->lent;
	return true;
}

void xz_close(struct xz *x)
{
	if (!x)
		return;
	if (x->threaded) {
		pthread_mutex_lock(&x->mutex);
		x->stop = true;
		pthread_cond_signal(&x->emptied);
		pthread_mutex_unlock(&x->mutex);
		pthread_join(x->thread, NULL);
	}
	lzma_end(&x->lib);
	xz_stream_clear(&x->own);
	if (x->has_memory)
		give_memory();
	ring_unmap(&x->ring);
	pthread_mutex_destroy(&x->mutex);
	pthread_cond_destroy(&x->filled);
	pthread_cond_destroy(&x->emptied);
	free(x->in);
	free(x);
}
