#pragma once
/* An nvcc's own words about itself, where no file beside it tells. */
#include <stdbool.h>

#include "base/version.h"

/*
 * Runs `nvcc --version`, with a deadline: the release ("11.5") and the build ("11.5.119"; "" where it does not say).
 * false: it could not be run, or says neither.
 */
bool nvcc_ask(const char *nvcc, char release[VERSION_TEXT], char build[VERSION_TEXT]);
