#pragma once
/*
 * Headers and libraries of a toolkit that a prefix lacks, while the folders in which compilers and linkers look behind
 * all that they are told have another toolkit's: a build that takes them is of two CUDAs.
 */
#include <stdbool.h>

#include "base/err.h"

struct lack {
	const char *component; /* which would have it */
	const char *folder;    /* of the machine, that has another one's */
	const char *name;      /* a header, as "cublas_v2.h", or a library, as "libcublas" */
	bool library;	       /* shared or static */
};
typedef void lacks_fn(void *ctx, const struct lack *l);

/* In no order, one twice where two folders have it. machine: in front of the machine's folders; "" but in tests. */
void lacks_each(const char *prefix, const char *machine, lacks_fn *fn, void *ctx);

/*
 * Makes the nvcc of this prefix refuse them, with the command that brings them: .cudaenv/lacks/include holds a header
 * with an #error for each, .cudaenv/lacks/lib a linker script that fails, and lines of nvcc.profile name both folders
 * in front of the machine's and behind all that the user names. They are there by the same names, so what asks whether
 * there is one (__has_include, CMake) is answered as before. Other compilers are not held off.
 * Where nothing lacks all of that is taken out. `name`: the version's. The folder is replaced in one step.
 */
must_check bool lacks_guard(const char *prefix, const char *machine, const char *name,
			    struct err *err);
/* Whether that is in force. */
bool lacks_guarded(const char *prefix);
