#pragma once
/* A private folder in which the bundled kernel is compiled and linked by a prefix's own nvcc. */
#include <limits.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/event.h"
#include "base/proc.h"

struct trial {
	char dir[PATH_MAX]; /* "" : none */
};
/*
 * Makes the folder below TMPDIR, else /tmp, else the root's staging folder (beside versions/, told
 * from `final`): the first that can be written and whose files can be executed. A TMPDIR that
 * cannot serve is named, in a warning or in the error.
 */
must_check bool trial_open(struct trial *t, const char *final, const struct events *ev,
			   struct err *err);
void trial_close(struct trial *t);

/*
 * Compiles kernels/hello.cu to <dir>/hello. false only when nvcc could not be started, on
 * interruption, or when the folder's file system is full; what nvcc said is in *r.
 */
must_check bool trial_compile(const struct trial *t, const char *prefix, struct proc_result *r,
			      struct err *err);

/*
 * After a compile: a header or library of a CUDA toolkit that came from elsewhere than the prefix.
 * Its path is in out; false when there is none.
 */
bool trial_foreign(const struct trial *t, const char *prefix, char *out, size_t cap);
