#include "core/marker.h"

#include <ctype.h>
#include <string.h>

#include "core/pyspec.h"
#include "core/wheelname.h"

enum { VALUE_MAX = 128 };

struct parser {
	const char *p;
	const struct marker_env *env;
	int depth;
};

struct value {
	char text[VALUE_MAX];
	bool extra; /* the variable of that name */
};

enum op { OP_VERSION, OP_IN, OP_NOT_IN };

struct marker_env marker_env(const char *arch, const char *extra)
{
	return (struct marker_env){!strcmp(arch, "sbsa") ? "aarch64" : arch, extra};
}

/* No Python runs here: one that every wheel of these accepts stands for it. */
static const char *variable(const struct marker_env *env, const char *name)
{
	const struct {
		const char *name, *value;
	} vars[] = {
		{"sys_platform", "linux"},
		{"platform_machine", env->machine},
		{"platform_system", "Linux"},
		{"os_name", "posix"},
		{"python_version", "3.12"},
		{"python_full_version", "3.12.0"},
		{"implementation_name", "cpython"},
		{"implementation_version", "3.12.0"},
		{"platform_python_implementation", "CPython"},
		{"platform_release", ""},
		{"platform_version", ""},
		{"extra", env->extra},
	};
	for (size_t i = 0; i < ARRAY_LEN(vars); i++)
		if (!strcmp(name, vars[i].name))
			return vars[i].value;
	return NULL;
}

static void blanks(struct parser *s)
{
	while (isspace((unsigned char)*s->p))
		s->p++;
}

static size_t name_length(const char *p)
{
	size_t n = 0;
	while (isalnum((unsigned char)p[n]) || p[n] == '_' || p[n] == '.')
		n++;
	return n;
}

static bool keyword(struct parser *s, const char *word)
{
	size_t n = strlen(word);
	blanks(s);
	if (name_length(s->p) != n || memcmp(s->p, word, n) != 0)
		return false;
	s->p += n;
	return true;
}

static bool parse_value(struct parser *s, struct value *v, struct err *err)
{
	char name[VALUE_MAX];
	blanks(s);
	bool quoted = *s->p == '\'' || *s->p == '"';
	const char *start = s->p + quoted, *end;
	if (quoted)
		end = strchr(start, *s->p);
	else
		end = start + name_length(start);
	if (!end || (!quoted && end == start) || end - start >= VALUE_MAX)
		return err_set(err, ERR_INTEGRITY, "a value is missing or too long at '%.40s'",
			       s->p);
	memcpy(name, start, (size_t)(end - start));
	name[end - start] = '\0';
	s->p = end + quoted;
	const char *text = quoted ? name : variable(s->env, name);
	if (!text)
		return err_set(err, ERR_INTEGRITY, "unknown variable '%s'", name);
	if (strlen(text) >= sizeof v->text)
		return err_set(err, ERR_INTEGRITY, "the value of '%s' is too long", name);
	memcpy(v->text, text, strlen(text) + 1);
	v->extra = !quoted && !strcmp(name, "extra");
	return true;
}

static bool parse_op(struct parser *s, enum op *op, char symbol[4], struct err *err)
{
	blanks(s);
	size_t n = strspn(s->p, "<>=!~");
	if (n >= 1 && n <= 3) {
		memcpy(symbol, s->p, n);
		symbol[n] = '\0';
		s->p += n;
		*op = OP_VERSION;
		return true;
	}
	if (keyword(s, "in")) {
		*op = OP_IN;
		return true;
	}
	if (keyword(s, "not") && keyword(s, "in")) {
		*op = OP_NOT_IN;
		return true;
	}
	return err_set(err, ERR_INTEGRITY, "no operator at '%.40s'", s->p);
}

/* As versions where both sides are versions, else as text. */
static bool compare(const char *a, const char *symbol, const char *b, bool *out, struct err *err)
{
	char cond[VALUE_MAX + 4];
	struct pyspec spec;
	struct pep440 v;
	size_t n = strlen(symbol);
	memcpy(cond, symbol, n);
	memcpy(cond + n, b, strlen(b) + 1);
	if (!memchr(b, ',', strlen(b)) && pyspec_parse(cond, strlen(cond), &spec) &&
	    pep440_parse(a, strlen(a), &v)) {
		*out = pyspec_holds(&spec, &v);
		return true;
	}
	int d = strcmp(a, b);
	if (!strcmp(symbol, "==") || !strcmp(symbol, "==="))
		*out = d == 0;
	else if (!strcmp(symbol, "!="))
		*out = d != 0;
	else if (!strcmp(symbol, "<"))
		*out = d < 0;
	else if (!strcmp(symbol, "<="))
		*out = d <= 0;
	else if (!strcmp(symbol, ">"))
		*out = d > 0;
	else if (!strcmp(symbol, ">="))
		*out = d >= 0;
	else
		return err_set(err, ERR_INTEGRITY, "'%s' cannot compare '%s' and '%s'", symbol, a,
			       b);
	return true;
}

static bool comparison(struct parser *s, bool *out, struct err *err)
{
	struct value a, b;
	char symbol[4] = "";
	enum op op = OP_VERSION;
	if (!parse_value(s, &a, err) || !parse_op(s, &op, symbol, err) || !parse_value(s, &b, err))
		return false;
	if (a.extra || b.extra) {
		char name[PEP440_TEXT];
		if (wheelname_project(a.text, strlen(a.text), name))
			memcpy(a.text, name, sizeof name);
		if (wheelname_project(b.text, strlen(b.text), name))
			memcpy(b.text, name, sizeof name);
	}
	if (op == OP_VERSION)
		return compare(a.text, symbol, b.text, out, err);
	*out = (strstr(b.text, a.text) != NULL) == (op == OP_IN);
	return true;
}

static bool any_of(struct parser *s, bool *out, struct err *err);

static bool atom(struct parser *s, bool *out, struct err *err)
{
	blanks(s);
	if (*s->p != '(')
		return comparison(s, out, err);
	if (s->depth == MARKER_DEPTH)
		return err_set(err, ERR_INTEGRITY, "more than %d parentheses inside each other",
			       MARKER_DEPTH);
	s->p++;
	s->depth++;
	if (!any_of(s, out, err))
		return false;
	s->depth--;
	blanks(s);
	if (*s->p != ')')
		return err_set(err, ERR_INTEGRITY, "')' is missing at '%.40s'", s->p);
	s->p++;
	return true;
}

/* Every part is parsed, also when the result is known: a broken marker is an error on each
 * platform. */
static bool all_of(struct parser *s, bool *out, struct err *err)
{
	bool next;
	if (!atom(s, out, err))
		return false;
	while (keyword(s, "and")) {
		if (!atom(s, &next, err))
			return false;
		*out = *out && next;
	}
	return true;
}

static bool any_of(struct parser *s, bool *out, struct err *err)
{
	bool next;
	if (!all_of(s, out, err))
		return false;
	while (keyword(s, "or")) {
		if (!all_of(s, &next, err))
			return false;
		*out = *out || next;
	}
	return true;
}

bool marker_holds(const char *marker, const struct marker_env *env, bool *out, struct err *err)
{
	struct parser s = {marker, env, 0};
	bool result = true;
	blanks(&s);
	if (*s.p && !any_of(&s, &result, err))
		return err_prefix(err, "bad marker '%.200s'", marker);
	blanks(&s);
	if (*s.p)
		return err_set(err, ERR_INTEGRITY, "bad marker '%.200s': '%.40s' is too much",
			       marker, s.p);
	*out = result;
	return true;
}
