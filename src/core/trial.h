#pragma once
/* A private folder in which the bundled kernels are compiled by a prefix's own nvcc, and run. */
#include <limits.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/event.h"
#include "base/proc.h"
#include "core/gpuarch.h"

struct trial {
	char dir[PATH_MAX];  /* "" : none */
	const char *visible; /* CUDA_VISIBLE_DEVICES of what is run; NULL: the user's */
};
/*
 * Makes the folder below TMPDIR, else /tmp, else the root's staging folder (beside versions/, told
 * from `final`): the first that can be written and whose files can be executed. A TMPDIR that
 * cannot serve is named, in a warning or in the error.
 */
must_check bool trial_open(struct trial *t, const char *final, const struct events *ev,
			   struct err *err);
void trial_close(struct trial *t);

/* One of the bundled programs (kernels/<source>.cu), built in a folder of its own. */
struct trial_program {
	const char *source; /* "hello" */
	const char *folder; /* below the trial's; "": the trial's own, whose inputs are watched */
	struct gpuarch_list code; /* machine code for these */
	int ptx;		 /* PTX for this one; 0: none. Neither: what nvcc does by default */
	const char *const *link; /* further arguments, NULL-ended; NULL: none */
	const char *libraries;	 /* folder that the loader looks in first; NULL: none */
};

/*
 * Compiles it to <folder>/<source>. false only when nvcc could not be started, on interruption, or
 * when the folder's file system is full; what nvcc said is in *r. May run in several threads, one a folder.
 */
must_check bool trial_compile(const struct trial *t, const char *prefix,
			      const struct trial_program *program, struct proc_result *r,
			      struct err *err);

/*
 * Runs what was compiled in the user's own environment, but with no JIT cache, so that PTX is really
 * compiled, and without the variables that forbid or force that.
 */
must_check bool trial_run(const struct trial *t, const struct trial_program *program,
			  int deadline_ms, struct proc_result *r, struct err *err);

/*
 * After a compile in the trial's own folder: a header or library of a CUDA toolkit that came from elsewhere than the prefix.
 * Its path is in out; false when there is none.
 */
bool trial_foreign(const struct trial *t, const char *prefix, char *out, size_t cap);
