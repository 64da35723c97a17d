#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/attr.h"
#include "core/wheelname.h"

static void test_names(void **state)
{
	static const struct {
		const char *file, *project, *version;
		int x86_glibc, arm_glibc; /* -1: does not fit */
		unsigned build;
	} cases[] = {
		{"nvidia_cuda_nvcc-13.0.88-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
		 "nvidia-cuda-nvcc", "13.0.88", 17, -1, 0},
		{"nvidia_nvvm-13.0.88-py3-none-manylinux2010_x86_64.manylinux_2_12_x86_64.whl",
		 "nvidia-nvvm", "13.0.88", 12, -1, 0},
		{"nvidia_nvvm-13.0.88-py3-none-manylinux2014_aarch64.manylinux_2_17_aarch64.whl",
		 "nvidia-nvvm", "13.0.88", -1, 17, 0},
		{"cuda_toolkit-13.4.1.0-py2.py3-none-any.whl", "cuda-toolkit", "13.4.1.0", 0, 0, 0},
		{"Nvidia.CUDA__x-13.4.46rc1-2b-py3-none-manylinux_2_28_x86_64.whl", "nvidia-cuda-x",
		 "13.4.46rc1", 28, -1, 2},
		{"a-1-py3-none-linux_aarch64.whl", "a", "1", -1, 0, 0},
		{"a-1-py3-none-win_amd64.whl", "a", "1", -1, -1, 0},
		{"a-1-py3-none-macosx_11_0_arm64.whl", "a", "1", -1, -1, 0},
		{"a-1-py3-none-musllinux_1_2_x86_64.whl", "a", "1", -1, -1, 0},
		{"a-1-cp312-cp312-manylinux_2_17_x86_64.whl", "a", "1", -1, -1, 0},
		{"a-1-py2-none-any.whl", "a", "1", -1, -1, 0},
		{"a-1-py3-none-manylinux_2_x86_64.whl", "a", "1", -1, -1, 0},
		{"a-1-py3-none-manylinux_2_17_x86_64_v3.whl", "a", "1", -1, -1, 0},
		{"a-1-py3-none-manylinux_2_.whl", "a", "1", -1, -1, 0},
		{"a-1-py3-none-manylinux_2_17.whl", "a", "1", -1, -1, 0},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct wheelname w;
		bool x86, arm;
		assert_true(wheelname_parse(cases[i].file, "x86_64", &w, &x86));
		assert_string_equal(w.project, cases[i].project);
		assert_string_equal(w.version, cases[i].version);
		assert_int_equal(w.build, cases[i].build);
		assert_int_equal(x86 ? w.glibc : -1, cases[i].x86_glibc);
		assert_true(wheelname_parse(cases[i].file, "sbsa", &w, &arm));
		assert_int_equal(arm ? w.glibc : -1, cases[i].arm_glibc);
	}
}

static void test_refused(void **state)
{
	static const char *const bad[] = {
		"",
		".whl",
		"a.whl",
		"a-1.whl",
		"a-1-py3-none.whl",
		"a-1-py3-none-any.zip",
		"a-1-b-py3-none-any.whl",
		"a-1-2-3-py3-none-any.whl",
		"a--py3-none-any.whl",
		"a-x-py3-none-any.whl",
		"../a-1-py3-none-any.whl",
		".a-1-py3-none-any.whl",
		"a/b-1-py3-none-any.whl",
		"a b-1-py3-none-any.whl",
		"a-1\n-py3-none-any.whl",
		"cuda-toolkit-0.0.0a0.tar.gz",
	};
	struct wheelname w;
	bool fits;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		if (wheelname_parse(bad[i], "x86_64", &w, &fits))
			fail_msg("'%s' is accepted", bad[i]);
	char file[400];
	memset(file, 'a', sizeof file);
	memcpy(file + sizeof file - 22, "-1-py3-none-any.whl\0\0", 22);
	assert_false(wheelname_parse(file, "x86_64", &w, &fits));
}

static void test_project(void **state)
{
	char out[PEP440_TEXT];
	assert_true(wheelname_project("NVIDIA__Cuda.-NVCC", 18, out));
	assert_string_equal(out, "nvidia-cuda-nvcc");
	assert_true(wheelname_project("a-", 2, out));
	assert_string_equal(out, "a");
	assert_false(wheelname_project("", 0, out));
	assert_false(wheelname_project("--", 2, out));
	assert_false(wheelname_project("a/b", 3, out));
	assert_false(wheelname_project("a\0b", 3, out));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_project),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
