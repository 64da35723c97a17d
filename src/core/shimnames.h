#pragma once
/* Which names become shims. */
#include <stdbool.h>

/* ours: the tool is of a version that cudaenv installed, not of a linked tree. */
bool shimnames_want(const char *name, bool ours);
