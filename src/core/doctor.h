#pragma once
/* What is wrong on this machine, judged from facts: each finding has a stable code and one remedy. */
#include <stdbool.h>
#include <stddef.h>

#include "core/facts.h"

enum doctor_severity { DOCTOR_ERROR, DOCTOR_WARNING, DOCTOR_NOTE };

struct doctor_finding {
	const char *code;
	enum doctor_severity severity;
	char *what, *remedy; /* one line each */
};
struct doctor {
	struct doctor_finding *items; /* errors first, within them in the table's order */
	size_t n;
	const char *code; /* of the check that runs */
};

void doctor_examine(struct doctor *d, const struct facts *f);
bool doctor_has_errors(const struct doctor *d);
void doctor_clear(struct doctor *d);

/* The i-th code; NULL: no such one. */
const char *doctor_code(size_t i);
const char *doctor_severity_name(enum doctor_severity s);
