#pragma once
/* "Did you mean": the known word that is nearest to a mistyped one. */

/*
 * names ends with NULL. NULL when none is near: at most one slip for each three letters, where a
 * swap of two neighbours counts as one. Of equals the first one wins.
 */
const char *nearest(const char *word, const char *const *names);
