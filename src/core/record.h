#pragma once
/*
 * What is known about an installed version: <prefix>/.cudaenv/record.json, written once as the last
 * thing before the prefix is published, and verdict.json, which `verify` writes anew. Both JSON,
 * format 1.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "core/source.h"

struct verdict {
	char word[32];	  /* "ok", "compiled", or the cause: "tree-incomplete",
			     "host-compiler-refused", ... */
	char level[12];	  /* files compile run bandwidth: what was tried */
	char detail[512]; /* one line; "" none */
	char hint[512];	  /* one next step; "" none */
	char ccbin[256];  /* host compiler that was used, absolute; "" unknown */
	char date[32];	  /* UTC, ISO 8601 */
};

struct record {
	struct release release; /* components without urls */
	char profile[16];	/* or "custom" */
	char installed[32];	/* UTC, ISO 8601 */
};

must_check bool record_write(const char *prefix, const struct record *r, struct err *err);
/* ERR_FAILED with err->sys == ENOENT when the prefix is not one of ours (a linked tree). */
must_check bool record_read(const char *prefix, struct record *out, struct err *err);
void record_clear(struct record *r);

must_check bool verdict_write(const char *prefix, const struct verdict *v, struct err *err);
/* false: none stored, *v is zeroed. */
bool verdict_read(const char *prefix, struct verdict *v);
bool verdict_good(const struct verdict *v); /* "ok", "compiled", "files-ok" */
