#pragma once
/* What the commands that select a version share. */
#include <stdbool.h>

#include "base/product.h"
#include "base/resolve.h"
#include "base/toolenv.h"
#include "cli/cmd.h"

/*
 * A SPEC that somebody wants to pin: parsed, and something installed answers it. text: what to write. It
 * is the SPEC as typed, normalised; for `latest` and `supported` the number that they mean now, since a
 * pin does not change by itself.
 */
must_check bool select_to_pin(struct app *app, const char *spec, char text[VERSION_TEXT],
			      struct err *err);

/*
 * The selection for spec (NULL: what applies here), its cuDNN, and the changes that both make to the environment.
 */
must_check bool select_environment(struct app *app, const char *spec, struct selection *s,
				   struct product_selection *cudnn, struct toolenv *t,
				   struct err *err);
/* The table for it instead of changes; the caller ends it with toolenv_wants_clear. */
must_check bool select_wants(struct app *app, const char *spec, struct selection *s,
			     struct toolenv_want w[TOOLENV_WANTS], struct err *err);
/* The same for `system`: what takes ours out. */
void select_nothing(struct app *app, struct toolenv *t);

/* "from 12.4, set by '/p/.cuda-version'"; what was asked for is left out where it is the name. Returns out. */
const char *select_why(const struct selection *s, char *out, size_t cap);

/* What may be the name of a version, a link or an alias: an own word, or the full number of a release. */
must_check bool select_name(const char *name, struct err *err);
