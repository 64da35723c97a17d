#include "ext/runfile.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "ext/digest.h"

/* makeself's own script has some 700 lines, and NVIDIA may show a licence in it. */
enum { SCRIPT_MAX = 1 << 20, LINES_MAX = 20000, PIECE = 1 << 14, START = 32 };

struct runfile {
	source_read_fn *read;
	void *ctx;
	const char *name;
	bool check, begun;

	struct buf head; /* the script, and what was read behind it */
	size_t at;	 /* of head, not given out yet */

	/* what the script says; sha and md5 "" for none */
	uint64_t size;
	unsigned long lines;
	char sha[65], md5[33];

	uint64_t given;
	bool ended;
	struct digest *digest;
};

static bool bad(const struct runfile *rf, struct err *err, const char *why)
{
	return err_set(err, ERR_INTEGRITY, "'%s' is no runfile that can be read: %s", rf->name,
		       why);
}

/* The value behind "key=" at the start of a line, without quotes. */
static bool line_value(const char *line, size_t n, const char *key, const char **value, size_t *len)
{
	size_t k = strlen(key);
	if (n <= k || memcmp(line, key, k) != 0 || line[k] != '=')
		return false;
	line += k + 1;
	n -= k + 1;
	if (n && *line == '"') {
		const char *end = memchr(++line, '"', --n);
		n = end ? (size_t)(end - line) : n;
	}
	*value = line;
	*len = n;
	return true;
}

static bool take_number(const char *s, size_t n, uint64_t *out)
{
	uint64_t v = 0;
	for (size_t i = 0; i < n; i++) {
		if (s[i] < '0' || s[i] > '9' || v > UINT64_MAX / 16)
			return false;
		v = v * 10 + (uint64_t)(s[i] - '0');
	}
	*out = v;
	return n > 0;
}

/* cap with the NUL: a digest has one length, and zeros stand for none. */
static void take_digest(const char *s, size_t n, char *out, size_t cap)
{
	out[0] = '\0';
	if (n != cap - 1 || strspn(s, "0") >= n || strspn(s, "0123456789abcdefABCDEF") < n)
		return;
	for (size_t i = 0; i < n; i++)
		out[i] = (char)(s[i] | (s[i] >= 'A' && s[i] <= 'F' ? 0x20 : 0));
	out[n] = '\0';
}

static void old_skip(struct runfile *rf, const char *line, size_t n)
{
	static const char words[] = "head -n ";
	uint64_t v;
	const char *at = rf->lines ? NULL : memmem(line, n, words, sizeof words - 1);
	if (!at)
		return;
	at += sizeof words - 1;
	if (take_number(at, strspn(at, "0123456789"), &v) && v <= LINES_MAX)
		rf->lines = (unsigned long)v;
}

static bool take_line(struct runfile *rf, const char *line, size_t n, struct err *err)
{
	const char *v;
	size_t len;
	uint64_t number = 0;
	if (line_value(line, n, "filesizes", &v, &len)) {
		if (!take_number(v, len, &rf->size) || !rf->size)
			return bad(rf, err, "its script names no single size of its content");
	} else if (line_value(line, n, "skip", &v, &len)) {
		if (!take_number(v, len, &number) || !number || number > LINES_MAX)
			return bad(rf, err, "its script names no length of its own");
		rf->lines = (unsigned long)number;
	} else if (line_value(line, n, "SHA", &v, &len)) {
		take_digest(v, len, rf->sha, sizeof rf->sha);
	} else if (line_value(line, n, "MD5", &v, &len)) {
		take_digest(v, len, rf->md5, sizeof rf->md5);
	} else {
		old_skip(rf, line, n);
	}
	return true;
}

static bool look_at_start(const struct runfile *rf, struct err *err)
{
	const char *s = buf_str(&rf->head);
	const char *text = s + strspn(s, " \t\r\n");
	if (!strncmp(s, "#!", 2) || !*s)
		return true;
	if (!strncasecmp(text, "<!doctype html", 14) || !strncasecmp(text, "<html", 5)) {
		bad(rf, err, "it is an HTML page");
		return err_hint(err, "a login page, most likely: download the file once more");
	}
	return bad(rf, err, "it does not begin with a script");
}

