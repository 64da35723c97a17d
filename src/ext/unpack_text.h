#pragma once
/* One file that is packed as a whole (.xz, .gz, .bz2, .zst, or plain), decoded piece by piece. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* false with *err set ends the reading. */
typedef bool unpack_text_fn(void *ctx, const char *data, size_t n, struct err *err);

/* At most max bytes come out. ERR_INTEGRITY names `path`. */
must_check bool unpack_text(const char *path, uint64_t max, unpack_text_fn *fn, void *ctx,
			    struct err *err);
