#pragma once
/* A proof at work: its compile level (which host compiler, how many attempts), and its run level. */
#include <stdbool.h>

#include "base/err.h"
#include "base/event.h"
#include "base/version.h"
#include "core/gpuarch.h"
#include "core/hostcc.h"
#include "core/probe.h"
#include "core/trial.h"

enum { PROBE_EXTRAS = 8 };

/* A program beside the first: its compile, which runs beside that of the first. */
struct probe_extra {
	const struct probe *p;
	struct trial_program program;
	bool compiled, failed; /* failed: not even judged, err says why */
	struct proc_result said;
	struct err err;
};

struct probe {
	const char *prefix, *final;
	bool ours; /* the prefix may be changed */
	const struct probe_opts *opts;
	const struct events *events;
	struct trial trial;
	struct trial_program hello; /* whose compile decides on the host compiler */
	struct hostcc_limits limits;
	struct verdict *v; /* &verdict, or another while an attempt is made */

	/* From here on for the run level. */
	bool runs;
	char release[VERSION_TEXT];
	struct gpus *own_gpus; /* when they were not given */
	const struct gpus *gpus;
	struct gpuarch_list list; /* what nvcc compiles for */
	const struct gpu
		*served[GPUS_MAX]; /* the GPUs that it has machine code for, in CUDA's order */
	size_t n_served;
	int cc, code;	  /* of the first of them, and for what that is compiled; code 0: none */
	char *lib64;	  /* of the prefix, where the libraries are that are proved; NULL */
	char *only;	  /* CUDA_VISIBLE_DEVICES for them; NULL: as it is */
	char remark[192]; /* why nothing runs here, or the GPU that is not served; "" */
	struct probe_extra extras[PROBE_EXTRAS];
	size_t n_extras;
	struct verdict verdict;
};

/* Compiles, and gives the prefix the host compiler that makes it pass; def: the default one, NULL:
 * none. */
must_check bool probe_compile(struct probe *p, const struct hostcc *def, struct err *err);
/* Judges the prefix as it stands: one that is not ours, or that this user may not write. */
must_check bool probe_compile_only(struct probe *p, const struct hostcc *def, struct err *err);

/* Verdict tree-incomplete with this detail, and its remedy. */
void probe_incomplete(const struct probe *p, const char *fmt, ...) printf_like(2, 3);

/* Looks at the GPUs and decides what is compiled for them. *v says `compiled` where there is none. */
must_check bool probe_plan(struct probe *p, struct err *err);
/* Compiles the extras, from begin (in threads) to end (waits; what failed is tried once more). */
struct pool *probe_extras_begin(struct probe *p);
must_check bool probe_extras_end(struct probe *p, struct pool *pool, struct err *err);
/* Runs what was compiled, and judges. */
must_check bool probe_execute(struct probe *p, struct err *err);
