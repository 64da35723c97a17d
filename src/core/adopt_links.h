#pragma once
/* Links into a tree, for adopt_*.c. */
#include <stdbool.h>

#include "base/err.h"

/* into/rel -> target, with the folders above. One that is there already stays. */
must_check bool adopt_tie(const char *into, const char *rel, const char *target, struct err *err);
/* For each name in folder: into/rel/<name> -> folder/<name>. want NULL: all. No such folder: nothing. */
must_check bool adopt_tie_all(const char *into, const char *rel, const char *folder,
			      bool (*want)(const char *name), struct err *err);
/* libX.so -> libX.so.N beside it, where only the second is there. */
must_check bool adopt_tie_plain(const char *into, const char *rel, struct err *err);

/* Debian's and Ubuntu's packages; adopt_debian.c. */
must_check bool adopt_debian_fill(const char *root, const char *into, struct err *err);
