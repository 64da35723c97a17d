#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/attr.h"
#include "core/marker.h"
#include "core/requirement.h"

static bool holds(const char *marker, const char *arch, const char *extra)
{
	struct marker_env env = marker_env(arch, extra);
	struct err err;
	bool result = false;
	if (!marker_holds(marker, &env, &result, &err))
		fail_msg("'%s': %s", marker, err.msg);
	return result;
}

static void test_real(void **state)
{
	const char *m =
		"(sys_platform == 'linux' and platform_machine == 'aarch64' or sys_platform == "
		"'linux' and platform_machine == 'x86_64' or sys_platform == 'win32' and "
		"platform_machine == 'AMD64') and extra == 'nvcc'";
	assert_true(holds(m, "x86_64", "nvcc"));
	assert_true(holds(m, "sbsa", "nvcc"));
	assert_false(holds(m, "x86_64", "all"));
	assert_false(holds(m, "ppc64le", "nvcc"));
	m = "(sys_platform == 'linux' and platform_machine == 'aarch64') and extra == 'cudla'";
	assert_true(holds(m, "sbsa", "cudla"));
	assert_false(holds(m, "x86_64", "cudla"));
}

static void test_cases(void **state)
{
	static const struct {
		const char *marker;
		bool want;
	} cases[] = {
		{"", true},
		{"  ", true},
		{"os_name == 'posix'", true},
		{"'posix' == os_name", true},
		{"os_name != \"posix\"", false},
		{"python_version >= '3.8'", true},
		{"python_version < '3.9'", false}, /* as versions, not as text */
		{"python_full_version ~= '3.1'", true},
		{"platform_system == 'Linux' and implementation_name == 'cpython'", true},
		{"sys_platform in 'linux darwin'", true},
		{"sys_platform not in 'linux darwin'", false},
		{"'inux' in sys_platform", true},
		/* 'and' binds closer than 'or' */
		{"os_name == 'x' and os_name == 'x' or os_name == 'posix'", true},
		{"os_name == 'posix' or os_name == 'x' and os_name == 'x'", true},
		{"(os_name == 'posix' or os_name == 'x') and os_name == 'x'", false},
		{"((os_name=='posix'))and(sys_platform=='linux')", true},
		{"extra == 'All_Things'", true}, /* names are compared normalised */
		{"platform_machine > 'a'", true},
		{"platform_release == ''", true},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (holds(cases[i].marker, "x86_64", "all-things") != cases[i].want)
			fail_msg("'%s'", cases[i].marker);
}

static void test_bad(void **state)
{
	static const char *const bad[] = {
		"os_name",
		"os_name ==",
		"== 'x'",
		"os_name == 'x",
		"os_name = 'x'",
		"os_name is 'x'",
		"os_name not 'x'",
		"(os_name == 'x'",
		"os_name == 'x')",
		"os_name == 'x' and",
		"os_name == 'x' xor os_name == 'y'",
		"os_name == 'x' os_name == 'y'",
		"colour == 'red'",
		"os_name ~= 'posix'",
		"os_name ==== 'x'",
		/* an error also where the result is known before it */
		"os_name == 'posix' or colour == 'red'",
		("((((((((((((((((((((((((((((((((((os_name == "
		 "'x'))))))))))))))))))))))))))))))))))"),
	};
	struct marker_env env = marker_env("x86_64", "");
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct err err = {0};
		bool result;
		if (marker_holds(bad[i], &env, &result, &err))
			fail_msg("'%s' is accepted", bad[i]);
		assert_int_equal(err.code, ERR_INTEGRITY);
		assert_non_null(strstr(err.msg, "bad marker"));
	}
}

static void test_requirement(void **state)
{
	static const struct {
		const char *line, *name, *marker, *yes, *no;
	} cases[] = {
		{"nvidia-cublas==13.1.0.3.*; (sys_platform == 'linux') and extra == 'all'",
		 "nvidia-cublas", "(sys_platform == 'linux') and extra == 'all'", "13.1.0.3",
		 "13.1.0.4"},
		{"nvidia-nvjitlink<14,>=13.5.37; extra == 'x'", "nvidia-nvjitlink", "extra == 'x'",
		 "13.5.37", "14"},
		{"Nvidia_Nvjitlink (>=13.5.37,<14)", "nvidia-nvjitlink", "", "13.6", "14"},
		{" foo [bar, baz] >= 2 ; os_name == 'a;b' ", "foo", "os_name == 'a;b' ", "2", "1"},
		{"foo", "foo", "", "1", NULL},
		{"foo;extra=='a'", "foo", "extra=='a'", "1", NULL},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct requirement r;
		struct pep440 v;
		struct err err;
		assert_true(requirement_parse(cases[i].line, strlen(cases[i].line), &r, &err));
		assert_string_equal(r.name, cases[i].name);
		assert_string_equal(r.marker, cases[i].marker);
		assert_true(pep440_parse(cases[i].yes, strlen(cases[i].yes), &v));
		assert_true(pyspec_holds(&r.spec, &v));
		if (!cases[i].no)
			continue;
		assert_true(pep440_parse(cases[i].no, strlen(cases[i].no), &v));
		assert_false(pyspec_holds(&r.spec, &v));
	}
}

static void test_bad_requirement(void **state)
{
	static const char *const bad[] = {"",
					  "==1",
					  "foo @ https://h/x.whl",
					  "foo[bar",
					  "foo (>=1",
					  "foo >=x",
					  "foo bar",
					  "foo ()>=1",
					  "../foo==1",
					  "foo[bar]@https://h/x.whl"};
	struct requirement r;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct err err = {0};
		if (requirement_parse(bad[i], strlen(bad[i]), &r, &err))
			fail_msg("'%s' is accepted", bad[i]);
		assert_int_equal(err.code, ERR_INTEGRITY);
	}
	char line[REQUIREMENT_MAX + 1];
	struct err err;
	memset(line, 'a', sizeof line);
	assert_false(requirement_parse(line, sizeof line, &r, &err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_real),
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_requirement),
		cmocka_unit_test(test_bad_requirement),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
