#include "core/armor.h"

#include <string.h>

static const char begin_key[] = "-----BEGIN PGP PUBLIC KEY BLOCK-----";
static const char end_key[] = "-----END PGP PUBLIC KEY BLOCK-----";
static const char begin_text[] = "-----BEGIN PGP SIGNED MESSAGE-----";
static const char begin_signature[] = "-----BEGIN PGP SIGNATURE-----";

static bool begins(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

/* The next line; NULL at the end. */
static const char *next_line(const char *s)
{
	s = strchr(s, '\n');
	return s && s[1] ? s + 1 : NULL;
}

/* Of a line without its end: blanks count as nothing. */
static size_t line_length(const char *s)
{
	size_t n = strcspn(s, "\n");
	while (n && strchr(" \t\r", s[n - 1]))
		n--;
	return n;
}

/* Behind the headers ("Version: ...", "Hash: ...") and the empty line after them. */
static const char *behind_headers(const char *s)
{
	while ((s = next_line(s)) && line_length(s))
		if (!memchr(s, ':', line_length(s)))
			return s;
	return s ? next_line(s) : NULL;
}

struct base64 {
	unsigned bits;
	int n;	    /* of them */
	bool ended; /* '=' was there */
	bool damaged;
};

static void decode(struct base64 *b, const char *s, size_t n, struct buf *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t i = 0; i < n; i++) {
		const char *at = s[i] ? strchr(digits, s[i]) : NULL;
		b->ended = b->ended || s[i] == '=';
		if (s[i] == '=')
			continue;
		if (!at || b->ended) {
			b->damaged = true;
			return;
		}
		b->bits = b->bits << 6 | (unsigned)(at - digits);
		b->n += 6;
		if (b->n < 8)
			continue;
		b->n -= 8;
		b->damaged = b->damaged || !buf_addc(out, (char)(b->bits >> b->n & 0xff));
	}
}

static bool take_block(const char *s, struct buf *out, const char **end)
{
	struct base64 b = {0};
	for (s = behind_headers(s); s && !begins(s, end_key); s = next_line(s))
		/* "=XXXX" alone on a line is a checksum. */
		if (*s != '=')
			decode(&b, s, line_length(s), out);
	*end = s;
	return s && !b.damaged;
}

bool armor_keys(const char *text, struct buf *out)
{
	const char *s = text;
	size_t before = out->len;
	while (s && (s = strstr(s, begin_key)))
		if (!take_block(s, out, &s))
			return false;
	return out->len > before;
}

bool armor_clear_text(const char *text, struct buf *out)
{
	if (!begins(text, begin_text))
		return false;
	for (const char *s = behind_headers(text); s; s = next_line(s)) {
		if (begins(s, begin_signature))
			return true;
		const char *line = begins(s, "- ") ? s + 2 : s;
		if (!buf_add(out, line, line_length(line)) || !buf_addc(out, '\n'))
			return false;
	}
	return false;
}
