#include "scratch.h"

#include "base/version.h"

static struct version number(const char *s)
{
	struct version v;
	if (!version_parse(s, strlen(s), &v))
		fail_msg("'%s' should be a number", s);
	return v;
}

static bool parse(const char *s, struct spec *out, struct err *err)
{
	return spec_parse(s, strlen(s), "'/p/.cuda-version'", out, err);
}

static void check_number(const char *text, const char *parts)
{
	char out[VERSION_TEXT];
	struct version v = number(text);
	assert_int_equal(v.n, strtol(parts, NULL, 10));
	assert_string_equal(version_format(&v, out, sizeof out), text);
}

static void check_no_number(const char *text)
{
	struct version v = {.n = 77};
	if (version_parse(text, strlen(text), &v) || v.n != 77)
		fail_msg("'%s' is no number", text);
}

static void check_order(const char *a, const char *op, const char *b)
{
	struct version va = number(a), vb = number(b);
	int wanted = *op == '<' ? -1 : 0;
	if (version_compare(&va, &vb) != wanted || version_compare(&vb, &va) != -wanted)
		fail_msg("%s %s %s", a, op, b);
}

static void check_prefix(const char *v, const char *p, const char *yes)
{
	struct version vv = number(v), vp = number(p);
	if (version_has_prefix(&vv, &vp) != !strcmp(yes, "yes"))
		fail_msg("prefix %s %s %s", v, p, yes);
}

static void check_spec(const char *text, const char *kind, const char *normal)
{
	static const char *const kinds[] = {"version",	 "range",  "latest",
					    "supported", "system", "name"};
	struct spec s;
	struct err err;
	if (!parse(text, &s, &err))
		fail_msg("'%s' refused: %s", text, err.msg);
	assert_string_equal(kinds[s.kind], kind);
	assert_string_equal(s.text, normal);
}

static void check_refuse(const char *text)
{
	struct spec s = {.conds = 77};
	struct err err;
	if (parse(text, &s, &err))
		fail_msg("'%s' should be refused", text);
	assert_int_equal(err.code, ERR_USAGE);
	assert_int_equal(s.conds, 77);
	assert_non_null(strstr(err.msg, text));
	assert_non_null(strstr(err.msg, "'/p/.cuda-version'"));
	assert_true(err.hint[0]);
}

static void check_match(const char *text, const char *v, const char *yes)
{
	struct spec s;
	struct err err;
	struct version vv = number(v);
	assert_true(parse(text, &s, &err));
	if (spec_matches(&s, &vv) != !strcmp(yes, "yes"))
		fail_msg("match %s %s %s", text, v, yes);
}

static void check_case(char *line)
{
	char *w[4] = {"", "", "", ""};
	int n = 0;
	for (char *s = line; s && n < 4; n++) {
		w[n] = s;
		s = strchr(s, ' ');
		if (s)
			*s++ = '\0';
	}
	if (!strcmp(w[0], "number"))
		check_number(w[1], w[2]);
	else if (!strcmp(w[0], "nonumber"))
		check_no_number(w[1]);
	else if (!strcmp(w[0], "order"))
		check_order(w[1], w[2], w[3]);
	else if (!strcmp(w[0], "prefix"))
		check_prefix(w[1], w[2], w[3]);
	else if (!strcmp(w[0], "spec"))
		check_spec(w[1], w[2], w[3]);
	else if (!strcmp(w[0], "refuse"))
		check_refuse(w[1]);
	else if (!strcmp(w[0], "match"))
		check_match(w[1], w[2], w[3]);
	else
		fail_msg("unknown case '%s'", w[0]);
}

static void cases(void **state)
{
	char line[256];
	int n = 0;
	autofree char *path = xasprintf("%s/tests/data/version.cases", getenv("SOURCE_ROOT"));
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = '\0';
		if (!line[0] || line[0] == '#')
			continue;
		check_case(line);
		n++;
	}
	fclose(f);
	assert_true(n > 150);
}

/* What a line of text cannot hold. */
static void refused_bytes(void **state)
{
	static const char *const words[] = {"",	    " ",    "12 4",	    "12\t",
					    "12\n", "12\r", "12\0334",	    "\177",
					    "\200", "\377", "a\342\200\256"};
	struct spec s;
	struct err err;
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		assert_false(parse(words[i], &s, &err));
		assert_int_equal(err.code, ERR_USAGE);
	}
	assert_false(spec_parse("12\0", 3, "x", &s, &err));
	assert_true(spec_parse("12.4xx", 4, "x", &s, &err));
	assert_string_equal(s.text, "12.4");
}

static void long_words(void **state)
{
	struct spec s;
	struct err err;
	char word[5000];
	memset(word, '1', sizeof word);
	assert_false(spec_parse(word, sizeof word, "x", &s, &err));
	assert_non_null(strstr(err.msg, "...' in x is not a version: it is too long"));
	memset(word, 'n', sizeof word);
	assert_true(spec_parse(word, VERSION_TEXT - 1, "x", &s, &err));
	assert_int_equal(s.kind, SPEC_NAME);
	assert_int_equal(strlen(s.text), VERSION_TEXT - 1);
	assert_false(spec_parse(word, VERSION_TEXT, "x", &s, &err));
}

static void wanted_spelling(void **state)
{
	struct spec s;
	struct err err;
	assert_false(parse("12.*", &s, &err));
	assert_non_null(strstr(err.msg, "12.x"));
	assert_false(parse("12,<13", &s, &err));
	assert_non_null(strstr(err.hint, "'>=12.2,<13'"));
}

static void format_fits(void **state)
{
	char out[VERSION_TEXT] = "unchanged";
	struct version v = number("999999999.999999999.999999999.999999999");
	assert_int_equal(strlen(version_format(&v, out, sizeof out)), 39);
	assert_string_equal(version_format(&v, out, 39), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cases),       cmocka_unit_test(refused_bytes),
		cmocka_unit_test(long_words),  cmocka_unit_test(wanted_spelling),
		cmocka_unit_test(format_fits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
