#pragma once
/*
 * Version numbers and the grammar of what a person may ask for (SPEC). No allocation, no files: the shim
 * uses this too. Grammar, as users write it:
 *   12.4.1 · 12.4 12 12.x 12.4.x · >=12.2,<13 · latest latest:12 · supported · v12.4 cuda-12.4 cu124 ·
 *   system · the name of an alias or of a linked toolkit
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum { VERSION_PARTS = 4, VERSION_TEXT = 64 };

struct version {
	int n; /* parts given, 1 to 4 */
	unsigned part[VERSION_PARTS];
};

/* Digits and dots only, no leading or trailing dot, each part at most 9 digits. */
bool version_parse(const char *s, size_t len, struct version *out);
/* Numeric per part; a missing part counts as 0. */
int version_compare(const struct version *a, const struct version *b);
/* 12.4.1 has prefix 12.4 and 12; 11.10 has not prefix 11.1. */
bool version_has_prefix(const struct version *v, const struct version *prefix);
/* "12.4.1"; cap VERSION_TEXT always suffices. Returns out. */
const char *version_format(const struct version *v, char *out, size_t cap);

enum spec_kind {
	SPEC_VERSION,	/* numbers: this one, or the newest that begins so */
	SPEC_RANGE,	/* conditions joined by ',': all must hold */
	SPEC_LATEST,	/* newest; with numbers: newest that begins so */
	SPEC_SUPPORTED, /* newest that this driver, GPU and compiler can use */
	SPEC_SYSTEM,	/* no version of ours */
	SPEC_NAME,	/* an alias or a linked name: [A-Za-z0-9][A-Za-z0-9._-]* */
};

enum spec_op { SPEC_LT, SPEC_LE, SPEC_EQ, SPEC_NE, SPEC_GE, SPEC_GT };

struct spec {
	enum spec_kind kind;
	char text[VERSION_TEXT]; /* normalised: "12.4" for cu124, v12.4, cuda-12.4 and 12.4.x */
	struct version v;	 /* SPEC_VERSION, SPEC_LATEST (n may be 0) */
	/*
	 * A condition looks at as many parts as it names, so that 12.4 stands for all of 12.4.x:
	 * "<=12.4" takes 12.4.1, ">12.4" and "!=12.4" leave it out.
	 */
	struct {
		enum spec_op op;
		struct version v;
	} cond[4];
	int conds;
};

/*
 * Refuses (ERR_USAGE, value named) what has '/', "..", control, glob or shell characters, a leading '-',
 * or more than VERSION_TEXT - 1 bytes. `where` names the origin for the message ("'/p/.cuda-version'",
 * "CUDAENV_VERSION", "the command line").
 */
must_check bool spec_parse(const char *s, size_t len, const char *where, struct spec *out,
			   struct err *err);
/* False for SPEC_SYSTEM, SPEC_SUPPORTED and SPEC_NAME, which numbers cannot answer. */
bool spec_matches(const struct spec *s, const struct version *v);
