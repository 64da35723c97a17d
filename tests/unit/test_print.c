/* Sizes, times, columns, and how wide text is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/attr.h"
#include "cli/print.h"
#include "cli/shellsyntax.h"
#include "cli/table.h"
#include "cli/term.h"

static void sizes(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {
		{0, "0 B"},
		{999, "999 B"},
		{1000, "1.00 kB"},
		{1670000000, "1.67 GB"},
		{933000000, "933 MB"},
		{12345, "12.3 kB"},
		{9994, "9.99 kB"},
		{9996, "10.0 kB"},
		{99949, "99.9 kB"},
		{99960, "100 kB"},
		{999499, "999 kB"},
		{999600, "1.00 MB"},
		{UINT64_MAX, "18.4 EB"},
	};
	char out[PRINT_TEXT];
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_string_equal(print_size(cases[i].bytes, out), cases[i].text);
	assert_string_equal(print_time(7, out), "0:07");
	assert_string_equal(print_time(725, out), "12:05");
	assert_string_equal(print_time(3723, out), "1:02:03");
	assert_string_equal(print_time(UINT64_MAX, out), "5124095576030431:00:15");
}

static void widths(void **state)
{
	int used;
	assert_int_equal(term_text_width(""), 0);
	assert_int_equal(term_text_width("abc"), 3);
	assert_int_equal(term_text_width("gr\xc3\xbc\xc3\x9f"), 4);
	assert_int_equal(term_text_width("\xe6\xbc\xa2\xe5\xad\x97"), 4);
	assert_int_equal(term_text_width("e\xcc\x81"), 1);
	assert_int_equal(term_text_width("a\xff"
					 "b"),
			 3);
	assert_int_equal(term_text_width("a\xe6\xbc"), 3);
	/* A wide character is not cut in half. */
	assert_int_equal(term_text_fit("a\xe6\xbc\xa2", 2, &used), 1);
	assert_int_equal(used, 1);
	assert_int_equal(term_text_fit("abc", 0, &used), 0);
	assert_int_equal(term_text_fit("abc", -1, &used), 0);
}

static void table_is(struct table *t, const char *want)
{
	char text[512];
	FILE *f = tmpfile();
	assert_non_null(f);
	table_print(t, f);
	rewind(f);
	text[fread(text, 1, sizeof text - 1, f)] = '\0';
	fclose(f);
	assert_string_equal(text, want);
	table_clear(t);
}

#define ROW(...) ((const char *const[]){__VA_ARGS__})

static void tables(void **state)
{
	struct table t = TABLE_INIT(4);
	table_is(&t, "");
	t.right = 1u << 1;
	table_row(&t, ROW("a", "1", NULL, "x"));
	table_row(&t, ROW("\xe6\xbc\xa2", "100", "", NULL));
	table_row(&t, ROW("b", NULL, NULL, "y\033z"));
	table_is(&t, "a     1  x\n\xe6\xbc\xa2  100\nb        y?z\n");
}

static void json_text(void **state)
{
	static const struct {
		const char *bytes, *text;
	} cases[] = {
		{"plain", "plain"},
		{"\xff", "\xef\xbf\xbd"},
		{"a\xc3\xbc\xff\xe6\xbc\xa2\xe6\xbc",
		 "a\xc3\xbc\xef\xbf\xbd\xe6\xbc\xa2\xef\xbf\xbd\xef\xbf\xbd"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *s = print_json_text(cases[i].bytes);
		assert_string_equal(json_string_value(s), cases[i].text);
		json_decref(s);
	}
	json_t *none = print_json_text(NULL);
	assert_true(json_is_null(none));
}

static void assignment_is(enum shell_syntax s, const char *name, const char *value,
			  const char *want)
{
	char text[512];
	FILE *f = tmpfile();
	assert_non_null(f);
	shell_assign(f, s, name, value);
	rewind(f);
	text[fread(text, 1, sizeof text - 1, f)] = '\0';
	fclose(f);
	assert_string_equal(text, want);
}

static void assignments(void **state)
{
	assignment_is(SHELL_SH, "A", "it's", "export A='it'\\''s'\n");
	assignment_is(SHELL_SH, "A", "", "export A=''\n");
	assignment_is(SHELL_SH, "A", NULL, "unset A\n");
	assignment_is(SHELL_FISH, "A", "it's \\n:x", "set -gx A 'it\\'s \\\\n:x'\n");
	assignment_is(SHELL_FISH, "PATH", "/a b::/c", "set -gx PATH '/a b' '' '/c'\n");
	assignment_is(SHELL_FISH, "A", NULL, "set -e A\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),       cmocka_unit_test(widths),
		cmocka_unit_test(tables),      cmocka_unit_test(json_text),
		cmocka_unit_test(assignments),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
