#pragma once
/* The release that the packages of a tree tell. For identify.c, which says what the arguments mean. */
#include <stdbool.h>

#include "base/version.h"

bool identify_package(const char *root, const char *prefix, bool run, char out[VERSION_TEXT]);
