#pragma once
/*
 * What is known about an installed version: <prefix>/.cudaenv/record.json, written once as the last
 * thing before the prefix is published. JSON, format 1.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "core/source.h"
#include "core/verdict.h"

struct record {
	struct release release; /* components without urls */
	char profile[16];	/* or "custom" */
	char installed[32];	/* UTC, ISO 8601 */
};

must_check bool record_write(const char *prefix, const struct record *r, struct err *err);
/* ERR_FAILED with err->sys == ENOENT when the prefix is not one of ours (a linked tree). */
must_check bool record_read(const char *prefix, struct record *out, struct err *err);
void record_clear(struct record *r);
