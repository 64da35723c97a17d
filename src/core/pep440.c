#include "core/pep440.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/attr.h"

struct cursor {
	const char *p, *end;
};

static int peek(const struct cursor *c)
{
	return c->p < c->end ? tolower((unsigned char)*c->p) : -1;
}

static bool is_sep(int ch)
{
	return ch == '.' || ch == '-' || ch == '_';
}

/* At most 18 digits, so that it always fits. */
static bool number(struct cursor *c, uint64_t *out)
{
	uint64_t v = 0;
	int digits = 0;
	for (; isdigit(peek(c)); c->p++, digits++) {
		if (digits == 18)
			return false;
		v = v * 10 + (uint64_t)(*c->p - '0');
	}
	if (digits)
		*out = v;
	return digits > 0;
}

static bool word(struct cursor *c, const char *w)
{
	size_t n = strlen(w);
	if ((size_t)(c->end - c->p) < n || strncasecmp(c->p, w, n) != 0)
		return false;
	c->p += n;
	return true;
}

/* "[.-_]? WORD [.-_]? N?"; leaves the cursor alone when the word is another. */
static bool suffix(struct cursor *c, const char *const *words, size_t n, size_t *which,
		   uint64_t *num)
{
	struct cursor start = *c;
	if (is_sep(peek(c)))
		c->p++;
	for (size_t i = 0; i < n; i++) {
		if (!word(c, words[i]))
			continue;
		struct cursor after = *c;
		if (is_sep(peek(c)))
			c->p++;
		*num = 0;
		if (!isdigit(peek(c)))
			*c = after;
		else if (!number(c, num))
			break;
		*which = i;
		return true;
	}
	*c = start;
	return false;
}

static bool parse_release(struct cursor *c, struct pep440 *v)
{
	uint64_t first;
	if (!number(c, &first))
		return false;
	if (peek(c) == '!') {
		c->p++;
		v->epoch = first;
		if (!number(c, &first))
			return false;
	}
	v->part[v->n++] = first;
	while (peek(c) == '.' && c->end - c->p > 1 && isdigit((unsigned char)c->p[1])) {
		c->p++;
		if (v->n == PEP440_PARTS || !number(c, &v->part[v->n]))
			return false;
		v->n++;
	}
	return true;
}

static void parse_pre(struct cursor *c, struct pep440 *v)
{
	/* Longer words first: "pre" begins "preview", "a" begins "alpha". */
	static const char *const words[] = {"preview", "alpha", "beta", "pre", "rc", "a", "b", "c"};
	static const char kinds[] = {'c', 'a', 'b', 'c', 'c', 'a', 'b', 'c'};
	size_t which;
	if (suffix(c, words, ARRAY_LEN(words), &which, &v->pre_n))
		v->pre = kinds[which];
}

static void parse_post(struct cursor *c, struct pep440 *v)
{
	static const char *const words[] = {"post", "rev", "r"};
	struct cursor start = *c;
	size_t which;
	v->has_post = suffix(c, words, ARRAY_LEN(words), &which, &v->post_n);
	if (v->has_post || peek(c) != '-')
		return;
	c->p++;
	v->has_post = number(c, &v->post_n);
	if (!v->has_post)
		*c = start;
}

static void parse_dev(struct cursor *c, struct pep440 *v)
{
	static const char *const words[] = {"dev"};
	size_t which;
	v->has_dev = suffix(c, words, ARRAY_LEN(words), &which, &v->dev_n);
}

static bool parse_local(struct cursor *c, struct pep440 *v)
{
	size_t n = 0;
	bool need = true; /* a part must begin here */
	if (peek(c) != '+')
		return true;
	for (c->p++; c->p < c->end; c->p++) {
		int ch = peek(c);
		bool sep = is_sep(ch);
		if ((!isalnum(ch) && !sep) || (sep && need) || n + 1 >= sizeof v->local)
			return false;
		v->local[n++] = sep ? '.' : (char)ch;
		need = sep;
	}
	return !need;
}

bool pep440_parse(const char *s, size_t len, struct pep440 *out)
{
	struct cursor c = {s, s + len};
	struct pep440 v = {0};
	while (c.p < c.end && isspace((unsigned char)*c.p))
		c.p++;
	while (c.end > c.p && isspace((unsigned char)c.end[-1]))
		c.end--;
	if (peek(&c) == 'v')
		c.p++;
	if (!parse_release(&c, &v))
		return false;
	parse_pre(&c, &v);
	parse_post(&c, &v);
	parse_dev(&c, &v);
	if (!parse_local(&c, &v) || c.p != c.end)
		return false;
	*out = v;
	return true;
}

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static uint64_t part(const struct pep440 *v, int i)
{
	return i < v->n ? v->part[i] : 0;
}

static int compare_release(const struct pep440 *a, const struct pep440 *b)
{
	int d = order(a->epoch, b->epoch);
	for (int i = 0; !d && i < PEP440_PARTS; i++)
		d = order(part(a, i), part(b, i));
	return d;
}

/* "1.0.dev1" stands before "1.0a1", which stands before "1.0". */
static int pre_rank(const struct pep440 *v)
{
	if (v->pre)
		return v->pre;
	return v->has_dev && !v->has_post ? 0 : 127;
}

static int compare_local_part(const char *a, size_t an, const char *b, size_t bn)
{
	bool da = strspn(a, "0123456789") >= an, db = strspn(b, "0123456789") >= bn;
	if (da != db)
		return da ? 1 : -1;
	if (da) {
		while (an > 1 && *a == '0')
			a++, an--;
		while (bn > 1 && *b == '0')
			b++, bn--;
		if (an != bn)
			return an > bn ? 1 : -1;
	}
	int d = memcmp(a, b, an < bn ? an : bn);
	return d ? d : order(an, bn);
}

/* Part by part; numbers stand above words, and a longer one above what it begins with. */
static int compare_local(const char *a, const char *b)
{
	while (*a && *b) {
		size_t an = strcspn(a, "."), bn = strcspn(b, ".");
		int d = compare_local_part(a, an, b, bn);
		if (d)
			return d;
		a += an + (a[an] == '.');
		b += bn + (b[bn] == '.');
	}
	return (*a != 0) - (*b != 0);
}

static int compare_public(const struct pep440 *a, const struct pep440 *b)
{
	int d = compare_release(a, b);
	if (!d)
		d = pre_rank(a) - pre_rank(b);
	if (!d && a->pre)
		d = order(a->pre_n, b->pre_n);
	if (!d)
		d = a->has_post - b->has_post;
	if (!d)
		d = order(a->post_n, b->post_n);
	if (!d)
		d = b->has_dev - a->has_dev;
	return d ? d : order(a->dev_n, b->dev_n);
}

int pep440_compare(const struct pep440 *a, const struct pep440 *b)
{
	int d = compare_public(a, b);
	return d ? d : compare_local(a->local, b->local);
}

bool pep440_is_pre(const struct pep440 *v)
{
	return v->pre || v->has_dev;
}

bool pep440_starts_with(const struct pep440 *v, const struct pep440 *p, int n)
{
	if (v->epoch != p->epoch)
		return false;
	for (int i = 0; i < n; i++)
		if (part(v, i) != part(p, i))
			return false;
	return true;
}
