#pragma once
/* From what a person asks for to one release of one source. */
#include <stdbool.h>

#include "base/err.h"
#include "core/host.h"
#include "core/source.h"

/*
 * spec: normalised or raw SPEC; where: its origin for messages. rq->label is not looked at. source: one of
 * choose_sources, or several of them ("redist,wheels").
 * "auto" tries the sources in order and reports which one it took and why the others did not serve. Where spec
 * fits several releases, the newest one that a source really serves is taken. A release that the catalog does
 * not know, but is newer than what it knows beside it, is asked of the sources themselves.
 */
must_check bool choose_release(const struct source_ctx *ctx, const struct host *host,
			       const char *source, const char *spec, const char *where,
			       const struct request *rq, struct release *out, struct err *err);

/* NULL: there is none of that name. */
const struct source *choose_source(const char *name);

/* "auto" or the name of a source; NULL-ended list for messages and completions. */
extern const char *const choose_sources[];
