#pragma once
/* Which files a component consists of, as the store has written them down, and who else may have one. */
#include <stdint.h>

#include "base/layout.h"

/* What it is: "libcublas 13.1.0.3". NULL: it is not in the store. The caller frees. */
char *component_words(const struct layout *l, const char *sha256);
/* Bytes of all its files. 0: it is not in the store. */
uint64_t component_bytes(const struct layout *l, const char *sha256);
/*
 * The path in a prefix of the first file that is `file` or ends in "/<file>"; NULL: it has none, or is not in the
 * store. *name: what the component is called. The caller frees both.
 */
char *component_file(const struct layout *l, const char *sha256, const char *file, char **name);

/* The component that has such a file in every release that has it at all; NULL: not known. Static text. */
const char *component_guess(const char *file);
