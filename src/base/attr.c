#include "base/attr.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void attr_free(void *pp)
{
	int saved = errno;
	free(*(void **)pp);
	errno = saved;
}

void attr_close(int *fd)
{
	int saved = errno;
	if (*fd >= 0)
		close(*fd);
	errno = saved;
}

void attr_closedir(DIR **d)
{
	int saved = errno;
	if (*d)
		closedir(*d);
	errno = saved;
}

static void *check(void *p)
{
	static const char msg[] = "cudaenv: out of memory\n";
	if (p)
		return p;
	if (write(STDERR_FILENO, msg, sizeof msg - 1) < 0)
		_exit(1);
	_exit(1);
}

void *xmalloc(size_t n)
{
	return check(malloc(n ? n : 1));
}

void *xcalloc(size_t n, size_t size)
{
	return check(calloc(n ? n : 1, size ? size : 1));
}

void *xrealloc(void *p, size_t n)
{
	return check(realloc(p, n ? n : 1));
}

char *xstrdup(const char *s)
{
	return check(strdup(s));
}

char *xstrndup(const char *s, size_t n)
{
	return check(strndup(s, n));
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s = NULL;
	va_start(ap, fmt);
	int n = vasprintf(&s, fmt, ap);
	va_end(ap);
	return check(n < 0 ? NULL : s);
}

void *array_grow(void *items, size_t count, size_t size)
{
	/* Capacity is the next power of two, so it need not be stored. */
	if ((count & (count - 1)) == 0) {
		size_t cap = count ? count * 2 : 1;
		if (cap > SIZE_MAX / size)
			check(NULL);
		items = xrealloc(items, cap * size);
	}
	memset((char *)items + count * size, 0, size);
	return items;
}

void strlist_add(struct strlist *l, const char *s)
{
	l->items = array_grow(l->items, l->n, sizeof *l->items);
	l->items[l->n++] = xstrdup(s);
}

bool strlist_has(const struct strlist *l, const char *s)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->items[i], s))
			return true;
	return false;
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void strlist_sort(struct strlist *l)
{
	if (l->n)
		qsort(l->items, l->n, sizeof *l->items, by_bytes);
}

bool words_have(const char *const *words, const char *s)
{
	for (; *words; words++)
		if (!strcmp(*words, s))
			return true;
	return false;
}

void strlist_clear(struct strlist *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->items[i]);
	free(l->items);
	*l = (struct strlist){0};
}
