#include "cli/table.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/attr.h"
#include "base/err.h"
#include "cli/term.h"

void table_row(struct table *t, const char *const *cells)
{
	assert(t->columns <= TABLE_COLUMNS);
	for (int i = 0; i < t->columns; i++) {
		t->cells = array_grow(t->cells, t->n, sizeof *t->cells);
		t->cells[t->n] = xstrdup(cells[i] ? cells[i] : "");
		err_sanitize(t->cells[t->n++]);
	}
}

static void print_line(const struct table *t, const char *const *row, const int *width, FILE *to)
{
	int gap = 0; /* blanks that are owed before the next text */
	for (int i = 0; i < t->columns; i++) {
		int pad = width[i] - term_text_width(row[i]);
		bool right = t->right & 1u << i;
		if (!width[i])
			continue;
		if (right)
			gap += pad;
		if (row[i][0]) {
			fprintf(to, "%*s%s", gap, "", row[i]);
			gap = 0;
		}
		gap += right ? 2 : pad + 2;
	}
	fputc('\n', to);
}

void table_print(const struct table *t, FILE *to)
{
	int width[TABLE_COLUMNS] = {0};
	for (size_t i = 0; i < t->n; i++) {
		int *max = &width[i % (size_t)t->columns], w = term_text_width(t->cells[i]);
		if (w > *max)
			*max = w;
	}
	for (size_t i = 0; i < t->n; i += (size_t)t->columns)
		print_line(t, (const char *const *)t->cells + i, width, to);
}

void table_clear(struct table *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->cells[i]);
	free(t->cells);
	*t = (struct table){.columns = t->columns, .right = t->right};
}
