#pragma once
/* Inside of the command `component`. */
#include <stdbool.h>

#include "base/resolve.h"
#include "cli/cmd.h"
#include "core/record.h"
#include "core/source.h"

/* An installed version, with what it was made of. */
struct component_version {
	struct selection s;
	struct record record;
	struct layout root; /* the one that it is in, whose store it uses */
};
/* spec NULL: what applies here. ERR_USAGE for one that cudaenv did not install. */
must_check bool component_open(struct app *app, const char *spec, struct component_version *v,
			       struct err *err);
struct source_ctx component_ctx(struct app *app);

/* `component list [SPEC]` and `component which-has [SPEC] FILE`, with their operands. */
must_check bool component_list(struct app *app, char **operands, struct err *err);
must_check bool component_which_has(struct app *app, char **operands, struct err *err);
