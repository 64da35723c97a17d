#include "base/nearest.h"

#include <stddef.h>
#include <string.h>

enum { WORD_MAX = 64 };

static int min3(int a, int b, int c)
{
	int m = a < b ? a : b;
	return m < c ? m : c;
}

/* Optimal string alignment distance; three rows are enough to see a swap. */
static int distance(const char *a, size_t n, const char *b, size_t m)
{
	int rows[3][WORD_MAX + 1];
	int *before = rows[0], *last = rows[1], *now = rows[2];
	for (size_t j = 0; j <= m; j++)
		last[j] = (int)j;
	for (size_t i = 1; i <= n; i++) {
		now[0] = (int)i;
		for (size_t j = 1; j <= m; j++) {
			int change = last[j - 1] + (a[i - 1] != b[j - 1]);
			now[j] = min3(change, last[j] + 1, now[j - 1] + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    before[j - 2] + 1 < now[j])
				now[j] = before[j - 2] + 1;
		}
		int *oldest = before;
		before = last;
		last = now;
		now = oldest;
	}
	return last[m];
}

const char *nearest(const char *word, const char *const *names)
{
	const char *best = NULL;
	size_t n = strlen(word);
	if (n > WORD_MAX)
		return NULL;
	int limit = n < 3 ? 1 : (int)n / 3;
	for (; *names; names++) {
		size_t m = strlen(*names);
		if (m > WORD_MAX)
			continue;
		int d = distance(word, n, *names, m);
		if (d > limit || (size_t)d >= m)
			continue;
		best = *names;
		limit = d - 1;
	}
	return best;
}
