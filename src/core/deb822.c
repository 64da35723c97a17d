#include "core/deb822.h"

#include <string.h>
#include <strings.h>

enum { LINE_MAX_BYTES = 512 << 10 };

void deb822_init(struct deb822 *d, const char *file, enum err_code code, deb822_fn *fn, void *ctx)
{
	*d = (struct deb822){
		.file = file,
		.code = code,
		.fn = fn,
		.ctx = ctx,
		.text = BUF_INIT(DEB822_PARAGRAPH_MAX),
		.part = BUF_INIT(LINE_MAX_BYTES),
	};
}

void deb822_clear(struct deb822 *d)
{
	buf_clear(&d->text);
	buf_clear(&d->part);
}

static bool bad(const struct deb822 *d, struct err *err, const char *why)
{
	return err_set(err, d->code, "'%s' line %d: %s", d->file, d->line, why);
}

static bool flush(struct deb822 *d, struct err *err)
{
	if (!d->text.len)
		return true;
	struct deb822_paragraph p = {buf_str(&d->text), d->first};
	bool ok = d->fn(d->ctx, &p, err);
	buf_cut(&d->text, 0);
	return ok;
}

/* Length of a field's name at s, 0: there is none. */
static size_t name_length(const char *s, size_t n)
{
	size_t i = 0;
	while (i < n && s[i] > ' ' && s[i] < 127 && s[i] != ':')
		i++;
	return i < n && s[i] == ':' && s[0] != '-' ? i : 0;
}

static bool is_blank(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] != ' ' && s[i] != '\t')
			return false;
	return true;
}

static bool take_line(struct deb822 *d, const char *s, size_t n, struct err *err)
{
	d->line++;
	if (n && s[n - 1] == '\r')
		n--;
	if (is_blank(s, n))
		return flush(d, err);
	if (*s == '#')
		return true;
	if (memchr(s, '\0', n))
		return bad(d, err, "it has a NUL byte");
	if (*s == ' ' || *s == '\t') {
		if (!d->text.len)
			return bad(d, err, "a continuation line without a field before it");
	} else if (!name_length(s, n)) {
		return bad(d, err, "no 'Field: value'");
	}
	if (!d->text.len)
		d->first = d->line;
	return (buf_add(&d->text, s, n) && buf_addc(&d->text, '\n')) ||
	       bad(d, err, "the paragraph is too long");
}

static bool keep_part(struct deb822 *d, const char *s, size_t n, struct err *err)
{
	if (buf_add(&d->part, s, n))
		return true;
	d->line++;
	return bad(d, err, "the line is too long");
}

bool deb822_feed(struct deb822 *d, const char *data, size_t n, struct err *err)
{
	for (const char *end = data + n; data < end;) {
		const char *nl = memchr(data, '\n', (size_t)(end - data));
		size_t k = (size_t)((nl ? nl : end) - data);
		if ((!nl || d->part.len) && !keep_part(d, data, k, err))
			return false;
		if (!nl)
			return true;
		bool ok = d->part.len ? take_line(d, d->part.data, d->part.len, err)
				      : take_line(d, data, k, err);
		if (!ok)
			return false;
		buf_cut(&d->part, 0);
		data = nl + 1;
	}
	return true;
}

bool deb822_end(struct deb822 *d, struct err *err)
{
	return (!d->part.len || take_line(d, d->part.data, d->part.len, err)) && flush(d, err);
}

bool deb822_parse(const char *file, enum err_code code, const char *text, size_t len, deb822_fn *fn,
		  void *ctx, struct err *err)
{
	struct deb822 d;
	deb822_init(&d, file, code, fn, ctx);
	bool ok = deb822_feed(&d, text, len, err) && deb822_end(&d, err);
	deb822_clear(&d);
	return ok;
}

/* s without blanks at both ends. */
static void trim(const char **s, size_t *n)
{
	while (*n && (**s == ' ' || **s == '\t')) {
		(*s)++;
		(*n)--;
	}
	while (*n && ((*s)[*n - 1] == ' ' || (*s)[*n - 1] == '\t'))
		(*n)--;
}

static const char *find(const struct deb822_paragraph *p, const char *field)
{
	size_t n = strlen(field);
	for (const char *s = p->text; *s; s += strcspn(s, "\n") + 1)
		if (!strncasecmp(s, field, n) && s[n] == ':')
			return s + n + 1;
	return NULL;
}

bool deb822_line(const struct deb822_paragraph *p, const char *field, const char **value,
		 size_t *len)
{
	const char *s = find(p, field);
	if (!s)
		return false;
	size_t n = strcspn(s, "\n");
	trim(&s, &n);
	*value = s;
	*len = n;
	return true;
}

char *deb822_text(const struct deb822_paragraph *p, const char *field)
{
	struct buf b = BUF_INIT(DEB822_PARAGRAPH_MAX);
	const char *s = find(p, field);
	if (!s)
		return NULL;
	do {
		size_t n = strcspn(s, "\n");
		const char *line = s;
		s += n + 1;
		trim(&line, &n);
		buf_add(&b, line, n);
		if (*s == ' ' || *s == '\t')
			buf_addc(&b, '\n');
	} while (*s == ' ' || *s == '\t');
	return buf_take(&b);
}
