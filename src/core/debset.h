#pragma once
/* The packages of a repository, as far as CUDA is made of them. */
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "core/aptrelease.h"
#include "core/aptrepo.h"

struct debpkg {
	char *name, *version;
	char *depends;	/* NULL: none */
	char *file;	/* below the repository's base */
	char label[32]; /* of the CUDA release that it belongs to; "" of none */
	char sha256[65];
	uint64_t size, unpacked; /* 0: not told */
};

struct debset {
	struct debpkg *items;
	size_t n;
	size_t others; /* packages for another architecture, left out */
	char other[16];
};

/*
 * Adds the packages of an index: component "main", "non-free" (NULL: the flat repository's own). names: only these;
 * NULL: all of a flat repository, else those that are made of NVIDIA's toolkit. ERR_NETWORK with sys ENOENT: there
 * is no such index. ERR_INTEGRITY: it is another than the one that was signed, or is not sound.
 */
must_check bool debset_read(struct debset *set, const struct aptrepos *all, const struct aptrepo *r,
			    const struct aptrelease *release, const struct source_ctx *ctx,
			    const char *arch, const char *component, const struct strlist *names,
			    struct err *err);
/* The same of an index on this machine; `file` for messages. */
must_check bool debset_read_file(struct debset *set, const char *path, const char *file,
				 const char *arch, bool flat, const struct strlist *names,
				 struct err *err);
void debset_clear(struct debset *set);

/* The newest of that name; with label: of that release. NULL: none. */
const struct debpkg *debset_find(const struct debset *set, const char *name, const char *label);
