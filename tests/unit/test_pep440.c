#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/attr.h"
#include "core/pep440.h"
#include "core/pyspec.h"

static struct pep440 ver(const char *s)
{
	struct pep440 v;
	if (!pep440_parse(s, strlen(s), &v))
		fail_msg("'%s' is refused", s);
	return v;
}

/* Each is smaller than all that follow. */
static void test_order(void **state)
{
	static const char *const sorted[] = {
		"0.0.0a0",	 "1.dev0",
		"1.0.dev456",	 "1.0a1",
		"1.0a2.dev456",	 "1.0a12.dev4",
		"1.0a12",	 "1.0b1.dev4",
		"1.0b2",	 "1.0b2.post345.dev456",
		"1.0b2.post345", "1.0rc1.dev4",
		"1.0rc1",	 "1.0",
		"1.0+abc.5",	 "1.0+abc.7",
		"1.0+5",	 "1.0.post4.dev3",
		"1.0.post456",	 "1.0.15",
		"1.1.dev1",	 "1.2",
		"1.9",		 "1.11",
		"13.4.46rc1",	 "13.4.46",
		"13.4.59",	 "13.4.59.1",
		"13.5.37",	 "1!0.1",
	};
	for (size_t i = 0; i < ARRAY_LEN(sorted); i++)
		for (size_t k = 0; k < ARRAY_LEN(sorted); k++) {
			struct pep440 a = ver(sorted[i]), b = ver(sorted[k]);
			int d = pep440_compare(&a, &b), want = (i > k) - (i < k);
			if ((d > 0) - (d < 0) != want)
				fail_msg("'%s' against '%s': %d", sorted[i], sorted[k], d);
		}
}

static void test_equal_spellings(void **state)
{
	static const char *const pairs[][2] = {
		{"1.0", "1"},
		{"1.0.0", "v1"},
		{"13.4.1.0", "13.4.1"},
		{"1.0alpha1", "1.0a1"},
		{"1.0-beta_2", "1.0b2"},
		{"1.0.c1", "1.0rc1"},
		{"1.0pre1", "1.0RC1"},
		{"1.0preview1", "1.0rc1"},
		{"1.0-1", "1.0.post1"},
		{"1.0rev1", "1.0.post1"},
		{"1.0post", "1.0.post0"},
		{"1.0dev", "1.0.dev0"},
		{"1.0+a_b-1", "1.0+A.b.1"},
		{" 1.0 ", "1.0"},
		{"1.0+01", "1.0+1"},
		{"0!1.0", "1.0"},
	};
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
		struct pep440 a = ver(pairs[i][0]), b = ver(pairs[i][1]);
		if (pep440_compare(&a, &b) != 0)
			fail_msg("'%s' is not '%s'", pairs[i][0], pairs[i][1]);
	}
}

static void test_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"x",
		"1.",
		"1..0",
		".1",
		"1.0+",
		"1.0+a..b",
		"1.0+a.",
		"1.0a1b2",
		"1.0 1",
		"1-",
		"!1",
		"1!",
		"1.0*",
		"1.*",
		"1.2.3.4.5.6.7.8.9",
		"1234567890123456789",
		"1.0a1234567890123456789",
		"1.0+aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	};
	struct pep440 v;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		if (pep440_parse(bad[i], strlen(bad[i]), &v))
			fail_msg("'%s' is accepted", bad[i]);
	assert_false(pep440_parse("1.0\0x", 5, &v));
	assert_true(pep440_parse("1.0rc", 3, &v)); /* the length counts */
	assert_false(pep440_is_pre(&v));
}

static void test_pre(void **state)
{
	static const struct {
		const char *text;
		bool pre;
	} cases[] = {{"13.4.46rc1", true},   {"0.0.0a0", true},	 {"1.dev1", true},
		     {"1.post1.dev1", true}, {"1.post1", false}, {"1+cu130", false}};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct pep440 v = ver(cases[i].text);
		assert_int_equal(pep440_is_pre(&v), cases[i].pre);
	}
}

