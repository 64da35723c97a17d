#pragma once
/* Where toolkits usually are. For adopt.c. */
#include "base/attr.h"
#include "base/layout.h"

/* Folders that may be toolkits, in the order in which they are to be named; there or not. */
void adopt_places(const struct layout *l, const char *root, struct strlist *out);
