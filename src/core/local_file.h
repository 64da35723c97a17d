#pragma once
/* Inside of local: one file, told by its content and its name; and the digests of all. */
#include <stdbool.h>

#include "base/err.h"
#include "core/source.h"

struct local_file {
	struct component c; /* without sha256; name NULL: nothing in it belongs to a toolkit */
	char label[32];	    /* the release that its name tells; "" none */
};

/* arch: what is wanted; a file for another one is ERR_USAGE. The caller ends f->c with component_clear. */
must_check bool local_file_read(const char *path, const char *arch, struct local_file *f,
				struct err *err);

/*
 * Hashes r's files, all side by side: the store knows an archive by its digest, so nothing can begin before that.
 * They are unverified then, but for runfiles that the catalog knows: another digest than its is ERR_INTEGRITY.
 */
must_check bool local_digests(const struct source_ctx *ctx, struct release *r, struct err *err);
