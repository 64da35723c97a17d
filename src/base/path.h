#pragma once
/* Path text. No file is looked at here, nothing is allocated: the shim uses it as well. */
#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

/* Writes "a/b" (one slash between) to out; false when it does not fit in cap bytes with the NUL. */
must_check bool path_join(char *out, size_t cap, const char *a, const char *b);

/* The part behind the last slash; "" for a path that ends in one. Borrowed. */
const char *path_base(const char *p);

/* One name: not empty, not "." or "..", no slash, no control character. */
bool path_safe_component(const char *s);

/* A relative path all of whose parts are safe; no empty part, so neither "/a", "a//b" nor "a/". */
bool path_safe_relative(const char *s);
