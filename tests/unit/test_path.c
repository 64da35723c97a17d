#include "scratch.h"

#include "base/path.h"

static void join(void **state)
{
	static const struct {
		const char *a, *b, *out;
	} cases[] = {
		{"a", "b", "a/b"},
		{"a/", "b", "a/b"},
		{"a///", "b", "a/b"},
		{"/", "b", "/b"},
		{"//", "b", "/b"},
		{"", "b", "b"},
		{"a", "", "a/"},
		{"", "", ""},
		{"a", "/b", "a/b"},
		{"a/", "//b/c", "a/b/c"},
		{"/", "/b", "/b"},
		{"", "/b", "/b"},
		{"/a b", "c d/", "/a b/c d/"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char out[32];
		assert_true(path_join(out, sizeof out, cases[i].a, cases[i].b));
		assert_string_equal(out, cases[i].out);
	}
}

static void join_fits_or_not(void **state)
{
	char out[6] = "old";
	assert_false(path_join(out, sizeof out, "abc", "de"));
	assert_string_equal(out, "old");
	assert_true(path_join(out, sizeof out, "ab", "de"));
	assert_string_equal(out, "ab/de");
	assert_false(path_join(out, 0, "", ""));
	assert_true(path_join(out, 1, "", ""));
	char grow[16] = "a/";
	assert_true(path_join(grow, sizeof grow, grow, "b"));
	assert_true(path_join(grow, sizeof grow, grow, "c"));
	assert_string_equal(grow, "a/b/c");
}

static void base(void **state)
{
	assert_string_equal(path_base("/a/b"), "b");
	assert_string_equal(path_base("b"), "b");
	assert_string_equal(path_base("a/"), "");
	assert_string_equal(path_base(""), "");
	assert_string_equal(path_base("/"), "");
}

static void safe(void **state)
{
	static const struct {
		const char *s;
		bool component, relative;
	} cases[] = {
		{"a", true, true},	  {"a b", true, true},	     {"...", true, true},
		{".x", true, true},	  {"-x", true, true},	     {"..a", true, true},
		{"\303\274", true, true}, {"a\\b", true, true},	     {"", false, false},
		{".", false, false},	  {"..", false, false},	     {"/", false, false},
		{"a/b", false, true},	  {"/a", false, false},	     {"a/", false, false},
		{"a//b", false, false},	  {"a/./b", false, false},   {"a/..", false, false},
		{"../a", false, false},	  {"a/../b", false, false},  {"a/b/.", false, false},
		{"a\nb", false, false},	  {"a/b\033", false, false}, {"\177", false, false},
		{"a/...", false, true},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(path_safe_component(cases[i].s), cases[i].component);
		assert_int_equal(path_safe_relative(cases[i].s), cases[i].relative);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(join),
		cmocka_unit_test(join_fits_or_not),
		cmocka_unit_test(base),
		cmocka_unit_test(safe),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
