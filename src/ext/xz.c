#include "ext/xz.h"

#include <lzma.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/attr.h"

enum {
	XZ_IN = 256 << 10,
	XZ_PIECE = 512 << 10,
	XZ_PIECES = 4,
	XZ_THREADS_MEMORY = 128 << 20, /* threads are dropped above: a block in and out for each */
	XZ_MEMORY_MAX = 320 << 20,     /* a dictionary above this is refused: xz -9 needs 65 MiB */
	XZ_HEAD = 14,		       /* bytes up to the flags of the first block */
};

struct piece {
	size_t n;
	uint8_t data[XZ_PIECE];
};

struct xz {
	lzma_stream s;
	source_read_fn *read;
	void *ctx;
	const char *name;
	int threads;
	uint32_t flags;
	uint8_t *in;
	bool started, input_ended, ended; /* of the decoder */
	bool has_memory;		  /* for several threads */

	/* A ring: the decoder fills, xz_next empties. */
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t filled, emptied;
	struct piece *pieces;
	unsigned n_filled, n_emptied; /* ever */
	bool threaded, taken, stop, failed;
	struct err err;
};

static bool refuse(const struct xz *x, lzma_ret r, struct err *err)
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
	default:
		return err_set(err, ERR_INTEGRITY, "'%s' is damaged (xz error %d)", x->name,
			       (int)r);
	}
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
	return x->threads > 1 && x->s.avail_in >= XZ_HEAD && (x->in[XZ_HEAD - 1] & 0xc0) == 0xc0 &&
	       !atomic_exchange(&memory_taken, true);
}

static void give_memory(void)
{
	atomic_store(&memory_taken, false);
}

static lzma_ret start_decoder(struct xz *x)
{
	x->has_memory = takes_memory(x);
	if (!x->has_memory)
		return lzma_stream_decoder(&x->s, XZ_MEMORY_MAX, x->flags);
	lzma_mt mt = {
		.flags = x->flags,
		.threads = (uint32_t)x->threads,
		.memlimit_threading = XZ_THREADS_MEMORY,
		.memlimit_stop = XZ_MEMORY_MAX,
	};
	return lzma_stream_decoder_mt(&x->s, &mt);
}
#else
static void give_memory(void)
{
}

static lzma_ret start_decoder(struct xz *x)
{
	return lzma_stream_decoder(&x->s, XZ_MEMORY_MAX, x->flags);
}
#endif

static bool read_input(struct xz *x, size_t least, struct err *err)
{
	x->s.next_in = x->in;
	while (x->s.avail_in < least && !x->input_ended) {
		ptrdiff_t got = x->read(x->ctx, x->in + x->s.avail_in, XZ_IN - x->s.avail_in, err);
		if (got < 0)
			return false;
		x->s.avail_in += (size_t)got;
		x->input_ended = got == 0;
	}
	return true;
}

static bool start(struct xz *x, struct err *err)
{
	if (!read_input(x, XZ_HEAD, err))
		return false;
	lzma_ret r = start_decoder(x);
	x->started = true;
	return r == LZMA_OK || refuse(x, r, err);
}

/* Decodes until the piece is full or all is done. */
static bool fill(struct xz *x, struct piece *p, struct err *err)
{
	if (!x->started && !start(x, err))
		return false;
	x->s.next_out = p->data;
	x->s.avail_out = XZ_PIECE;
	while (!x->ended && x->s.avail_out) {
		if (!x->s.avail_in && !read_input(x, 1, err))
			return false;
		lzma_ret r = lzma_code(&x->s, x->input_ended ? LZMA_FINISH : LZMA_RUN);
		if (r == LZMA_STREAM_END)
			x->ended = true;
		else if (r != LZMA_OK)
			return refuse(x, r, err);
	}
	p->n = XZ_PIECE - x->s.avail_out;
	return true;
}

static void *decode(void *arg)
{
	struct xz *x = arg;
	bool more = true;
	while (more) {
		struct err err;
		pthread_mutex_lock(&x->mutex);
		while (x->n_filled - x->n_emptied == XZ_PIECES && !x->stop)
			pthread_cond_wait(&x->emptied, &x->mutex);
		bool stop = x->stop;
		struct piece *p = &x->pieces[x->n_filled % XZ_PIECES];
		pthread_mutex_unlock(&x->mutex);
		if (stop)
			break;
		bool ok = fill(x, p, &err);
		/* An empty piece is the end for whoever takes it. */
		more = ok && p->n;
		pthread_mutex_lock(&x->mutex);
		if (ok)
			x->n_filled++;
		else
			x->err = err;
		x->failed = !ok;
		pthread_cond_signal(&x->filled);
		pthread_mutex_unlock(&x->mutex);
	}
	return NULL;
}

struct xz *xz_open(source_read_fn *read, void *ctx, int threads, bool check, const char *name)
{
	struct xz *x = xcalloc(1, sizeof *x);
	x->s = (lzma_stream)LZMA_STREAM_INIT;
	x->read = read;
	x->ctx = ctx;
	x->name = name;
	x->threads = threads;
	x->flags = LZMA_CONCATENATED | (check ? 0 : LZMA_IGNORE_CHECK);
	x->in = xmalloc(XZ_IN);
	x->pieces = xmalloc(XZ_PIECES * sizeof *x->pieces);
	pthread_mutex_init(&x->mutex, NULL);
	pthread_cond_init(&x->filled, NULL);
	pthread_cond_init(&x->emptied, NULL);
	x->threaded = pthread_create(&x->thread, NULL, decode, x) == 0;
	return x;
}

bool xz_next(struct xz *x, const void **data, size_t *n, struct err *err)
{
	struct piece *p;
	if (x->threaded) {
		pthread_mutex_lock(&x->mutex);
		if (x->taken)
			x->n_emptied++;
		x->taken = false;
		pthread_cond_signal(&x->emptied);
		while (x->n_filled == x->n_emptied && !x->failed)
			pthread_cond_wait(&x->filled, &x->mutex);
		x->taken = x->n_filled != x->n_emptied;
		if (!x->taken)
			*err = x->err;
		p = &x->pieces[x->n_emptied % XZ_PIECES];
		pthread_mutex_unlock(&x->mutex);
		if (!x->taken)
			return false;
	} else {
		p = x->pieces;
		if (!fill(x, p, err))
			return false;
	}
	*data = p->data;
	*n = p->n;
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
	lzma_end(&x->s);
	if (x->has_memory)
		give_memory();
	pthread_mutex_destroy(&x->mutex);
	pthread_cond_destroy(&x->filled);
	pthread_cond_destroy(&x->emptied);
	free(x->pieces);
	free(x->in);
	free(x);
}
