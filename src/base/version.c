#include "base/version.h"

#include <string.h>

/* The C library's isdigit and isalnum ask the locale; a version never does. */
static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_alnum(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool version_parse(const char *s, size_t len, struct version *out)
{
	struct version v = {0};
	const char *end = s + len;
	for (;;) {
		const char *start = s;
		unsigned part = 0;
		for (; s < end && is_digit(*s) && s - start < 9; s++)
			part = part * 10 + (unsigned)(*s - '0');
		if (s == start || v.n == VERSION_PARTS)
			return false;
		v.part[v.n++] = part;
		if (s == end)
			break;
		if (*s++ != '.')
			return false;
	}
	*out = v;
	return true;
}

static int compare_parts(const struct version *a, const struct version *b, int n)
{
	for (int i = 0; i < n; i++)
		if (a->part[i] != b->part[i])
			return a->part[i] < b->part[i] ? -1 : 1;
	return 0;
}

int version_compare(const struct version *a, const struct version *b)
{
	return compare_parts(a, b, VERSION_PARTS);
}

bool version_has_prefix(const struct version *v, const struct version *prefix)
{
	return v->n >= prefix->n && compare_parts(v, prefix, prefix->n) == 0;
}

const char *version_format(const struct version *v, char *out, size_t cap)
{
	char text[VERSION_TEXT];
	size_t at = sizeof text;
	text[--at] = '\0';
	for (int i = v->n - 1; i >= 0; i--) {
		unsigned part = v->part[i];
		do
			text[--at] = (char)('0' + part % 10);
		while (part /= 10);
		if (i)
			text[--at] = '.';
	}
	if (sizeof text - at <= cap)
		memcpy(out, text + at, sizeof text - at);
	else if (cap)
		out[0] = '\0';
	return out;
}

/* What makes a word unfit wherever it came from; NULL: nothing. */
static const char *refusal(const char *s, size_t len)
{
	static const char allowed[] = "._-:,<>=!";
	if (len == 0)
		return "it is empty";
	if (len >= VERSION_TEXT)
		return "it is too long";
	if (memchr(s, '/', len))
		return "a version is a name, not a path";
	if (s[0] == '-' || s[0] == '.')
		return "it begins with '-' or '.'";
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '*')
			return "write '12.x' for the newest 12";
		if (!is_alnum(s[i]) && (!s[i] || !strchr(allowed, s[i])))
			return "only letters, digits and '._-:,<>=!' are allowed";
		if (i && s[i] == '.' && s[i - 1] == '.')
			return "it has '..'";
	}
	return NULL;
}

static bool refuse(struct err *err, const char *s, size_t len, const char *where, const char *why)
{
	int shown = len < VERSION_TEXT ? (int)len : VERSION_TEXT;
	err_set(err, ERR_USAGE, "'%.*s%s' in %s is not a version: %s", shown, s,
		len > VERSION_TEXT ? "..." : "", where, why);
	return err_hint(
		err, "write it like 12.4.1, 12.4, 12.x, '>=12.2,<13', latest, latest:12 or system");
}

static bool word_is(const char *s, size_t len, const char *word)
{
	return len == strlen(word) && !memcmp(s, word, len);
}

static bool skip_prefix(const char **s, size_t *len, const char *prefix)
{
	size_t n = strlen(prefix);
	if (*len <= n || memcmp(*s, prefix, n) != 0)
		return false;
	*s += n;
	*len -= n;
	return true;
}

/* The numbers behind "cu": 124 is 12.4, 92 is 9.2, 12 (a wheel's suffix) is 12. */
static bool parse_cu(const char *s, size_t len, struct version *out)
{
	struct version v;
	if (!version_parse(s, len, &v))
		return false;
	if (v.n == 1 && (len == 3 || (len == 2 && s[0] != '1')))
		v = (struct version){2, {v.part[0] / 10, v.part[0] % 10}};
	else if (v.n == 1 && len != 2)
		return false;
	*out = v;
	return true;
}

/* 12.4.1 12.4.x v12.4 cuda-12.4 cuda12.4 cu124 */
static bool parse_numbers(const char *s, size_t len, struct version *out)
{
	if (!skip_prefix(&s, &len, "cuda-") && !skip_prefix(&s, &len, "cuda") &&
	    !skip_prefix(&s, &len, "v") && skip_prefix(&s, &len, "cu"))
		return parse_cu(s, len, out);
	if (len > 2 && s[len - 2] == '.' && (s[len - 1] == 'x' || s[len - 1] == 'X'))
		len -= 2;
	return version_parse(s, len, out);
}

