#pragma once
/* Conditions on a version as Python packages write them: "==13.5.37.*", "<14,>=13.5.37". */
#include <stdbool.h>
#include <stddef.h>

#include "core/pep440.h"

enum { PYSPEC_CONDS = 16 };

enum pyspec_op {
	PYSPEC_EQ, /* also with ".*"; a local part counts only when the condition has one */
	PYSPEC_NE,
	PYSPEC_LE,
	PYSPEC_GE,
	PYSPEC_LT,
	PYSPEC_GT,
	PYSPEC_COMPATIBLE, /* ~= */
	PYSPEC_SAME,	   /* ===, local part and all */
};

struct pyspec_cond {
	enum pyspec_op op;
	bool prefix; /* "==1.2.*" */
	struct pep440 v;
};

/* Conditions that must all hold. None at all: every version fits. */
struct pyspec {
	struct pyspec_cond cond[PYSPEC_CONDS];
	int n;
};
/* Joined by ','. false: one of them is no condition, or too many. */
bool pyspec_parse(const char *s, size_t len, struct pyspec *out);
/* Pre-releases are judged like all others here; whether they are wanted is the caller's matter. */
bool pyspec_holds(const struct pyspec *spec, const struct pep440 *v);
/* A condition names one version or one prefix (==, ===, ~=), so the newest that fits is meant. */
bool pyspec_exact(const struct pyspec *spec);
