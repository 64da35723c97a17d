#pragma once
/*
 * The environment that a tool or shell gets for a prefix: one table of variables (interface: PATH with one
 * entry, the prefix's bin; CUDA_HOME CUDA_PATH CUDA_ROOT CUDAToolkit_ROOT CUDACXX; LD_LIBRARY_PATH by
 * policy). No empty path elements; entries that we put there for other prefixes are removed.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/layout.h"
#include "base/resolve.h"

enum ld_policy { LD_AUTO, LD_ALWAYS, LD_NEVER };

struct toolenv_var {
	char *name;
	char *value; /* NULL: unset it */
};
struct toolenv {
	struct toolenv_var *vars;
	size_t n;
};

/*
 * The changes to make to the environment `env` (NULL: this process's) for selection s. For `system` the
 * list takes out what we put in. ccbin: CUDAHOSTCXX, NULL for none.
 */
void toolenv_build(struct toolenv *t, const struct layout *l, const struct selection *s,
		   enum ld_policy policy, const char *ccbin);
void toolenv_clear(struct toolenv *t);
