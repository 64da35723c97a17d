#pragma once
/*
 * The environment that a tool or shell gets for a prefix: one table of variables (PATH with one entry, the
 * prefix's bin; CUDA_HOME CUDA_PATH CUDA_ROOT CUDAToolkit_ROOT CUDACXX; CUDAHOSTCXX with a compiler given;
 * LD_LIBRARY_PATH by policy). No empty path elements are made, the user's own keep their order, and what
 * we put there for another prefix goes.
 *
 * A value that somebody else set is kept in CUDAENV_SAVED_<NAME> while ours stands in its place, and comes
 * back when ours goes. What was changed meanwhile by somebody else is left alone.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/layout.h"
#include "base/resolve.h"

enum ld_policy {
	LD_AUTO, /* not while VIRTUAL_ENV or CONDA_PREFIX is set: it would break what they bring */
	LD_ALWAYS,
	LD_NEVER,
};

struct toolenv_var {
	char *name;
	char *value;	  /* NULL: unset it */
	bool bookkeeping; /* CUDAENV_SAVED_...: only for a shell that will leave again */
};
struct toolenv {
	struct toolenv_var *vars;
	size_t n;
};

/*
 * The changes to make to this process's environment for selection s; a variable that is right already is
 * among them. For `system` the list takes out what we put in. ccbin: CUDAHOSTCXX, NULL for none. The caller
 * ends *t with toolenv_clear.
 */
void toolenv_build(struct toolenv *t, const struct layout *l, const struct selection *s,
		   enum ld_policy policy, const char *ccbin);
void toolenv_clear(struct toolenv *t);
#define autotoolenv __attribute__((cleanup(toolenv_clear)))
