#pragma once
/*
 * What it means that a compiled program ran so: the outcome of one run, read from its lines (format:
 * kernels/proof.h), and the verdict on those of the machine code and of the PTX together.
 */
#include <stdbool.h>

#include "base/proc.h"
#include "core/gpu.h"
#include "core/verdict.h"

enum run_end {
	RUN_NONE,    /* not tried */
	RUN_OK,	     /* went through, and said so */
	RUN_CALL,    /* a call failed: code, call, name */
	RUN_WRONG,   /* a wrong value */
	RUN_CRASHED, /* by a signal */
	RUN_TIMEOUT,
	RUN_ENDLESS, /* the same, and it printed all the while */
	RUN_STRANGE, /* none of these: it did not start, or printed something else */
};

struct run_outcome {
	enum run_end end;
	int code;	/* CUDA's number; those of runtimes before 10.1 as today's */
	char said[256]; /* one line: the call and the name, the value, the signal, ... */
};

void judge_outcome(const struct proc_result *r, struct run_outcome *o);

struct run_case {
	const struct gpus *gpus;
	const char *release;	  /* of the toolkit: "13.5.0"; "" not known */
	const char *driver_floor; /* the least driver for it; NULL not known */
	const char
		*other; /* the nearest release with code for this GPU, if this one has none; NULL */
	const char *visible; /* CUDA_VISIBLE_DEVICES; NULL: not set */
	int cc;		     /* of the GPU in question */
	int code;    /* its machine code was made for this one; 0: this nvcc has none for it */
	int highest; /* listed by nvcc; 0 not known */
	int lowest;
	struct run_outcome sass, ptx;
};
/* Sets word, detail, hint and on.ptx. */
void judge_run(const struct run_case *c, struct verdict *v);

/* The same for one program that did not go through. */
void judge_program(const struct run_case *c, const struct run_outcome *o, struct verdict *v);

/* Whether there is nothing to run on, so that `compiled` is the best that can be said. The reason is in out. */
bool judge_no_gpu(const struct gpus *g, const char *visible, char *out, size_t cap);
