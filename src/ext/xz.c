#include "ext/xz.h"

#include <lzma.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/attr.h"

enum {
	XZ_IN = 256 << 10,
	XZ_PIECE = 512 << 10,
	XZ_PIECES = 4,
	XZ_MEMORY = 128 << 20,	   /* threads are dropped above this: a block in and out for each */
	XZ_MEMORY_MAX = 320 << 20, /* a dictionary above this is refused: xz -9 needs 65 MiB */
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
	uint8_t *in;
	bool input_ended, ended; /* of the decoder */

	/* A ring: the decoder fills, xz_next empties. */
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t filled, emptied;
	struct piece *pieces;
	unsigned n_filled, n_emptied; /* ever */
	bool threaded, taken, stop, failed;
	struct err err;
};

static lzma_ret start(lzma_stream *s, int threads)
{
#ifdef HAVE_LZMA_DECODER_MT
	if (threads > 1) {
		lzma_mt mt = {
			.flags = LZMA_CONCATENATED,
			.threads = (uint32_t)threads,
			.memlimit_threading = XZ_MEMORY,
			.memlimit_stop = XZ_MEMORY_MAX,
		};
		return lzma_stream_decoder_mt(s, &mt);
	}
#else
	(void)threads;
#endif
	return lzma_stream_decoder(s, XZ_MEMORY_MAX, LZMA_CONCATENATED);
}

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

/* Decodes until the piece is full or all is done. */
static bool fill(struct xz *x, struct piece *p, struct err *err)
{
	x->s.next_out = p->data;
	x->s.avail_out = XZ_PIECE;
	while (!x->ended && x->s.avail_out) {
		if (!x->s.avail_in && !x->input_ended) {
			ptrdiff_t got = x->read(x->ctx, x->in, XZ_IN, err);
			if (got < 0)
				return false;
			x->s.next_in = x->in;
			x->s.avail_in = (size_t)got;
			x->input_ended = got == 0;
		}
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

bool xz_open(struct xz **out, source_read_fn *read, void *ctx, int threads, const char *name,
	     struct err *err)
{
	struct xz *x = xcalloc(1, sizeof *x);
	x->s = (lzma_stream)LZMA_STREAM_INIT;
	x->read = read;
	x->ctx = ctx;
	x->name = name;
	x->in = xmalloc(XZ_IN);
	x->pieces = xmalloc(XZ_PIECES * sizeof *x->pieces);
	pthread_mutex_init(&x->mutex, NULL);
	pthread_cond_init(&x->filled, NULL);
	pthread_cond_init(&x->emptied, NULL);
	lzma_ret r = start(&x->s, threads);
	if (r != LZMA_OK) {
		refuse(x, r, err);
		xz_close(x);
		return false;
	}
	x->threaded = pthread_create(&x->thread, NULL, decode, x) == 0;
	*out = x;
	return true;
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
	pthread_mutex_destroy(&x->mutex);
	pthread_cond_destroy(&x->filled);
	pthread_cond_destroy(&x->emptied);
	free(x->pieces);
	free(x->in);
	free(x);
}
