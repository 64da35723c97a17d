#pragma once
/* Columns of text on stdout: collected first, since the widest cell sets the width. */
#include <stddef.h>
#include <stdio.h>

enum { TABLE_COLUMNS = 8 };

struct table {
	int columns;
	unsigned right; /* bit i: column i is set to the right */
	char **cells;	/* row after row */
	size_t n;
};
#define TABLE_INIT(cols) ((struct table){.columns = (cols)})

/* One row of t->columns cells, which are copied; NULL is an empty cell. */
void table_row(struct table *t, const char *const *cells);
/* Two blanks between columns, none at the end of a line. A column that is empty everywhere is left out. */
void table_print(const struct table *t, FILE *to);
void table_clear(struct table *t);
#define autotable __attribute__((cleanup(table_clear)))
