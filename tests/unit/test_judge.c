#include "scratch.h"

#include "core/judge.h"

static struct verdict judged(const char *errs, int status)
{
	struct proc_result r = {
		.status = status, .out = BUF_INIT(1 << 16), .err = BUF_INIT(1 << 16)};
	struct verdict v = {.hint = "old", .detail = "old"};
	buf_adds(&r.err, errs);
	judge_compile(&r, &v);
	proc_result_clear(&r);
	return v;
}

/* What nvcc, gcc and ld really say, shortened. */
static void test_causes(void **state)
{
	static const struct {
		const char *output, *word, *detail;
	} cases[] = {
		{"In file included from x.h:82,\n                 from <command-line>:\n"
		 "/p/crt/host_config.h:137:2: error: #error -- unsupported GNU version! gcc "
		 "versions later than "
		 "15 are not supported!\n",
		 "host-compiler-refused", "unsupported GNU version"},
		{"host_config.h:151:2: error: #error -- unsupported clang version! clang version "
		 "must be\n",
		 "host-compiler-refused", "unsupported clang"},
		{"gcc: No such file or directory\nnvcc fatal   : Failed to preprocess host "
		 "compiler "
		 "properties.\n",
		 "host-compiler-refused", "Failed to preprocess"},
		{"sh: 1: g++: not found\n", "host-compiler-refused", "g++: not found"},
		{"gcc: fatal error: cannot execute 'cc1plus': execvp: No such file or directory\n",
		 "host-compiler-refused", "cc1plus"},
		{"/usr/include/x86_64-linux-gnu/bits/mathcalls.h(79): error: exception "
		 "specification is "
		 "incompatible with that of previous function \"cospi\" (declared at line 2601 of "
		 "x.h)\n",
		 "libc-headers", "cospi"},
		{"math.h(206): error: exception specification is incompatible with that of "
		 "previous function "
		 "\"rsqrt\"\n",
		 "libc-headers", "rsqrt"},
		{"sh: 1: /p/bin/../nvvm/bin/cicc: not found\n", "tree-incomplete", "cicc"},
		{"sh: 1: ptxas: not found\n", "tree-incomplete", "ptxas"},
		{"error: /p/nvvm/libdevice/libdevice.10.bc: No such file or directory\n",
		 "tree-incomplete", "libdevice"},
		{"/usr/bin/ld: cannot find -lcudart_static: No such file or directory\ncollect2: "
		 "error\n",
		 "tree-incomplete", "-lcudart_static"},
		{"/p/include/cuda_runtime.h:82:10: fatal error: crt/host_config.h: No such file or "
		 "directory\n",
		 "tree-incomplete", "crt/host_config.h"},
		{"/p/include/cuda_fp16.h:127:10: fatal error: nv/target: No such file or "
		 "directory\n",
		 "tree-incomplete", "nv/target"},
		{"<command-line>: fatal error: cuda_runtime.h: No such file or directory\n",
		 "tree-incomplete", "cuda_runtime.h"},
		{"hello.cu:13:10: fatal error: stdio.h: No such file or directory\n",
		 "compile-failed", "stdio.h"},
		{"note: something\nhello.cu(5): error: identifier \"x\" is undefined\n",
		 "compile-failed", "hello.cu(5): error: identifier"},
		{"a strange line\nand more\n", "compile-failed", "a strange line"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct verdict v = judged(cases[i].output, 1);
		assert_string_equal(v.word, cases[i].word);
		if (!strstr(v.detail, cases[i].detail))
			fail_msg("'%s' is not in '%s'", cases[i].detail, v.detail);
		assert_null(strchr(v.detail, '\n'));
		assert_string_not_equal(v.hint, "old");
	}
}

/* The remedy is another toolkit, and the C library is named with its version. */
static void test_libc(void **state)
{
	struct verdict v =
		judged("m.h(1): error: exception specification is incompatible with that of "
		       "previous function \"cospi\"\n",
		       1);
	assert_non_null(strstr(v.detail, "(glibc 2."));
	assert_non_null(strstr(v.hint, "CUDA 13.0 or newer"));
	v = judged("std_function.h:435:145: error: parameter packs not expanded with '...':\n", 1);
	assert_string_equal(v.word, "host-compiler-refused");
	assert_non_null(strstr(v.hint, "g++-10"));
}

static void test_silent(void **state)
{
	struct verdict v = judged("", 3);
	assert_string_equal(v.word, "compile-failed");
	assert_string_equal(v.detail, "nvcc: exit status 3");
	struct proc_result r = {.timed_out = true, .status = -1};
	judge_compile(&r, &v);
	assert_string_equal(v.word, "timeout");
}

/* What stands in a record must be UTF-8, and must not change a terminal. */
static void test_line(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{"  plain", "plain"},
		{"a\033[31mb\tc", "a?[31mb?c"},
		{"\303\244\342\202\254", "\303\244\342\202\254"},
		{"\303", "?"},
		{"\300\200x", "??x"},
		{"\355\240\200", "???"},
		{"\364\220\200\200", "????"},
		{"\377\376", "??"},
	};
	char out[64];
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		judge_line(cases[i].in, strlen(cases[i].in), out, sizeof out);
		assert_string_equal(out, cases[i].out);
	}
	/* Cut at a whole character. */
	judge_line("ab\342\202\254", 5, out, 5);
	assert_string_equal(out, "ab");
}

static void test_replace(void **state)
{
	char text[16] = "/s/x and /s/x";
	judge_replace(text, sizeof text, "/s/x", "/f");
	assert_string_equal(text, "/f and /f");
	judge_replace(text, sizeof text, "/f", "/longer");
	assert_string_equal(text, "/longer and ");
	judge_replace(text, sizeof text, "", "x");
	assert_string_equal(text, "/longer and ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_causes),	cmocka_unit_test(test_libc),
		cmocka_unit_test(test_silent),	cmocka_unit_test(test_line),
		cmocka_unit_test(test_replace),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
