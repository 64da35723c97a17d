#pragma once
/*
 * Debian's packages (.deb, version 2.0): an ar archive of debian-binary, control.tar.* and data.tar.*. Read in order,
 * once, while it may still be arriving; what comes out is data.tar.* as it stands in there.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "ext/xz.h"

enum { DEBFILE_MEMBERS_MAX = 16 };

struct debfile {
	/* set by the owner, the rest zero */
	source_read_fn *read; /* of the package */
	void *ctx;
	const char *name; /* for messages */

	bool begun, in_data, had_data, ended;
	int members;
	uint64_t left; /* bytes of the member, its padding included */
	uint64_t data; /* bytes of data.tar.* that were not given out yet */
};

/*
 * The next bytes of data.tar.*; 0: its end, and the package was read to its end and is sound. -1: ERR_INTEGRITY, or
 * what read() said.
 */
ptrdiff_t debfile_read(struct debfile *d, void *buf, size_t n, struct err *err);
