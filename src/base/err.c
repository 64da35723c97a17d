#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Bytes of the UTF-8 sequence at s, 0 when there is none; *c: its code point. */
static int utf8_decode(const unsigned char *s, unsigned *c)
{
	static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
	int n = s[0] < 0x80 ? 1 : (s[0] & 0xe0) == 0xc0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : 4;
	if (n == 4 && (s[0] & 0xf8) != 0xf0)
		return 0;
	*c = n == 1 ? s[0] : s[0] & (0x7fu >> n);
	for (int i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (s[i] & 0x3f);
	}
	return *c >= least[n] && *c <= 0x10ffff && (*c & ~0x7ffu) != 0xd800 ? n : 0;
}

/* Control characters of both sets, and those that turn the direction of the text that follows. */
static bool is_control(unsigned c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069);
}

void err_sanitize(char *s)
{
	char *out = s;
	while (*s) {
		unsigned c = 0;
		int n = utf8_decode((const unsigned char *)s, &c);
		if (n == 0 || is_control(c)) {
			*out++ = '?';
			s += n ? n : 1;
		} else {
			memmove(out, s, (size_t)n);
			out += n;
			s += n;
		}
	}
	*out = '\0';
}

/*
 * "<a>: <b>". Both names and causes can be long: b, which says what is wrong, keeps at least half
 * of the room, and a cut shows.
 */
static void join(char *out, size_t cap, const char *a, const char *b)
{
	size_t na = strlen(a), nb = strlen(b), room = cap - sizeof ": ";
	size_t for_b = room - (na < room / 2 ? na : room / 2);
	if (nb > for_b)
		nb = for_b;
	bool cut = na > room - nb;
	if (cut)
		na = room - nb - 3;
	snprintf(out, cap, "%.*s%s: %.*s", (int)na, a, cut ? "..." : "", (int)nb, b);
}

/* The arguments may point into *e, so it is written last. */
bool err_set(struct err *e, enum err_code code, const char *fmt, ...)
{
	struct err new = {.code = code};
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(new.msg, sizeof new.msg, fmt, ap);
	va_end(ap);
	err_sanitize(new.msg);
	*e = new;
	return false;
}

bool err_sys(struct err *e, enum err_code code, const char *fmt, ...)
{
	struct err new = {.code = code, .sys = errno};
	char text[sizeof new.msg];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	join(new.msg, sizeof new.msg, text, strerror(new.sys));
	err_sanitize(new.msg);
	*e = new;
	return false;
}

bool err_prefix(struct err *e, const char *fmt, ...)
{
	char text[sizeof e->msg], old[sizeof e->msg];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	memcpy(old, e->msg, sizeof old);
	join(e->msg, sizeof e->msg, text, old);
	err_sanitize(e->msg);
	return false;
}

bool err_hint(struct err *e, const char *fmt, ...)
{
	va_list ap;
	if (e->hint[0])
		return false;
	va_start(ap, fmt);
	vsnprintf(e->hint, sizeof e->hint, fmt, ap);
	va_end(ap);
	err_sanitize(e->hint);
	return false;
}
