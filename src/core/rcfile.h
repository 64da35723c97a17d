#pragma once
/* A block of ours in a start-up file of the user's, between two marker lines. All other bytes stay. */
#include <stdbool.h>

#include "base/err.h"

/*
 * Puts text (whole lines) there: in place of the former block, else at the end. NULL: takes the block out.
 * *changed: whether the file was written; it is not where nothing changes. A link is followed and stays a link;
 * the mode stays. A first marker without a second one is refused (ERR_FAILED), a file that may not be written and
 * a link to nowhere as well (ERR_FILESYSTEM). A newline that had to be put in front of the block goes with it.
 */
must_check bool rcfile_block(const char *path, const char *text, bool *changed, struct err *err);