/* Takes the lines that are there from `seen` on. */
static bool take_lines(struct runfile *rf, size_t *seen, unsigned long *lines, struct err *err)
{
	const char *data = buf_str(&rf->head), *nl;
	while ((!rf->lines || *lines < rf->lines) &&
	       (nl = memchr(data + *seen, '\n', rf->head.len - *seen))) {
		if (!take_line(rf, data + *seen, (size_t)(nl - data) - *seen, err))
			return false;
		*seen = (size_t)(nl - data) + 1;
		if (++*lines > LINES_MAX)
			return bad(rf, err, "its script has no end");
	}
	return true;
}

/* Reads until the script is complete. Whatever came behind it is kept. */
static bool read_script(struct runfile *rf, struct err *err)
{
	unsigned long lines = 0;
	size_t seen = 0;
	bool looked = false;
	while (!rf->lines || lines < rf->lines) {
		char piece[PIECE];
		ptrdiff_t got = rf->read(rf->ctx, piece, sizeof piece, err);
		if (got < 0)
			return false;
		if (!buf_add(&rf->head, piece, (size_t)got))
			return bad(rf, err, "its script has no end");
		if (!looked && (rf->head.len >= START || got == 0)) {
			looked = true;
			if (!look_at_start(rf, err))
				return false;
		}
		if (got == 0)
			return bad(rf, err, "it ends within its script");
		if (!take_lines(rf, &seen, &lines, err))
			return false;
	}
	rf->at = seen;
	return lines == rf->lines || bad(rf, err, "its script is longer than it says");
}

static bool begin(struct runfile *rf, struct err *err)
{
	if (!read_script(rf, err))
		return false;
	if (!rf->size)
		return bad(rf, err, "its script does not say how long its content is");
	if (rf->check && (rf->sha[0] || rf->md5[0]))
		rf->digest = digest_new(rf->sha[0] ? DIGEST_SHA256 : DIGEST_MD5);
	rf->begun = true;
	return true;
}

/* More than the script announces is as wrong as less. */
static bool at_end(struct runfile *rf, struct err *err)
{
	char more, hex[65];
	const char *want = rf->sha[0] ? rf->sha : rf->md5;
	if (rf->ended)
		return true;
	ptrdiff_t got = rf->at < rf->head.len ? 1 : rf->read(rf->ctx, &more, 1, err);
	if (got < 0)
		return false;
	if (got > 0)
		return bad(rf, err, "it is longer than its script says");
	rf->ended = true;
	if (!rf->digest)
		return true;
	digest_hex(rf->digest, hex);
	return !strcmp(hex, want) ||
	       err_set(err, ERR_INTEGRITY,
		       "'%s': the digest of its content is %s, and its script says %s", rf->name,
		       hex, want);
}

ptrdiff_t runfile_read(void *ctx, void *buf, size_t n, struct err *err)
{
	struct runfile *rf = ctx;
	ptrdiff_t got;
	if (!rf->begun && !begin(rf, err))
		return -1;
	if (rf->given == rf->size)
		return at_end(rf, err) ? 0 : -1;
	if (n > rf->size - rf->given)
		n = (size_t)(rf->size - rf->given);
	if (rf->at < rf->head.len) {
		got = (ptrdiff_t)(n < rf->head.len - rf->at ? n : rf->head.len - rf->at);
		memcpy(buf, rf->head.data + rf->at, (size_t)got);
		rf->at += (size_t)got;
	} else {
		got = rf->read(rf->ctx, buf, n, err);
	}
	if (got == 0)
		bad(rf, err, "it is shorter than its script says");
	if (got <= 0)
		return -1;
	if (rf->digest)
		digest_update(rf->digest, buf, (size_t)got);
	rf->given += (uint64_t)got;
	return got;
}

struct runfile *runfile_open(source_read_fn *read, void *ctx, bool check, const char *name)
{
	struct runfile *rf = xcalloc(1, sizeof *rf);
	rf->read = read;
	rf->ctx = ctx;
	rf->check = check;
	rf->name = name;
	rf->head = BUF_INIT(SCRIPT_MAX + PIECE);
	return rf;
}

void runfile_close(struct runfile *rf)
{
	if (!rf)
		return;
	digest_free(rf->digest);
	buf_clear(&rf->head);
	free(rf);
}
