#pragma once
/* What the files of the xz module share. */
#include <lzma.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ext/lzma2.h"
#include "ext/ring.h"
#include "ext/xz.h"

enum {
	XZ_IN = 256 << 10,
	XZ_PIECE = 512 << 10,	   /* that liblzma decodes at a time */
	XZ_MEMORY_MAX = 320 << 20, /* a dictionary above this is refused: xz -9 needs 65 MiB */
};

/* xz_check.c: the check of a block's data. */
struct xz_check {
	lzma_check kind;
	uint64_t crc;
	struct digest *sha256;
};
/* Others are passed over, as by liblzma, but that may know them one day. */
bool xz_check_known(lzma_check kind);
/* LZMA_CHECK_NONE: nothing is looked at. false: out of memory. */
must_check bool xz_check_start(struct xz_check *c, lzma_check kind);
void xz_check_add(struct xz_check *c, const uint8_t *data, size_t n);
/* told: as the file has it. */
bool xz_check_fits(struct xz_check *c, const uint8_t *told);
void xz_check_clear(struct xz_check *c);

/* xz_stream.c: the container, where its blocks are decoded by ext/lzma2. */
struct xz_stream {
	enum { XZ_STREAM, XZ_BLOCK, XZ_CHUNK, XZ_BLOCK_END, XZ_INDEX, XZ_FOOT, XZ_PADDING } at;
	lzma_stream_flags flags;
	lzma_block block;
	lzma_index_hash *index;
	uint64_t packed, unpacked; /* of this block */
	struct xz_check check;
	struct lzma2 lzma2;
};

struct xz {
	source_read_fn *read;
	void *ctx;
	const char *name;
	int threads;
	bool check;
	bool (*step)(struct xz *x, struct err *err); /* decodes some more, or sets ended */
	bool ended;

	uint8_t *in; /* XZ_IN bytes and LZMA2_IN_SLACK */
	size_t in_at, in_n;
	bool input_ended;

	lzma_stream lib;
	bool has_memory; /* for several threads */
	struct xz_stream own;

	/* The decoder writes, xz_next takes. */
	struct ring ring;
	uint64_t written, taken;
	size_t lent; /* what xz_next gave last */
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t filled, emptied;
	bool threaded, stop, done, failed;
	struct err err;
};

bool xz_refuse(const struct xz *x, lzma_ret r, struct err *err);
/* At least n bytes of input at x->in + x->in_at, fewer only at its end. */
must_check bool xz_need(struct xz *x, size_t n, struct err *err);
/* Waits until n bytes can be written to the place that it gives. NULL: nobody wants them any more. */
uint8_t *xz_room(struct xz *x, size_t n);
void xz_wrote(struct xz *x, size_t n);
/* More history from here on; what was written before is none. Waits until all of it is taken. */
must_check bool xz_new_history(struct xz *x, size_t history, struct err *err);

/* Whether that can decode what the input begins with; *dict: the history it needs. Input is not consumed. */
must_check bool xz_stream_can(struct xz *x, bool *can, size_t *dict, struct err *err);
bool xz_stream_step(struct xz *x, struct err *err);
void xz_stream_clear(struct xz_stream *o);
