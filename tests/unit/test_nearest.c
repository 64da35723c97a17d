#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/attr.h"
#include "base/nearest.h"

static const char *const words[] = {"install", "uninstall", "list-remote", "local", "env",
				    "exec",    "which",	    "whence",	   NULL};

static void test_cases(void **state)
{
	static const struct {
		const char *word, *want;
	} cases[] = {
		{"instal", "install"},
		{"isntall", "install"},
		{"unistall", "uninstall"},
		{"list_remote", "list-remote"},
		{"loacl", "local"},
		{"whihc", "which"},
		{"nev", "env"},
		{"env", "env"},
		{"banana", NULL},
		{"", NULL},
		{"x", NULL},
		{"in", NULL},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *got = nearest(cases[i].word, words);
		if (cases[i].want)
			assert_string_equal(got, cases[i].want);
		else
			assert_null(got);
	}
}

static void test_long_word(void **state)
{
	char word[4096];
	memset(word, 'a', sizeof word - 1);
	word[sizeof word - 1] = '\0';
	assert_null(nearest(word, words));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_long_word),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
