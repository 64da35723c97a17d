#pragma once
/*
 * The host compiler: which gcc and clang are here, which of them a toolkit's nvcc accepts (read from the
 * prefix's own crt/host_config.h, the place where nvcc itself looks), and the line in nvcc.profile that
 * makes it serve every way of calling that nvcc:
 *   compiler-bindir = <folder holding gcc and g++>
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
/* The default one (c++ or g++ on PATH). false: there is none. */
bool hostcc_default(struct hostcc *out);
/* The newest on PATH and in /usr/bin that the limits accept (gcc-N with its g++-N). false: none. */
bool hostcc_find(const struct hostcc_limits *lim, struct hostcc *out);
bool hostcc_accepted(const struct hostcc_limits *lim, const struct hostcc *cc);

/*
 * Makes <prefix>/.cudaenv/ccbin/{gcc,g++} (links) and the line in <prefix>/bin/nvcc.profile (a private
 * copy, replaced atomically), or takes both out with cc NULL. The line names <final>.
 */
must_check bool hostcc_set(const char *prefix, const char *final, const struct hostcc *cc,
			   struct err *err);
/* Words for the remedy: package to install on this system, e.g. "apt-get install g++-11". */
const char *hostcc_advice(const struct hostcc_limits *lim, char *out, size_t cap);
