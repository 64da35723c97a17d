#pragma once
/*
 * Proof: what is in the tree, whether its own nvcc compiles and links a bundled kernel, whether that runs
 * on the GPUs here and gives the right values, how fast data moves,
 * and whether its libraries give right results.
 * Never judged by `nvcc --version`, and never with help from another toolkit on this machine.
 */
#include <stdbool.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/event.h"
#include "core/gpu.h"
#include "core/verdict.h"

enum probe_level { PROBE_FILES, PROBE_COMPILE, PROBE_RUN, PROBE_BANDWIDTH };
bool probe_level_parse(const char *s, enum probe_level *out);
const char *probe_level_name(enum probe_level l);

struct probe_opts {
	enum probe_level level;
	bool ours;		 /* the prefix may be changed: it may get a host compiler */
	const struct gpus *gpus; /* for levels from RUN on; NULL: asked for then */
	int run_deadline_ms;	 /* of one program; 0: a minute, and five for bandwidth */
};

/*
 * Judges the prefix; `final` is where it will live (nvcc.profile's ccbin line names that). Chooses
 * and sets the host compiler when the default one is refused and the prefix is ours. The result is
 * in *v (not stored; ended by verdict_clear). false only when judging itself was impossible (no private
 * folder that can execute: TMPDIR is named; interrupted).
 */
must_check bool probe_run(const char *prefix, const char *final, const struct probe_opts *o,
			  const struct events *ev, struct verdict *v, struct err *err);

/*
 * The same in two halves, so that several versions are compiled side by side (any thread) and run one
 * after another: what moves data beside another program does not show what the machine can do.
 */
struct probe;
/* The strings, *o and *ev are borrowed until the end. NULL: impossible, see above. */
struct probe *probe_build(const char *prefix, const char *final, const struct probe_opts *o,
			  const struct events *ev, struct err *err);
must_check bool probe_finish(struct probe *p, struct verdict *v, struct err *err);
void probe_free(struct probe *p);

/* The first thing missing of what compiling needs, as "nvvm/bin/cicc"; NULL: all there. Static
 * text. */
const char *probe_missing(const char *prefix);
/* All of them. */
void probe_missing_all(const char *prefix, struct strlist *out);
