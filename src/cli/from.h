#pragma once
/* install --from: files, a mirror's folder or a bundle in place of a source. */
#include <stdbool.h>

#include "cli/cmd.h"
#include "core/host.h"
#include "core/source.h"

/*
 * The value of --from and each operand that is no version number are files or folders; the operand that is one names
 * the release. rq->label is set for it; of a bundle, also profile and components, where a has no such option.
 */
must_check bool from_find(struct app *app, const struct args *a, const struct source_ctx *ctx,
			  const struct host *host, struct request *rq, struct release *out,
			  struct err *err);

/* Inside of it. A bundle; spec NULL: the one release in it. From here on it is the mirror of this run. */
must_check bool from_bundle(struct app *app, const struct args *a, const struct source_ctx *ctx,
			    const struct host *host, const char *path, const struct spec *spec,
			    struct request *rq, struct release *out, struct err *err);
/* Makes a file or folder the mirror of this run. */
must_check bool from_set_mirror(struct app *app, const char *path, struct err *err);
