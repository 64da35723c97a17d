#pragma once
/* Toolkits that are on this machine already, however they came there, to be used under a name. */
#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/layout.h"
#include "core/identify.h"

enum adopt_kind {
	ADOPT_SYSTEM, /* a folder as NVIDIA's runfile, .deb and .rpm make it, Spack's and others' too */
	ADOPT_HPC,    /* of NVIDIA's HPC SDK */
	ADOPT_CONDA,  /* an environment of conda */
	ADOPT_WHEELS, /* site-packages/nvidia/cu13 */
	ADOPT_DEBIAN, /* nvidia-cuda-toolkit of Debian or Ubuntu, spread over /usr */
};
const char *adopt_kind_word(enum adopt_kind k); /* "system", "hpc", ... */

struct adopt_tree {
	enum adopt_kind kind;
	char *path;	      /* without links; "/usr" for ADOPT_DEBIAN */
	struct identity id;   /* by NULL: nothing says */
	struct strlist lacks; /* of what compiling needs; see probe_missing_all */
	char name[VERSION_TEXT];
	bool known; /* it has that name already */
};
struct adopt {
	struct adopt_tree *items;
	size_t n;
};

/*
 * paths: NULL-ended, each the folder of a toolkit (ERR_FILESYSTEM: it is none; ERR_USAGE: one of ours). None:
 * wherever toolkits usually are, where CUDA_HOME, CUDA_PATH, CUDA_ROOT, CUDAToolkit_ROOT, CONDA_PREFIX and
 * VIRTUAL_ENV lead, and the nvcc on PATH. A tree that is reached by several ways is there once, versions of
 * ours never. Names are chosen so that none is taken. root: folder that stands for "/", "" but in tests.
 */
must_check bool adopt_find(const struct layout *l, const char *root, char *const *paths,
			   struct adopt *out, struct err *err);
void adopt_clear(struct adopt *a);
#define autoadopt __attribute__((cleanup(adopt_clear)))

/*
 * versions/<name> becomes a link to the tree, or a prefix of links into it where nvcc and others would not
 * find it as it lies. The tree is not changed. The lock is held.
 */
must_check bool adopt_link(const struct layout *l, const char *root, const struct adopt_tree *t,
			   struct err *err);