static void test_conditions(void **state)
{
	static const struct {
		const char *spec, *yes, *no; /* words with a blank between */
	} cases[] = {
		{"==13.5.37.*", "13.5.37 13.5.37.0 13.5.37.1 13.5.37.post1 13.5.37rc1",
		 "13.5.370 13.5.3 13.5.38"},
		{"<14,>=13.5.37", "13.5.37 13.6 13.99.1", "14 14.0rc1 13.5.36 13.5.37rc1"},
		{" >= 13.5.37 , < 14 ", "13.5.37", "14"},
		{"==1.0", "1 1.0.0 1.0+local", "1.0.1 1.0rc1 1.0.post1"},
		{"==1.0+a", "1.0+a", "1.0 1.0+b"},
		{"!=1.5.*", "1.6 1.4.9", "1.5 1.5.9"},
		{"!=1.5", "1.5.1", "1.5 1.5.0"},
		{"<=1.5", "1.5 1.5+x 1.4", "1.5.1 1.5.post1"},
		{">1.7", "1.7.1 1.8", "1.7 1.7.0.post1 1.7+x"},
		{">1.7.post2", "1.7.post3 1.8", "1.7 1.7.post2"},
		{"<1.7", "1.6.9", "1.7 1.7rc1 1.7.dev1"},
		{"<1.7rc2", "1.7rc1 1.6", "1.7rc2 1.7"},
		{"~=2.2", "2.2 2.3 2.99.1", "2.1 3.0"},
		{"~=2.2.0", "2.2.0 2.2.5", "2.3"},
		{"~=2.2.post3", "2.2.post3 2.3", "2.2 3"},
		{"===1.0", "1.0", "1.0+x 1.1"},
		{"==1!1.0", "1!1.0", "1.0"},
		{"", "1 2", ""},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct pyspec spec;
		assert_true(pyspec_parse(cases[i].spec, strlen(cases[i].spec), &spec));
		for (int yes = 0; yes < 2; yes++) {
			const char *p = yes ? cases[i].yes : cases[i].no;
			while (*p) {
				size_t n = strcspn(p, " ");
				struct pep440 v;
				assert_true(pep440_parse(p, n, &v));
				if (pyspec_holds(&spec, &v) != yes)
					fail_msg("'%s' with '%.*s'", cases[i].spec, (int)n, p);
				p += n + (p[n] == ' ');
			}
		}
	}
}

static void test_bad_conditions(void **state)
{
	static const char *const bad[] = {"1.0",       "=1.0",	    "==",	"==1.0 ,x",
					  ">=1.*",     "==1.0a1.*", "~=1",	">=1.0+x",
					  "==1.0 1.1", "<>1",	    ",==1",	"==1,,==2",
					  "==.*",      "==*",	    "==1.0.*.*"};
	struct pyspec spec;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		if (pyspec_parse(bad[i], strlen(bad[i]), &spec))
			fail_msg("'%s' is accepted", bad[i]);
	char many[PYSPEC_CONDS * 4 + 8] = "";
	for (int i = 0; i <= PYSPEC_CONDS; i++)
		memcpy(many + strlen(many), i ? ",>1" : ">1", i ? 4 : 3);
	assert_false(pyspec_parse(many, strlen(many), &spec));
	assert_true(pyspec_parse(many + 3, strlen(many + 3), &spec));
}

static void test_exact(void **state)
{
	struct pyspec spec;
	assert_true(pyspec_parse("==1.*", 5, &spec) && pyspec_exact(&spec));
	assert_true(pyspec_parse("~=1.2", 5, &spec) && pyspec_exact(&spec));
	assert_true(pyspec_parse("<14,>=13", 8, &spec) && !pyspec_exact(&spec));
	assert_true(pyspec_parse("", 0, &spec) && !pyspec_exact(&spec));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),	   cmocka_unit_test(test_equal_spellings),
		cmocka_unit_test(test_refused),	   cmocka_unit_test(test_pre),
		cmocka_unit_test(test_conditions), cmocka_unit_test(test_bad_conditions),
		cmocka_unit_test(test_exact),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
