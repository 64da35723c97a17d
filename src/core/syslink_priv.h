#pragma once
/* For syslink.c and syslink_change.c. */
#include <stdbool.h>

#include "base/layout.h"
#include "core/syslink.h"

/* Both are there and equal. */
bool syslink_same(const char *a, const char *b);
/* The folder of an absolute path; the caller frees. */
char *syslink_parent(const char *path);
/* The name of the version whose folder this path names; the caller frees. NULL: none. */
char *syslink_version(const struct layout *l, const char *path);
/* What the link says of where it leads: its own text, or the choice of its group. NULL: nothing. */
const char *syslink_aim(const struct syslink *s);
