#pragma once
/* The variables of a version as a file that other programs read. */
#include <stdbool.h>
#include <stdio.h>

#include "base/toolenv.h"

/* Lists whole, as they would be here: NAME=value lines. ERR_USAGE for a line break in a value. */
must_check bool envformat_dotenv(FILE *to, const struct toolenv *t, struct err *err);
/* For $GITHUB_ENV. */
void envformat_github(FILE *to, const struct toolenv *t);

/* Lists by the element that goes first, to be put in front of what is there then. */
void envformat_cmake(FILE *to, const struct toolenv_want w[TOOLENV_WANTS], const char *name);
void envformat_modulefile(FILE *to, const struct toolenv_want w[TOOLENV_WANTS], const char *name);
void envformat_dockerfile(FILE *to, const struct toolenv_want w[TOOLENV_WANTS]);
