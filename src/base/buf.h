#pragma once
/* A growable string whose maximum is given at birth, so that nothing from outside grows without end. */
#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

struct buf {
	char *data; /* NUL behind data[len-1]; NULL while empty */
	size_t len, cap, max;
	bool full; /* something did not fit */
};

#define BUF_INIT(limit) ((struct buf){.max = (limit)})
void buf_clear(struct buf *b); /* frees; keeps max */
#define autobuf __attribute__((cleanup(buf_clear)))

/* On overflow of max these return false, set `full` and leave the content as it was. */
bool buf_add(struct buf *b, const void *p, size_t n);
bool buf_adds(struct buf *b, const char *s);
bool buf_addc(struct buf *b, char c);
bool buf_addf(struct buf *b, const char *fmt, ...) printf_like(2, 3);

/* Shortens to len bytes and forgets `full`. */
void buf_cut(struct buf *b, size_t len);

/* The content as a C string; "" while empty. Borrowed. */
const char *buf_str(const struct buf *b);
/* Hands the string over (never NULL) and empties b. The caller frees. */
char *buf_take(struct buf *b);
