#pragma once
/* Options that stand for settings. */
#include <stdbool.h>

#include "cli/cmd.h"

/* Each option that was given and has the name of a setting ("--accept-eula": accept_eula) overrides it. */
must_check bool flags_override(struct app *app, const struct args *a, struct err *err);
