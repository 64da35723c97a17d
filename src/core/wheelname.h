#pragma once
/* File names of wheels: NAME-VERSION[-BUILD]-PYTHON-ABI-PLATFORM.whl, and names of projects. */
#include <stdbool.h>
#include <stddef.h>

#include "core/pep440.h"

struct wheelname {
	char project[PEP440_TEXT]; /* normalised: "nvidia-cuda-nvcc" */
	char version[PEP440_TEXT]; /* as written */
	struct pep440 v;
	unsigned build; /* leading number of the build tag, 0: none */
	int glibc; /* minor number of the glibc 2.x it needs at most, 0: none; see wheelname_parse
		    */
};

/*
 * Lower case, runs of '-', '_' and '.' become one '-'. false: empty, over PEP440_TEXT - 1 bytes, or
 * other characters than letters, digits and those. What comes out is safe in a URL and as a file
 * name.
 */
bool wheelname_project(const char *s, size_t len, char out[PEP440_TEXT]);

/*
 * false: no wheel, or its version is none. arch: "x86_64" or "sbsa"; *fits tells whether it is for
 * that Linux platform (or for any) and needs no certain Python; its glibc is then the oldest that
 * it accepts.
 */
bool wheelname_parse(const char *file, const char *arch, struct wheelname *out, bool *fits);
