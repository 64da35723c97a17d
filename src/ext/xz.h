#pragma once
/*
 * Decodes .xz while it is read, on a thread of its own, so that whoever takes the result can work meanwhile.
 * Files of several blocks are decoded on several threads where liblzma can (5.4 and newer), within a memory
 * limit; files of one block cannot be, by their nature. Those are decoded by ext/lzma2.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Reads up to n bytes; 0: the end; -1: failed, *err set. May block. */
typedef ptrdiff_t source_read_fn(void *ctx, void *buf, size_t n, struct err *err);

struct xz;
/*
 * threads: as many decode at most; check: the checks of the decoded data as well; name: of the archive, for messages (borrowed). read is called from another
 * thread, one call at a time.
 */
struct xz *xz_open(source_read_fn *read, void *ctx, int threads, bool check, const char *name);
/* The next piece; *n == 0: the end, all of the input was read and well-formed. *data is valid until the next call. */
must_check bool xz_next(struct xz *x, const void **data, size_t *n, struct err *err);
/* Waits for a read that is going on. NULL is fine. */
void xz_close(struct xz *x);
