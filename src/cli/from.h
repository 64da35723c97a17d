#pragma once
/* install --from: files or a mirror's folder in place of a source. */
#include <stdbool.h>

#include "cli/cmd.h"
#include "core/host.h"
#include "core/source.h"

/*
 * The value of --from and each operand that is no version number are files or folders; the operand that is one names
 * the release. rq->label is set for it.
 */
must_check bool from_find(struct app *app, const struct args *a, const struct source_ctx *ctx,
			  const struct host *host, struct request *rq, struct release *out,
			  struct err *err);
