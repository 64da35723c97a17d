#pragma once
/*
 * NVIDIA's redist manifests (redistrib_<label>.json), flattened to one row a file. Facts of the format:
 * a component's platform holds the file itself or, one level deeper, variants ("cuda12"); sizes are
 * strings (numbers are taken as well); release_label and release_product are missing before 12.2.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { MANIFEST_MAX = 4 << 20 }; /* bytes; the largest real one has 60 KB */

struct manifest_file {
	char *component; /* "cuda_nvcc" */
	char *name;	 /* "CUDA NVCC" */
	char *version;	 /* "12.4.131" */
	char *platform;	 /* "linux-x86_64", "linux-sbsa", "linux-all", "source", ... */
	char *variant;	 /* "cuda12"; NULL: none */
	char *path;	 /* relative to the manifest's folder; checked: it stays below that */
	char sha256[65]; /* lower-case hex */
	uint64_t size;	 /* bytes */
};

struct manifest {
	char label[32];	  /* "" where the file has none */
	char product[64]; /* "" where the file has none */
	char date[11];
	struct manifest_file *files;
	size_t n;
};

/* where: file or URL for messages. ERR_INTEGRITY names the component and what is wrong with it. */
must_check bool manifest_parse(const char *json, size_t len, const char *where,
			       struct manifest *out, struct err *err);
void manifest_clear(struct manifest *m);
