#pragma once
/*
 * The host compiler: which gcc and clang are here, which of them a toolkit's nvcc accepts (read
 * from the prefix's own crt/host_config.h, the place where nvcc itself looks), and how that nvcc is
 * led to one.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct hostcc_limits {
	int gcc_min, gcc_max, clang_min, clang_max; /* majors; 0: no limit found */
};
/* false: header missing or of unknown shape; *out zeroed. */
bool hostcc_limits(const char *prefix, struct hostcc_limits *out);

struct hostcc {
	char cc[256], cxx[256]; /* absolute */
	bool clang;
	int major;
};
/* The default one, which nvcc takes by itself: gcc and g++ on PATH. false: there is none. */
bool hostcc_default(struct hostcc *out);
/* The newest on PATH and in /usr/bin that the limits accept (gcc-N with its g++-N), gcc before
 * clang. */
bool hostcc_find(const struct hostcc_limits *lim, struct hostcc *out);
bool hostcc_accepted(const struct hostcc_limits *lim, const struct hostcc *cc);

/*
 * Both ways use the folder <prefix>/.cudaenv/ccbin, which holds gcc and g++ (links).
 *
 * HOSTCC_LINE names it in bin/nvcc.profile (compiler-bindir). nvcc of CUDA 13 still asks the first
 * gcc on PATH for its version and tells that to its front end, and needs one there at all. So where
 * the line does not make the proof pass there is HOSTCC_WRAPPER: bin/nvcc becomes a script that
 * puts the folder first on PATH and starts bin/nvcc.bin, the program itself. Both leave the user's
 * -ccbin in force.
 */
enum hostcc_way { HOSTCC_LINE, HOSTCC_WRAPPER };

/*
 * Sets the compiler, or with cc NULL takes out what was set. Each file is replaced in one step, and
 * no file names the prefix's path. A compiler-bindir line that is not ours is left alone.
 */
must_check bool hostcc_set(const char *prefix, const struct hostcc *cc, enum hostcc_way way,
			   struct err *err);
/* The compiler that was set (its g++, as found through the link). false: none is set. */
bool hostcc_current(const char *prefix, char *cxx, size_t cap);

/* Words for the remedy: package to install on this system, e.g. "apt-get install g++-11". */
const char *hostcc_advice(const struct hostcc_limits *lim, char *out, size_t cap);