static enum spec_op parse_op(const char **s, size_t *len, bool *ok)
{
	static const struct {
		const char *text;
		enum spec_op op;
	} ops[] = {{"<=", SPEC_LE}, {">=", SPEC_GE}, {"==", SPEC_EQ}, {"!=", SPEC_NE},
		   {"<", SPEC_LT},  {">", SPEC_GT},  {"=", SPEC_EQ}};
	*ok = true;
	for (size_t i = 0; i < ARRAY_LEN(ops); i++)
		if (skip_prefix(s, len, ops[i].text))
			return ops[i].op;
	*ok = false;
	return SPEC_EQ;
}

static bool parse_range(const char *s, size_t len, struct spec *out)
{
	const char *end = s + len;
	for (out->conds = 0;; out->conds++) {
		const char *comma = memchr(s, ',', (size_t)(end - s));
		size_t n = (size_t)((comma ? comma : end) - s);
		bool ok;
		if (out->conds == (int)ARRAY_LEN(out->cond))
			return false;
		out->cond[out->conds].op = parse_op(&s, &n, &ok);
		if (!ok || !parse_numbers(s, n, &out->cond[out->conds].v))
			return false;
		if (!comma)
			break;
		s = comma + 1;
	}
	out->conds++;
	return true;
}

/* Letters, digits, '.', '_', '-': what may be a folder below versions/. */
static bool is_name(const char *s, size_t len)
{
	bool letter = false;
	for (size_t i = 0; i < len; i++) {
		if (!is_alnum(s[i]) && !strchr("._-", s[i]))
			return false;
		letter |= s[i] != '.' && !is_digit(s[i]);
	}
	return letter && is_alnum(s[0]);
}

static const char *parse_word(const char *s, size_t len, struct spec *out)
{
	const char *rest = s;
	size_t n = len;
	if (memchr("<>=!", s[0], 4)) {
		out->kind = SPEC_RANGE;
		return parse_range(s, len, out) ? NULL : "a range is like '>=12.2,<13'";
	}
	if (word_is(s, len, "system") || word_is(s, len, "supported")) {
		out->kind = s[1] == 'y' ? SPEC_SYSTEM : SPEC_SUPPORTED;
		return NULL;
	}
	if (word_is(s, len, "latest") || skip_prefix(&rest, &n, "latest:")) {
		out->kind = SPEC_LATEST;
		return rest == s || parse_numbers(rest, n, &out->v) ? NULL
								    : "write it like 'latest:12'";
	}
	if (parse_numbers(s, len, &out->v)) {
		out->kind = SPEC_VERSION;
		version_format(&out->v, out->text, sizeof out->text);
		return NULL;
	}
	out->kind = SPEC_NAME;
	return is_name(s, len) ? NULL : "it is neither numbers with dots between nor a name";
}

bool spec_parse(const char *s, size_t len, const char *where, struct spec *out, struct err *err)
{
	struct spec spec = {0};
	const char *why = refusal(s, len);
	if (!why)
		why = parse_word(s, len, &spec);
	if (why)
		return refuse(err, s, len, where, why);
	if (!spec.text[0])
		memcpy(spec.text, s, len);
	*out = spec;
	return true;
}

static bool holds(enum spec_op op, int order)
{
	switch (op) {
	case SPEC_LT:
		return order < 0;
	case SPEC_LE:
		return order <= 0;
	case SPEC_EQ:
		return order == 0;
	case SPEC_NE:
		return order != 0;
	case SPEC_GE:
		return order >= 0;
	case SPEC_GT:
		return order > 0;
	}
	return false;
}

bool spec_matches(const struct spec *s, const struct version *v)
{
	switch (s->kind) {
	case SPEC_VERSION:
	case SPEC_LATEST:
		return version_has_prefix(v, &s->v);
	case SPEC_RANGE:
		for (int i = 0; i < s->conds; i++)
			if (!holds(s->cond[i].op, compare_parts(v, &s->cond[i].v, s->cond[i].v.n)))
				return false;
		return true;
	case SPEC_SUPPORTED:
	case SPEC_SYSTEM:
	case SPEC_NAME:
		return false;
	}
	return false;
}
