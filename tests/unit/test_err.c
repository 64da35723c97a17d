#include "scratch.h"

static void words(void **state)
{
	struct err e;
	assert_false(err_set(&e, ERR_USAGE, "no '%s' here", "x"));
	assert_int_equal(e.code, ERR_USAGE);
	assert_int_equal(e.sys, 0);
	assert_string_equal(e.msg, "no 'x' here");
	assert_string_equal(e.hint, "");

	assert_false(err_prefix(&e, "cannot install %s", "12.4"));
	assert_string_equal(e.msg, "cannot install 12.4: no 'x' here");
	assert_int_equal(e.code, ERR_USAGE);

	assert_false(err_hint(&e, "do %d", 1));
	assert_false(err_hint(&e, "do %d", 2));
	assert_string_equal(e.hint, "do 1");
}

static void takes_errno_first(void **state)
{
	struct err e;
	errno = ENOSPC;
	assert_false(err_sys(&e, ERR_FILESYSTEM, "cannot write '%s'", "f"));
	assert_int_equal(e.sys, ENOSPC);
	assert_string_equal(e.msg, "cannot write 'f': No space left on device");
}

static void arguments_may_be_its_own_text(void **state)
{
	struct err e;
	err_set(&e, ERR_FAILED, "one");
	err_set(&e, ERR_NETWORK, "two after %s", e.msg);
	assert_string_equal(e.msg, "two after one");
	err_prefix(&e, "[%s]", e.msg);
	assert_string_equal(e.msg, "[two after one]: two after one");
	errno = EIO;
	err_sys(&e, ERR_FAILED, "x%.0s<%.3s>", e.hint, e.msg);
	assert_string_equal(e.msg, "x<[tw>: Input/output error");
}

static void the_cause_outlives_a_long_name(void **state)
{
	struct err e;
	char name[3000];
	memset(name, 'n', sizeof name - 1);
	name[sizeof name - 1] = '\0';

	errno = EACCES;
	err_sys(&e, ERR_FILESYSTEM, "cannot open '%s'", name);
	assert_non_null(strstr(e.msg, "cannot open 'nnn"));
	assert_non_null(strstr(e.msg, "...: Permission denied"));
	assert_int_equal(strlen(e.msg), sizeof e.msg - 1);

	err_set(&e, ERR_FAILED, "short");
	err_prefix(&e, "%s", name);
	assert_string_equal(e.msg + strlen(e.msg) - 10, "...: short");

	err_set(&e, ERR_FAILED, "%s", name);
	err_prefix(&e, "short");
	assert_memory_equal(e.msg, "short: nnn", 10);
	assert_int_equal(strlen(e.msg), sizeof e.msg - 1);

	err_set(&e, ERR_FAILED, "%s", name);
	err_prefix(&e, "%s", name);
	assert_non_null(strstr(e.msg, "...: nnn"));
	assert_true(strlen(e.msg) < sizeof e.msg);
}

static void sanitize(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{"", ""},
		{"plain text ~", "plain text ~"},
		{"a\033[31mb\r\n\tc\177", "a?[31mb???c?"},
		{"gr\303\274n \342\202\254 \360\237\230\200",
		 "gr\303\274n \342\202\254 \360\237\230\200"},
		{"csi \302\23331m", "csi ?31m"}, /* U+009B */
		{"raw \2331m", "raw ?1m"},	 /* not UTF-8 */
		{"cut \342\202", "cut ??"},	 /* ends inside a sequence */
		{"cut \342x", "cut ?x"},	 /* the next character is kept */
		{"\300\257", "??"},		 /* '/' in two bytes */
		{"\355\240\200", "???"},	 /* surrogate */
		{"\364\220\200\200", "????"},	 /* above U+10FFFF */
		{"\377\376", "??"},
		{"abc\342\200\256fed", "abc?fed"},	  /* right-to-left override */
		{"a\342\201\246b\342\200\250c", "a?b?c"}, /* isolate, line separator */
		{"\342\200\224", "\342\200\224"},	  /* a dash */
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char s[64];
		snprintf(s, sizeof s, "%s", cases[i].in);
		err_sanitize(s);
		assert_string_equal(s, cases[i].out);
	}
	struct err e;
	err_set(&e, ERR_FAILED, "name '%s'", "x\033]0;y\007");
	assert_string_equal(e.msg, "name 'x?]0;y?'");
	err_hint(&e, "%s", "\n");
	assert_string_equal(e.hint, "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),
		cmocka_unit_test(takes_errno_first),
		cmocka_unit_test(arguments_may_be_its_own_text),
		cmocka_unit_test(the_cause_outlives_a_long_name),
		cmocka_unit_test(sanitize),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
