#pragma once
/* The parts of prefix_assemble, and the small file operations that they share. All go by openat. */
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/event.h"
#include "core/source.h"

struct prefix {
	const struct release *release;
	const char *staging, *final;
	char target[32];	/* "x86_64-linux" */
	char short_version[16]; /* "13.0" */
	int root, lib, include; /* folders: the top, targets/<target>/lib and .../include */
	const struct events *events;
};

/* Opens folder rel of the prefix, making what is missing (0755), through no link. -1 with *err. */
int prefix_folder(const struct prefix *p, const char *rel, struct err *err);
/* The same for one that need not be there: -1 when it is not. */
int prefix_open(const struct prefix *p, const char *rel);
/* The names in a folder that begin and end so, sorted (numbers by value). */
void prefix_names(int dir, const char *start, const char *end, struct strlist *out);
bool prefix_has(int dir, const char *rel);
/* A link; one that is there with this text, or that leads to the same file or folder, is fine. */
must_check bool prefix_link(int dir, const char *target, const char *name, struct err *err);
/* A private file in place of whatever is there. */
must_check bool prefix_write(int dir, const char *name, const void *data, size_t len, mode_t mode,
			     struct err *err);
must_check bool prefix_read(int dir, const char *name, struct buf *out, struct err *err);

/* libX.so -> libX.so.N, in nvvm/lib64 too; extras/CUPTI */
must_check bool prefix_libs(const struct prefix *p, struct err *err);
/* The first of these for one folder. */
must_check bool prefix_link_libs(int dir, struct err *err);
/* lib64/stubs: libcuda.so.1 and libnvidia-ml.so.1, made from the headers */
must_check bool prefix_stubs(const struct prefix *p, struct err *err);
/* pkg-config/: .pc files with the final prefix, version-less links */
must_check bool prefix_pkgconfig(const struct prefix *p, struct err *err);
/* version.json */
must_check bool prefix_version(const struct prefix *p, struct err *err);
/* bin/{compute-sanitizer,ncu,nsys} */
must_check bool prefix_tools(const struct prefix *p, struct err *err);
