#pragma once
/*
 * One tree out of several, by hard links (else reflinks, else copies). Everything goes by openat
 * from the two roots: no link that a tree brings is ever followed.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct merge_source {
	const char *name; /* the component, for messages */
	char *tree;	  /* its folder */
};

/*
 * Puts sources[i] into the folder `to`, which holds sources[0] to [i - 1] already. Folders are made
 * anew, mode 0755. Equal links and files of equal content are fine; a licence or readme that is
 * there with other content gets the component's name as suffix; anything else is ERR_INTEGRITY that
 * names both components. Links must be relative and stay inside the tree.
 */
must_check bool merge_tree(const struct merge_source *sources, size_t i, int to, struct err *err);

/* Puts the file src of folder `from` at dst of folder `to`: link, reflink or copy. errno on false.
 */
bool merge_file(int from, const char *src, int to, const char *dst);
