#pragma once
/* What the terminal behind a descriptor can do, and how wide text is on it. No locale is asked. */
#include <stdbool.h>
#include <stddef.h>

bool term_fancy(
	int fd); /* a terminal that moves its cursor: a tty, TERM neither unset nor "dumb" */
bool term_color(int fd);      /* fancy, and NO_COLOR is not set */
bool term_foreground(int fd); /* this process may draw on it now */
int term_width(int fd);	      /* columns; 80 when it does not say */
int term_height(int fd);      /* lines; 24 when it does not say */

/* Columns of a UTF-8 text without control characters; a stray byte counts as one. */
int term_text_width(const char *s);
/* Bytes of s that fit into `columns`; *used (may be NULL): the columns they take. */
size_t term_text_fit(const char *s, int columns, int *used);
