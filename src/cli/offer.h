#pragma once
/*
 * Candidates for the completions of all shells: one a line, a tab and some words about it behind;
 * only those that begin with `current`. A line that begins with ':' asks the shell: ":files" to
 * offer names of files,
 * ":command N" to complete word N and on as a command of its own. Errors are silent: a key press is
 * no place for them.
 */
#include <stdbool.h>

struct opt;

/* <before><word>. about: NULL for none. */
void offer(const char *current, const char *before, const char *word, const char *about);
/* The words of a list: "a|b", "a b". */
void offer_each(const char *current, const char *list);
void offer_options(const char *current, const struct opt *options);
void offer_commands(const char *current);
void offer_installed(const char *current, const char *before, bool only_linked);
void offer_aliases(const char *current, const char *before);
/* Releases of the catalog, newest first. */
void offer_known(const char *current);
/* What a SPEC can be when one is selected. */
void offer_specs(const char *current, const char *before);
void offer_tools(const char *current);
/* Of the version that spec (NULL: none given) selects: its components, or those that it lacks as far as that is kept. */
void offer_components(const char *current, const char *spec, bool lacking);
/* Settings, and the words that one of them takes; false: there is no such setting. */
void offer_keys(const char *current);
bool offer_setting(const char *current, const char *key);
