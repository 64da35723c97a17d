#include "core/debver.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/version.h"

struct parts {
	unsigned long epoch;
	const char *up, *rev; /* rev NULL: none */
	size_t up_len, rev_len;
};

static struct parts split(const char *s)
{
	struct parts p = {0};
	const char *colon = strchr(s, ':');
	if (colon) {
		p.epoch = strtoul(s, NULL, 10);
		s = colon + 1;
	}
	const char *dash = strrchr(s, '-');
	p.up = s;
	p.up_len = dash ? (size_t)(dash - s) : strlen(s);
	p.rev = dash ? dash + 1 : "";
	p.rev_len = strlen(p.rev);
	return p;
}

/* '~' sorts before the end, letters before all else. */
static int order(const char *s, size_t n)
{
	if (!n || isdigit((unsigned char)*s))
		return 0;
	if (*s == '~')
		return -1;
	return isalpha((unsigned char)*s) ? (unsigned char)*s : (unsigned char)*s + 256;
}

static size_t digits(const char *s, size_t n)
{
	size_t i = 0;
	while (i < n && isdigit((unsigned char)s[i]))
		i++;
	return i;
}

static int compare_digits(const char *a, size_t n, const char *b, size_t m)
{
	for (; n && *a == '0'; a++)
		n--;
	for (; m && *b == '0'; b++)
		m--;
	return n != m ? (n > m ? 1 : -1) : memcmp(a, b, n);
}

static int compare(const char *a, size_t n, const char *b, size_t m)
{
	while (n || m) {
		while ((n && !isdigit((unsigned char)*a)) || (m && !isdigit((unsigned char)*b))) {
			int x = order(a, n), y = order(b, m);
			if (x != y)
				return x > y ? 1 : -1;
			a++, n--, b++, m--;
		}
		size_t i = digits(a, n), k = digits(b, m);
		int c = compare_digits(a, i, b, k);
		if (c)
			return c;
		a += i, n -= i, b += k, m -= k;
	}
	return 0;
}

int debver_compare(const char *a, const char *b)
{
	struct parts x = split(a), y = split(b);
	if (x.epoch != y.epoch)
		return x.epoch > y.epoch ? 1 : -1;
	int c = compare(x.up, x.up_len, y.up, y.up_len);
	return c ? c : compare(x.rev, x.rev_len, y.rev, y.rev_len);
}

bool debver_release(const char *version, char *out, size_t cap)
{
	struct parts p = split(version);
	struct version v;
	const char *tilde = p.up_len ? memchr(p.up, '~', p.up_len) : NULL;
	const char *next =
		tilde ? memchr(tilde + 1, '~', p.up_len - (size_t)(tilde + 1 - p.up)) : NULL;
	/* "11.1.1+~10.3.0.86~11.8.0": the last one. */
	const char *s = next ? next + 1 : tilde ? tilde + 1 : p.up;
	size_t n = p.up_len - (size_t)(s - p.up);
	if (n >= cap || !version_parse(s, n, &v))
		return false;
	memcpy(out, s, n);
	out[n] = '\0';
	return true;
}

char *debver_own(const char *version)
{
	struct parts p = split(version);
	const char *s = p.up;
	size_t n = p.up_len;
	for (size_t i = 0; i + 1 < n; i++)
		if (s[i] == '+' && s[i + 1] == '~') {
			s += i + 2;
			n -= i + 2;
			break;
		}
	const char *end = n ? memchr(s, '~', n) : NULL;
	return xstrndup(s, end ? (size_t)(end - s) : n);
}
