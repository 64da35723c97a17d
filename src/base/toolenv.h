#pragma once
/*
 * The environment that a tool or shell gets for a prefix: one table of variables (PATH with one entry, the
 * prefix's bin; CUDA_HOME CUDA_PATH CUDA_ROOT CUDAToolkit_ROOT CUDACXX; CUDAHOSTCXX with a compiler given;
 * CUDNN_HOME CUDNN_PATH CUDNN_ROOT with a cuDNN given; LD_LIBRARY_PATH by policy; CPATH and LIBRARY_PATH on
 * request; PKG_CONFIG_PATH; CMAKE_LIBRARY_PATH where another CUDA's libraries are to be refused). No empty path elements
 * are made, the user's own keep their order, and what we put there for another prefix goes.
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

/* What goes into the table besides the selection. A zeroed one is valid. All borrowed. */
struct toolenv_opts {
	enum ld_policy policy;
	const char *ccbin;   /* CUDAHOSTCXX; NULL: none */
	const char *cudnn;   /* prefix of the cuDNN; NULL: none */
	bool compiler_paths; /* CPATH and LIBRARY_PATH, for compilers that nobody tells of CUDA */
};

/* One row of the table. The names stand in a fixed order. */
struct toolenv_want {
	const char *name;
	char *value;  /* NULL: this selection says nothing of it */
	bool is_list; /* value is one element, or two with ':' between, to stand first */
};
enum { TOOLENV_WANTS = 15 };
/* The caller ends it with toolenv_wants_clear. */
void toolenv_wants(struct toolenv_want w[TOOLENV_WANTS], const struct selection *s,
		   const struct toolenv_opts *o);
void toolenv_wants_clear(struct toolenv_want w[TOOLENV_WANTS]);
/*
 * Whether a list's element leads into a version or a cuDNN: bin, lib64, lib or include of
 * <root>/versions/<name>, <root>/current, <root>/cudnn/<name>.
 */
bool toolenv_our_element(const struct layout *l, const char *s, size_t len);
/*
 * The host compiler that must be named: the version file's `ccbin`, else the one that the install had to
 * choose because this toolkit refuses the default one. "" for none.
 */
must_check bool toolenv_host_compiler(const struct selection *s, char out[PATH_MAX],
				      struct err *err);

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
 * among them. For `system` the list takes out what we put in. The caller ends *t with toolenv_clear.
 */
void toolenv_build(struct toolenv *t, const struct layout *l, const struct selection *s,
		   const struct toolenv_opts *o);
void toolenv_clear(struct toolenv *t);
#define autotoolenv __attribute__((cleanup(toolenv_clear)))
