#include "core/pyspec.h"

#include <ctype.h>
#include <string.h>

#include "base/attr.h"

static void trim(const char **s, const char **end)
{
	while (*s < *end && isspace((unsigned char)**s))
		(*s)++;
	while (*end > *s && isspace((unsigned char)(*end)[-1]))
		(*end)--;
}

static bool parse_op(const char **s, const char *end, enum pyspec_op *out)
{
	/* Longer ones first. */
	static const struct {
		const char text[4];
		enum pyspec_op op;
	} ops[] = {{"===", PYSPEC_SAME}, {"==", PYSPEC_EQ}, {"!=", PYSPEC_NE},
		   {"<=", PYSPEC_LE},	 {">=", PYSPEC_GE}, {"~=", PYSPEC_COMPATIBLE},
		   {"<", PYSPEC_LT},	 {">", PYSPEC_GT}};
	for (size_t i = 0; i < ARRAY_LEN(ops); i++) {
		size_t n = strlen(ops[i].text);
		if ((size_t)(end - *s) < n || memcmp(*s, ops[i].text, n) != 0)
			continue;
		*s += n;
		*out = ops[i].op;
		return true;
	}
	return false;
}

static bool parse_cond(const char *s, const char *end, struct pyspec_cond *out)
{
	struct pyspec_cond c = {0};
	trim(&s, &end);
	if (!parse_op(&s, end, &c.op))
		return false;
	trim(&s, &end);
	c.prefix = end - s > 2 && !memcmp(end - 2, ".*", 2);
	if (!pep440_parse(s, (size_t)(end - s) - (c.prefix ? 2 : 0), &c.v))
		return false;
	bool release_only = !c.v.pre && !c.v.has_post && !c.v.has_dev && !c.v.local[0];
	bool equality = c.op == PYSPEC_EQ || c.op == PYSPEC_NE;
	if (c.prefix && (!equality || !release_only))
		return false;
	if (c.v.local[0] && !equality && c.op != PYSPEC_SAME)
		return false;
	if (c.op == PYSPEC_COMPATIBLE && c.v.n < 2)
		return false;
	*out = c;
	return true;
}

static bool equal(const struct pyspec_cond *c, const struct pep440 *v, int public_order)
{
	if (c->prefix)
		return pep440_starts_with(v, &c->v, c->v.n);
	return c->v.local[0] ? !pep440_compare(v, &c->v) : !public_order;
}

static bool holds(const struct pyspec_cond *c, const struct pep440 *v)
{
	struct pep440 public = *v;
	public.local[0] = '\0';
	int d = pep440_compare(&public, &c->v);
	bool same_release = pep440_starts_with(v, &c->v, PEP440_PARTS);
	switch (c->op) {
	case PYSPEC_EQ:
		return equal(c, v, d);
	case PYSPEC_NE:
		return !equal(c, v, d);
	case PYSPEC_SAME:
		return !pep440_compare(v, &c->v);
	case PYSPEC_LE:
		return d <= 0;
	case PYSPEC_GE:
		return d >= 0;
	case PYSPEC_COMPATIBLE:
		return d >= 0 && pep440_starts_with(v, &c->v, c->v.n - 1);
	case PYSPEC_LT: /* "<1.0" means no 1.0rc1 */
		return d < 0 && !(same_release && pep440_is_pre(v) && !pep440_is_pre(&c->v));
	case PYSPEC_GT: /* ">1.0" means no 1.0.post1 */
		return d > 0 && !(same_release && v->has_post && !c->v.has_post);
	}
	return false;
}

bool pyspec_parse(const char *s, size_t len, struct pyspec *out)
{
	struct pyspec spec = {0};
	const char *end = s + len;
	trim(&s, &end);
	while (s < end) {
		const char *comma = memchr(s, ',', (size_t)(end - s));
		if (spec.n == PYSPEC_CONDS ||
		    !parse_cond(s, comma ? comma : end, &spec.cond[spec.n]))
			return false;
		spec.n++;
		s = comma ? comma + 1 : end;
	}
	*out = spec;
	return true;
}

bool pyspec_holds(const struct pyspec *spec, const struct pep440 *v)
{
	for (int i = 0; i < spec->n; i++)
		if (!holds(&spec->cond[i], v))
			return false;
	return true;
}

bool pyspec_exact(const struct pyspec *spec)
{
	for (int i = 0; i < spec->n; i++)
		if (spec->cond[i].op == PYSPEC_EQ || spec->cond[i].op == PYSPEC_SAME ||
		    spec->cond[i].op == PYSPEC_COMPATIBLE)
			return true;
	return false;
}
