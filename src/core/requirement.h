#pragma once
/* What a wheel's METADATA requires: "Requires-Dist: name[extra] (>=1,<2); marker" (PEP 508). */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "core/pyspec.h"

enum { REQUIREMENT_MAX = 4096 };

struct requirement {
	char name[PEP440_TEXT]; /* normalised */
	struct pyspec spec;
	char marker[REQUIREMENT_MAX]; /* "" none; for marker_holds */
};

/*
 * Parentheses around the conditions and blanks are accepted, extras of the named package are left
 * out. ERR_INTEGRITY quotes the line; "name @ URL" is refused as well.
 */
must_check bool requirement_parse(const char *line, size_t len, struct requirement *out,
				  struct err *err);
