#pragma once
/* Small files and descriptors. Every descriptor is close-on-exec. */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Reads a regular file of at most out->max bytes into out. Anything else (folder, device, fifo, too
 * long) is refused with the path named; opening never blocks. ENOENT: err->sys == ENOENT.
 */
must_check bool io_read_file(const char *path, struct buf *out, struct err *err);

/* Writes all of it, across short writes and EINTR. errno on false. */
must_check bool io_write_all(int fd, const void *p, size_t n);

/* pread until n bytes or the end; the number of bytes, or -1 with errno. */
ptrdiff_t io_pread_all(int fd, void *p, size_t n, long long offset);
