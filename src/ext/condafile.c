#include "ext/condafile.h"

#include <string.h>

/* Of a local file header: facts of the zip format. */
enum {
	HEADER = 30,
	FLAGS_AT = 6,
	METHOD_AT = 8,
	PACKED_AT = 18,
	SIZE_AT = 22,
	NAME_LEN_AT = 26,
	EXTRA_LEN_AT = 28,
	FLAG_SIZE_LATER = 1 << 3,
	NAME_MAX_LEN = 512,
	SKIP = 16 << 10,
};
#define SIZE_UNKNOWN UINT32_MAX

static uint32_t number(const unsigned char *p, int bytes)
{
	uint32_t v = 0;
	while (bytes-- > 0)
		v = v << 8 | p[bytes];
	return v;
}

static bool bad(const struct condafile *c, struct err *err, const char *why)
{
	return err_set(err, ERR_INTEGRITY, "'%s' is no sound conda package: %s", c->name, why);
}

static bool take(struct condafile *c, void *buf, size_t n, struct err *err)
{
	for (size_t have = 0; have < n;) {
		ptrdiff_t got = c->read(c->ctx, (char *)buf + have, n - have, err);
		if (got < 0)
			return false;
		if (got == 0)
			return bad(c, err, "it ends too early");
		have += (size_t)got;
	}
	return true;
}

static bool skip(struct condafile *c, uint64_t n, struct err *err)
{
	char buf[SKIP];
	while (n) {
		size_t k = n < sizeof buf ? (size_t)n : sizeof buf;
		if (!take(c, buf, k, err))
			return false;
		n -= k;
	}
	return true;
}

/* What follows the entries is a directory of them, with nothing new. */
static bool read_rest(struct condafile *c, struct err *err)
{
	char buf[SKIP];
	ptrdiff_t got;
	while ((got = c->read(c->ctx, buf, sizeof buf, err)) > 0)
		;
	c->ended = got == 0;
	if (got < 0)
		return false;
	return c->had_data || bad(c, err, "it has no pkg-*.tar.zst");
}

static bool next_entry(struct condafile *c, struct err *err)
{
	unsigned char h[HEADER];
	char name[NAME_MAX_LEN + 1];
	if (!take(c, h, 4, err))
		return false;
	if (memcmp(h, "PK\3\4", 4) != 0)
		return c->entries ? read_rest(c, err) : bad(c, err, "it is no zip archive");
	if (!take(c, h + 4, HEADER - 4, err))
		return false;
	if (++c->entries > CONDAFILE_ENTRIES_MAX)
		return bad(c, err, "it has too many entries");
	uint32_t size = number(h + SIZE_AT, 4), len = number(h + NAME_LEN_AT, 2);
	if (number(h + METHOD_AT, 2) || number(h + PACKED_AT, 4) != size || size == SIZE_UNKNOWN ||
	    number(h + FLAGS_AT, 2) & FLAG_SIZE_LATER)
		return bad(c, err, "an entry is not simply stored");
	if (!len || len > NAME_MAX_LEN)
		return bad(c, err, "an entry has no usable name");
	if (!take(c, name, len, err) || !skip(c, number(h + EXTRA_LEN_AT, 2), err))
		return false;
	name[len] = '\0';
	bool data = !strncmp(name, "pkg-", 4) && len > 12 && !strcmp(name + len - 8, ".tar.zst");
	if (data && c->had_data)
		return bad(c, err, "it has two pkg-*.tar.zst");
	if (!data)
		return skip(c, size, err);
	c->had_data = c->in_data = true;
	c->left = size;
	return true;
}

ptrdiff_t condafile_read(void *condafile, void *buf, size_t n, struct err *err)
{
	struct condafile *c = condafile;
	while (!c->ended) {
		if (c->in_data && c->left) {
			ptrdiff_t got =
				c->read(c->ctx, buf, n < c->left ? n : (size_t)c->left, err);
			if (got == 0)
				bad(c, err, "it ends too early");
			if (got <= 0)
				return -1;
			c->left -= (uint64_t)got;
			return got;
		}
		c->in_data = false;
		if (!next_entry(c, err))
			return -1;
	}
	return 0;
}
