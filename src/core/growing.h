#pragma once
/*
 * A file that one thread brings while another one reads it. The reader waits for bytes that are not there yet,
 * sees the end only when the bringer says that the whole is right, and starts anew when the bringer had to.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct growing;

struct growing *growing_new(void);
/* One that is whole already. A file that cannot be opened fails at the first read. */
struct growing *growing_whole(const char *path);
/* The same of `size` bytes of a file from offset on. */
struct growing *growing_part(const char *path, uint64_t offset, uint64_t size);
/* When neither side uses it any more. NULL is fine. */
void growing_free(struct growing *g);

/* The bringer: `bytes` of the file lie at path; restarted: what was there before is void. */
void growing_arrived(struct growing *g, const char *path, uint64_t bytes, bool restarted);
/* The last call: all is there and right, or will never be. */
void growing_end(struct growing *g, bool whole);

/* One reader. */
struct growing_reader {
	struct growing *g;
	unsigned round; /* restarts at growing_rewind */
	uint64_t at;	/* bytes read */
	int fd;		/* -1: not open yet */
};
/* To the beginning of what is there now. The first call: on a reader that has g set and fd -1. */
void growing_rewind(struct growing_reader *r);
/*
 * source_read_fn of ext/xz.h; ctx is the reader. -1 with err->code ERR_NONE: restarted, lost or cancelled, see
 * growing_fate.
 */
ptrdiff_t growing_read(void *ctx, void *buf, size_t n, struct err *err);
/* A read that waits returns at once, and all later ones, until growing_rewind. From any thread. */
void growing_cancel(struct growing_reader *r);

/* Bytes that arrived and that its reader had not taken when it asked last. */
uint64_t growing_behind(struct growing *g);

enum growing_fate {
	GROWING_WHOLE,	   /* it is right */
	GROWING_RESTARTED, /* what was read is void: rewind and read again */
	GROWING_LOST,	   /* it will never be whole; whoever brought it knows why */
};
/* What became of the bytes that were read; waits until that is known. */
enum growing_fate growing_fate(struct growing_reader *r);
void growing_close(struct growing_reader *r);
