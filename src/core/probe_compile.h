#pragma once
/* The compile level of a probe: which host compiler, how many attempts, what the outcome means. */
#include <stdbool.h>

#include "base/err.h"
#include "base/event.h"
#include "core/hostcc.h"
#include "core/record.h"
#include "core/trial.h"

struct probe {
	const char *prefix, *final;
	bool ours; /* the prefix may be changed */
	const struct events *events;
	struct trial trial;
	struct hostcc_limits limits;
	struct verdict *v;
};

/* Compiles, and gives the prefix the host compiler that makes it pass; def: the default one, NULL:
 * none. */
must_check bool probe_compile(struct probe *p, const struct hostcc *def, struct err *err);
/* Judges the prefix as it stands: one that is not ours, or that this user may not write. */
must_check bool probe_compile_only(struct probe *p, const struct hostcc *def, struct err *err);

/* Verdict tree-incomplete with this detail, and its remedy. */
void probe_incomplete(const struct probe *p, const char *fmt, ...) printf_like(2, 3);
