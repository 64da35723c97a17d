/* The option parser, and what the tables print. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/opts.h"

static const struct opt options[] = {
	{'j', "jobs", "N", "so many at once"},
	{'f', "force", NULL, "even so"},
	{'v', "verify", NULL, "takes the letter of a global one"},
	{0, "from", "PATH", "local"},
	{0},
};

#define WORDS(...) ((char *[]){__VA_ARGS__, NULL})

static void values(void **state)
{
	static const struct {
		char *words[5];
		const char *jobs;
		int operands;
	} cases[] = {
		{{"-j4", "x"}, "4", 1},
		{{"-j", "4", "x"}, "4", 1},
		{{"--jobs=4"}, "4", 0},
		{{"--jobs", "4"}, "4", 0},
		{{"x", "-fj4", "y"}, "4", 2},
		{{"-j1", "--jobs=4"}, "4", 0},
		{{"--jobs=a=b"}, "a=b", 0},
		{{"-j", "-4"}, "-4", 0},
		{{"-", "--", "-j4", "--jobs"}, NULL, 3},
		{{"--", "--"}, NULL, 1},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		autoargs struct args a = {0};
		struct globals g = {0};
		struct err err = {0};
		assert_true(opts_parse(cases[i].words, options, false, &a, &g, &err));
		assert_int_equal(a.n, cases[i].operands);
		assert_null(a.pos[a.n]);
		if (cases[i].jobs)
			assert_string_equal(opt_value(&a, "jobs"), cases[i].jobs);
		else
			assert_null(opt_value(&a, "jobs"));
	}
}

static void switches(void **state)
{
	autoargs struct args a = {0};
	struct globals g = {0};
	struct err err = {0};
	assert_true(opts_parse(WORDS("x", "-qf", "--json", "-v"), options, false, &a, &g, &err));
	assert_true(opt_flag(&a, "force"));
	assert_null(opt_value(&a, "from"));
	assert_true(g.quiet && g.json && !g.help);
	/* The command's own -v, not the global one. */
	assert_true(opt_flag(&a, "verify") && !g.verbose);
}

static void stops_at_the_first_operand(void **state)
{
	autoargs struct args a = {0};
	struct globals g = {0};
	struct err err = {0};
	assert_true(opts_parse(WORDS("-q", "exec", "-q", "--nonsense", "--"), NULL, true, &a, &g,
			       &err));
	assert_int_equal(a.n, 4);
	assert_string_equal(a.pos[3], "--");
}

static void refused(void **state)
{
	static const struct {
		char *words[3];
		const char *msg, *hint;
	} cases[] = {
		{{"--jbos=4"}, "unknown option '--jbos'", "did you mean '--jobs'?"},
		{{"--quite"}, "unknown option '--quite'", "did you mean '--quiet'?"},
		{{"--zzz"}, "unknown option '--zzz'", ""},
		{{"-x"}, "unknown option '-x'", ""},
		{{"-fx"}, "unknown option '-x'", ""},
		{{"--force=1"}, "option '--force' takes no value", ""},
		{{"--jobs"}, "option '--jobs' needs a value (N)", ""},
		{{"--jobs="}, "option '--jobs' needs a value (N)", ""},
		{{"--jobs", ""}, "option '--jobs' needs a value (N)", ""},
		{{"-j"}, "option '--jobs' needs a value (N)", ""},
		{{"--="}, "unknown option '--'", ""},
		{{"--\033[2J"}, "unknown option '--?[2J'", ""},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct args a = {0};
		struct globals g = {0};
		struct err err = {0};
		assert_false(opts_parse(cases[i].words, options, false, &a, &g, &err));
		assert_int_equal(err.code, ERR_USAGE);
		assert_string_equal(err.msg, cases[i].msg);
		assert_string_equal(err.hint, cases[i].hint);
		assert_null(a.pos);
	}
}

/* A wrong entry in the table of commands would otherwise show only when somebody uses it. */
static void table_of_commands(void **state)
{
	for (const struct command *const *c = commands; *c; c++) {
		assert_non_null((*c)->args);
		assert_non_null((*c)->summary);
		assert_non_null((*c)->run);
		assert_true((*c)->max_args < 0 || (*c)->min_args <= (*c)->max_args);
		assert_ptr_equal(command_find((*c)->name), *c);
		for (const struct command *const *d = commands; d < c; d++)
			assert_string_not_equal((*c)->name, (*d)->name);
		size_t n = 0;
		for (const struct opt *o = (*c)->options; o && o->name; o++)
			n++;
		assert_true(n <= ARRAY_LEN(((struct args *)0)->values));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(switches),
		cmocka_unit_test(stops_at_the_first_operand),
		cmocka_unit_test(refused),
		cmocka_unit_test(table_of_commands),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
