#include "ext/html.h"

#include <ctype.h>
#include <string.h>

#include "base/attr.h"
#include "base/buf.h"

enum { URL_MAX = 4096 };

/* libxml2 can do this, but it decodes and encodes %XX on the way, which some file servers do not
 * bear. */

/* Length of "scheme:", 0: none. */
static size_t scheme_length(const char *s)
{
	size_t n = 0;
	if (!isalpha((unsigned char)*s))
		return 0;
	while (isalnum((unsigned char)s[n]) || (s[n] && strchr("+-.", s[n])))
		n++;
	return s[n] == ':' ? n + 1 : 0;
}

/* Blanks and other bytes that may not stand in a URL are written by careless servers all the same.
 */
static char *clean(const char *s, size_t len)
{
	struct buf b = BUF_INIT(URL_MAX);
	for (; len && !b.full; s++, len--) {
		unsigned char ch = (unsigned char)*s;
		if (ch == '\n' || ch == '\r' || ch == '\t')
			continue;
		if (ch <= ' ' || ch >= 0x7f || strchr("\"<>\\^`{|}", ch))
			buf_addf(&b, "%%%02X", ch);
		else
			buf_addc(&b, (char)ch);
	}
	if (b.full) {
		buf_clear(&b);
		return NULL;
	}
	return buf_take(&b);
}

/* Takes "." and ".." out of an absolute path; what stands behind '?' or '#' is kept. */
static void add_path(struct buf *out, const char *path)
{
	size_t root = out->len, end = strcspn(path, "?#");
	const char *p = path, *stop = path + end;
	while (p < stop) { /* each turn takes one "/part" */
		const char *next = memchr(p + 1, '/', (size_t)(stop - p - 1));
		size_t n = (size_t)((next ? next : stop) - p);
		bool up = n == 3 && !memcmp(p, "/..", 3), here = n == 2 && !memcmp(p, "/.", 2);
		if (up) {
			while (out->len > root && out->data[--out->len] != '/')
				;
		}
		if (!up && !here)
			buf_add(out, p, n);
		else if (!next)
			buf_addc(out, '/');
		p += n;
	}
	buf_adds(out, stop);
}

/* What stands behind the host: ref against the base's path. */
static char *join(const char *base_path, const char *ref)
{
	if (*ref == '/')
		return xstrdup(ref);
	bool empty = !*ref || *ref == '#';
	size_t keep = strcspn(base_path, empty ? "#" : "?#");
	if (!empty && *ref != '?')
		while (keep && base_path[keep - 1] != '/')
			keep--;
	return xasprintf("%s%.*s%s", keep ? "" : "/", (int)keep, base_path, ref);
}

char *html_url(const char *base, const char *href)
{
	size_t len = strlen(href), scheme = scheme_length(base);
	while (len && isspace((unsigned char)*href))
		href++, len--;
	while (len && isspace((unsigned char)href[len - 1]))
		len--;
	autofree char *ref = len <= URL_MAX ? clean(href, len) : NULL;
	if (!ref || strlen(base) > URL_MAX || strncmp(base + scheme, "//", 2) != 0)
		return NULL;
	size_t own = scheme_length(ref);
	if (own)
		return strncmp(ref + own, "//", 2) == 0 ? take_ptr(ref) : NULL;
	if (!strncmp(ref, "//", 2))
		return xasprintf("%.*s%s", (int)scheme, base, ref);

	struct buf out = BUF_INIT(3 * URL_MAX);
	size_t host = scheme + 2 + strcspn(base + scheme + 2, "/?#");
	autofree char *path = join(base + host, ref);
	buf_add(&out, base, host);
	add_path(&out, path);
	return buf_take(&out);
}
