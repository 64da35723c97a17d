#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buf_clear(struct buf *b)
{
	free(b->data);
	*b = (struct buf){.max = b->max};
}

bool buf_add(struct buf *b, const void *p, size_t n)
{
	if (n > b->max || b->len > b->max - n) {
		b->full = true;
		return false;
	}
	if (b->len + n + 1 > b->cap) {
		size_t cap = b->cap ? b->cap : 64;
		while (cap < b->len + n + 1)
			cap *= 2;
		b->data = xrealloc(b->data, cap);
		b->cap = cap;
	}
	if (n)
		memcpy(b->data + b->len, p, n);
	b->len += n;
	b->data[b->len] = '\0';
	return true;
}

bool buf_adds(struct buf *b, const char *s)
{
	return buf_add(b, s, strlen(s));
}

bool buf_addc(struct buf *b, char c)
{
	return buf_add(b, &c, 1);
}

bool buf_addf(struct buf *b, const char *fmt, ...)
{
	autofree char *s = NULL;
	va_list ap;
	va_start(ap, fmt);
	int n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0)
		abort();
	return buf_add(b, s, (size_t)n);
}

void buf_cut(struct buf *b, size_t len)
{
	b->full = false;
	if (len >= b->len)
		return;
	b->len = len;
	b->data[len] = '\0';
}

const char *buf_str(const struct buf *b)
{
	return b->data ? b->data : "";
}

char *buf_take(struct buf *b)
{
	char *s = b->data ? b->data : xstrdup("");
	*b = (struct buf){.max = b->max};
	return s;
}
