#pragma once
/* The index that an installed uv or pip says is its own default. */
#include <stdbool.h>

#include "base/err.h"
#include "base/event.h"

/*
 * Asks `uv`, `python3 -m pip` and `pip` for their help text, in this order, until one names it.
 * NULL: none did. *origin: "uv's own default". The caller frees both.
 */
must_check bool pytool_default(char **url, const char **origin, const struct events *ev,
			       struct err *err);

/* From a help text, whose lines may be wrapped anywhere between words. NULL: not in it. */
char *pytool_parse(const char *help);
