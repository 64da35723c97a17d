#pragma once
/* Environment markers (PEP 508), judged for a platform that is asked for and not for this machine.
 */
#include <stdbool.h>

#include "base/err.h"

enum { MARKER_DEPTH = 32 };

/* Values of the variables that differ. */
struct marker_env {
	const char *machine; /* platform_machine: "x86_64", "aarch64" */
	const char *extra;   /* the extra that is asked for; "" none */
};
/* Linux and CPython; arch "x86_64" or "sbsa". */
struct marker_env marker_env(const char *arch, const char *extra);

/*
 * An empty marker holds. ERR_INTEGRITY quotes it: unknown variable, bad syntax, more than
 * MARKER_DEPTH parentheses inside each other.
 */
must_check bool marker_holds(const char *marker, const struct marker_env *env, bool *out,
			     struct err *err);
