#pragma once
/* Inside of local: one file, told by its content and its name. */
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
