#pragma once
/*
 * Proof: what is in the tree, and whether its own nvcc compiles and links a bundled kernel.
 * (Running it, bandwidth and GPU verdicts come on top of this later: level RUN and BANDWIDTH.)
 * Never judged by `nvcc --version`, and never with help from another toolkit on this machine.
 */
#include <stdbool.h>

#include "base/err.h"
#include "base/event.h"
#include "core/record.h"

enum probe_level { PROBE_FILES, PROBE_COMPILE, PROBE_RUN, PROBE_BANDWIDTH };
bool probe_level_parse(const char *s, enum probe_level *out);
const char *probe_level_name(enum probe_level l);

/*
 * Judges the prefix; `final` is where it will live (nvcc.profile's ccbin line names that). Chooses
 * and sets the host compiler when the default one is refused and the prefix is ours. The result is
 * in *v (not stored). false only when judging itself was impossible (no private folder that can
 * execute: TMPDIR is named; interrupted).
 */
must_check bool probe_run(const char *prefix, const char *final, enum probe_level level, bool ours,
			  const struct events *ev, struct verdict *v, struct err *err);

/* The first thing missing of what compiling needs, as "nvvm/bin/cicc"; NULL: all there. Static
 * text. */
const char *probe_missing(const char *prefix);
