#pragma once
/*
 * Conda's packages of format 2 (.conda): a zip archive whose entries are stored, one of them pkg-<name>.tar.zst with
 * the files. Read in order, once; what comes out is that entry as it stands in there. (Format 1 is a plain .tar.bz2.)
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "ext/xz.h"

enum { CONDAFILE_ENTRIES_MAX = 16 };

struct condafile {
	/* set by the owner, the rest zero */
	source_read_fn *read; /* of the package */
	void *ctx;
	const char *name; /* for messages */

	bool in_data, had_data, ended;
	int entries;
	uint64_t left; /* bytes of the entry that were not read yet */
};

/* The next bytes of the tar; 0: its end, and the package was read to its end. -1: ERR_INTEGRITY, or what read() said. */
ptrdiff_t condafile_read(void *condafile, void *buf, size_t n, struct err *err);
