#include "ext/debfile.h"

#include <string.h>

#include "base/attr.h"

static const char magic[] = "!<arch>\n";

enum { HEADER = 60, NAME = 16, SIZE_AT = 48, SIZE_DIGITS = 10, END_AT = 58, SKIP = 16 << 10 };

static bool bad(const struct debfile *d, struct err *err, const char *why)
{
	return err_set(err, ERR_INTEGRITY, "'%s' is no sound Debian package: %s", d->name, why);
}

/* All n bytes. *none, if not NULL: whether the input ended before the first one. */
static bool take(struct debfile *d, char *buf, size_t n, bool *none, struct err *err)
{
	for (size_t have = 0; have < n;) {
		ptrdiff_t got = d->read(d->ctx, buf + have, n - have, err);
		if (got < 0)
			return false;
		if (got == 0) {
			if (none && !have) {
				*none = true;
				return true;
			}
			return bad(d, err, "it ends too early");
		}
		have += (size_t)got;
	}
	return true;
}

static bool skip(struct debfile *d, uint64_t n, struct err *err)
{
	char buf[SKIP];
	while (n) {
		size_t k = n < sizeof buf ? (size_t)n : sizeof buf;
		if (!take(d, buf, k, NULL, err))
			return false;
		n -= k;
	}
	return true;
}

static bool parse_size(const char *s, uint64_t *out)
{
	uint64_t v = 0;
	size_t n = 0;
	for (; n < SIZE_DIGITS && s[n] >= '0' && s[n] <= '9'; n++)
		v = v * 10 + (uint64_t)(s[n] - '0');
	*out = v;
	for (size_t i = n; i < SIZE_DIGITS; i++)
		if (s[i] != ' ')
			return false;
	return n > 0;
}

/* "data.tar.xz", with blanks or a slash behind it. */
static bool is_data(const char *name)
{
	static const char *const ends[] = {"", ".xz", ".zst", ".gz", ".bz2"};
	size_t n = NAME;
	while (n && name[n - 1] == ' ')
		n--;
	n -= n && name[n - 1] == '/';
	if (n < 8 || memcmp(name, "data.tar", 8) != 0)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (n - 8 == strlen(ends[i]) && !memcmp(name + 8, ends[i], n - 8))
			return true;
	return false;
}

static bool begins(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

/* The version must be one that this layout belongs to. */
static bool check_version(struct debfile *d, uint64_t size, struct err *err)
{
	char text[8];
	if (size < 4 || size > sizeof text)
		return bad(d, err, "debian-binary has a strange size");
	if (!take(d, text, (size_t)size, NULL, err))
		return false;
	return !memcmp(text, "2.", 2) || bad(d, err, "its format is not version 2");
}

/* Up to the data, or to the end. */
static bool next_member(struct debfile *d, struct err *err)
{
	char h[HEADER];
	bool none = false;
	uint64_t size;
	if (!take(d, h, sizeof h, &none, err))
		return false;
	if (none) {
		d->ended = true;
		return d->had_data || bad(d, err, "it has no data.tar");
	}
	if (memcmp(h + END_AT, "`\n", 2) != 0 || !parse_size(h + SIZE_AT, &size))
		return bad(d, err, "a member's header is damaged");
	if (++d->members > DEBFILE_MEMBERS_MAX)
		return bad(d, err, "it has too many members");
	bool first = d->members == 1, odd = size & 1;
	if (first != begins(h, "debian-binary"))
		return bad(d, err, "debian-binary is not its first member");
	if (first && !check_version(d, size, err))
		return false;
	if (!is_data(h))
		return skip(d, (first ? 0 : size) + odd, err);
	if (d->had_data)
		return bad(d, err, "it has two data.tar");
	d->had_data = d->in_data = true;
	d->data = size;
	d->left = odd;
	return true;
}

static bool begin(struct debfile *d, struct err *err)
{
	char head[sizeof magic - 1];
	if (!take(d, head, sizeof head, NULL, err))
		return false;
	d->begun = true;
	return !memcmp(head, magic, sizeof head) || bad(d, err, "it is no ar archive");
}

ptrdiff_t debfile_read(struct debfile *d, void *buf, size_t n, struct err *err)
{
	if (!d->begun && !begin(d, err))
		return -1;
	for (;;) {
		if (d->in_data && d->data) {
			ptrdiff_t got =
				d->read(d->ctx, buf, n < d->data ? n : (size_t)d->data, err);
			if (got == 0)
				return bad(d, err, "it ends too early") ? 0 : -1;
			if (got > 0)
				d->data -= (uint64_t)got;
			return got;
		}
		if (d->in_data && !skip(d, d->left, err))
			return -1;
		d->in_data = false;
		if (d->ended)
			return 0;
		if (!next_member(d, err))
			return -1;
	}
}
