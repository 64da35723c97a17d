#include "ext/inifile.h"

#include <ctype.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/io.h"

enum {
	NAME_MAX_LEN = 49, /* inih cuts section names behind this without a word */
	LINES_MAX = 20000, /* seen sections are compared one by one */
};

struct reader {
	const char *file, *at, *end;
	int line;
	char section[NAME_MAX_LEN + 1];
	struct strlist sections, keys; /* seen so far; keys of this section */
	inifile_fn *fn;
	void *ctx;
	bool failed;
	struct err *err;
};

bool inifile_fail(const struct inifile_entry *e, struct err *err, const char *fmt, ...)
{
	char text[sizeof err->msg];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return err_set(err, ERR_USAGE, "'%s' line %d: %s", e->file, e->line, text);
}

static struct inifile_entry here(const struct reader *r, const char *key, const char *value)
{
	return (struct inifile_entry){.section = r->section,
				      .key = key,
				      .value = value,
				      .file = r->file,
				      .line = r->line};
}

static bool fail(struct reader *r, const char *text)
{
	struct inifile_entry e = here(r, NULL, NULL);
	r->failed = true;
	return inifile_fail(&e, r->err, "%s", text);
}

/* "[name]" with nothing but a comment behind it. inih would take "[a]b" and report no empty
 * section. */
static bool begin_section(struct reader *r, const char *line, size_t len)
{
	const char *close = memchr(line, ']', len);
	if (!close)
		return fail(r, "']' is missing");
	const char *rest = close + 1;
	while (rest < line + len && isblank((unsigned char)*rest))
		rest++;
	if (rest < line + len && *rest != ';' && *rest != '#')
		return fail(r, "text behind ']'");
	size_t n = (size_t)(close - line) - 1;
	if (!n || memchr(line, ';', n))
		return fail(r, "bad section name");
	if (n > NAME_MAX_LEN)
		return fail(r, "the section name is too long");
	memcpy(r->section, line + 1, n);
	r->section[n] = '\0';
	if (strlist_has(&r->sections, r->section))
		return fail(r, "this section stands twice");
	strlist_add(&r->sections, r->section);
	strlist_clear(&r->keys);
	struct inifile_entry e = here(r, NULL, NULL);
	if (!r->fn(r->ctx, &e, r->err))
		r->failed = true;
	return !r->failed;
}

/* One line for inih, without the blanks in front: they would make it a continuation. */
static char *next_line(char *out, int cap, void *stream)
{
	struct reader *r = stream;
	if (r->failed || r->at == r->end)
		return NULL;
	const char *line = r->at;
	const char *nl = memchr(line, '\n', (size_t)(r->end - line));
	const char *stop = nl ? nl : r->end;
	r->at = nl ? nl + 1 : r->end;
	r->line++;
	while (stop > line && isspace((unsigned char)stop[-1]))
		stop--;
	while (line < stop && isspace((unsigned char)*line))
		line++;
	size_t len = (size_t)(stop - line);
	if (r->line > LINES_MAX)
		return fail(r, "too many lines"), NULL;
	for (const char *p = line; p < stop; p++)
		if (iscntrl((unsigned char)*p) && *p != '\t')
			return fail(r, *p ? "a control character" : "a NUL byte"), NULL;
	if (len && strchr("#;", *line))
		len = 0;
	/* Room for "\r\n" is what inih's own documentation asks for. */
	if (len + 3 > (size_t)cap)
		return fail(r, "the line is too long"), NULL;
	if (len && *line == '[' && !begin_section(r, line, len))
		return NULL;
	memcpy(out, line, len);
	out[len] = '\n';
	out[len + 1] = '\0';
	return out;
}

static int on_pair(void *ctx, const char *section, const char *key, const char *value)
{
	struct reader *r = ctx;
	if (r->failed)
		return 0;
	if (!*key)
		return fail(r, "no key in front of '='");
	if (strlist_has(&r->keys, key))
		return fail(r, "this key stands twice");
	strlist_add(&r->keys, key);
	struct inifile_entry e = here(r, key, value ? value : "");
	if (!r->fn(r->ctx, &e, r->err))
		r->failed = true;
	return !r->failed;
}

bool inifile_parse(const char *file, const char *text, size_t len, inifile_fn *fn, void *ctx,
		   struct err *err)
{
	struct reader r = {
		.file = file, .at = text, .end = text + len, .fn = fn, .ctx = ctx, .err = err};
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		r.at += 3;
	int bad = ini_parse_stream(next_line, &r, on_pair, &r);
	if (bad && !r.failed) {
		r.line = bad;
		fail(&r, "neither [section] nor 'key = value'");
	}
	strlist_clear(&r.sections);
	strlist_clear(&r.keys);
	return !r.failed;
}

bool inifile_read(const char *path, size_t max, inifile_fn *fn, void *ctx, struct err *err)
{
	autobuf struct buf text = BUF_INIT(max);
	return io_read_file(path, &text, err) &&
	       inifile_parse(path, buf_str(&text), text.len, fn, ctx, err);
}
