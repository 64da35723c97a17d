/* Which cuDNN goes with which toolkit. */
#include "scratch.h"

#include "base/product.h"

static struct layout layout;

static void mkdirs(const char *path)
{
	struct err err;
	assert_true(tree_mkdirs(path, &err));
}

static int enter(void **state)
{
	static const char *const names[] = {"9.3.0-cuda12",  "9.10.2-cuda11", "9.12.0-cuda13",
					    "9.12.0-cuda12", "8.9.7-cuda12",  "7.6.5-cuda10.1",
					    "8.7.0-cuda10",  "current",	      "9.99"};
	if (scratch_enter(state) < 0 || !getcwd(layout.root, sizeof layout.root))
		return -1;
	unsetenv("CUDAENV_CUDNN_VERSION");
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		autofree char *path = xasprintf("cudnn/%s", names[i]);
		mkdirs(path);
	}
	return 0;
}

static void test_names(void **state)
{
	static const struct {
		const char *name;
		bool ok;
	} cases[] = {{"9.3.0-cuda12", true},  {"7.6.5-cuda10.1", true}, {"9.3.0", false},
		     {"-cuda12", false},      {"9.3.0-cuda", false},	{"current", false},
		     {"9.3.0-cuda12x", false}};
	struct product_name n;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(product_name_parse(cases[i].name, &n), cases[i].ok);
}

static void test_selects(void **state)
{
	static const struct {
		const char *pin, *toolkit, *want; /* NULL: not installed */
	} cases[] = {
		{"9.3", "12.4.1", "9.3.0-cuda12"},
		{"9", "12.4.1", "9.12.0-cuda12"},
		{"9", "13.0.2", "9.12.0-cuda13"},
		{"9", "11.8.0", "9.10.2-cuda11"},
		{"latest", "11.8.0", "9.10.2-cuda11"},
		{"<9", "12.1.0", "8.9.7-cuda12"},
		{"9.1", "12.4.1", NULL},
		{"8", "13.0.2", NULL},
		{"7", "10.1.243", "7.6.5-cuda10.1"},
		{"7", "10.2.89", NULL},
		{"8", "10.2.89", "8.7.0-cuda10"},
		{"8.9.7.29", "12.4.1", "8.9.7-cuda12"},
		{"none", "12.4.1", ""},
		{"system", "12.4.1", ""},
		{"", "12.4.1", ""},
		{"8.9.7-cuda12", "12.4.1", "8.9.7-cuda12"},
		{"8.9.7-cuda12", "13.0.2", NULL},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct selection s = {.origin = ORIGIN_FILE, .origin_path = "pin"};
		struct product_selection p;
		struct err err = {0};
		autofree char *text = xasprintf("12\ncudnn=%s\n", cases[i].pin);
		scratch_file("pin", text);
		snprintf(s.name, sizeof s.name, "%s", cases[i].toolkit);
		snprintf(s.prefix, sizeof s.prefix, "/v/%s", cases[i].toolkit);
		bool ok = product_cudnn(&layout, &s, &p, &err);
		assert_int_equal(ok, cases[i].want != NULL);
		if (ok)
			assert_string_equal(p.name, cases[i].want);
		else
			assert_int_equal(err.code, ERR_NOT_INSTALLED);
	}
}

static void test_messages(void **state)
{
	struct selection s = {.name = "11.8.0", .prefix = "/v", .origin_path = "pin"};
	struct product_selection p;
	struct err err = {0};
	scratch_file("pin", "11.8\ncudnn=8.9.7\n");
	assert_false(product_cudnn(&layout, &s, &p, &err));
	assert_non_null(strstr(err.msg, "cudnn '8.9.7' for CUDA 11 is not installed (installed: "));
	assert_non_null(strstr(err.msg, "8.9.7-cuda12"));
	assert_non_null(strstr(err.msg, "set by 'pin'"));
	assert_string_equal(err.hint, "cudaenv cudnn install 8.9.7 --cuda 11");
	assert_string_equal(p.spec, "8.9.7");
}

/* The variable is stronger than the file; `system` has no cuDNN of ours. */
static void test_environment(void **state)
{
	struct selection s = {.name = "12.4.1", .prefix = "/v", .origin_path = "pin"};
	struct product_selection p;
	struct err err;
	scratch_file("pin", "12\ncudnn=9.3\n");
	setenv("CUDAENV_CUDNN_VERSION", "8", 1);
	assert_true(product_cudnn(&layout, &s, &p, &err));
	assert_string_equal(p.name, "8.9.7-cuda12");
	assert_true(p.by_env);
	setenv("CUDAENV_CUDNN_VERSION", "../x", 1);
	assert_false(product_cudnn(&layout, &s, &p, &err));
	assert_int_equal(err.code, ERR_USAGE);
	setenv("CUDAENV_CUDNN_VERSION", "", 1);
	assert_true(product_cudnn(&layout, &s, &p, &err));
	assert_string_equal(p.name, "9.3.0-cuda12");
	s.prefix[0] = '\0';
	assert_true(product_cudnn(&layout, &s, &p, &err));
	assert_string_equal(p.prefix, "");
}

/* Of a linked tree the name tells nothing: its runtime does. */
static void test_linked(void **state)
{
	static const struct {
		const char *library;
		int n;
		unsigned major;
	} cases[] = {{"t/lib64/libcudart.so.12", 1, 12},
		     {"t/lib64/libcudart.so.11.0", 1, 11},
		     {"t/lib/libcudart.so.10.2", 2, 10},
		     {"t/lib/libcudart.so", 0, 0},
		     {"t/lib/libcudart.so.x", 0, 0}};
	struct err err;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct version v;
		assert_true(tree_remove("t", &err));
		mkdirs("t/lib64");
		mkdirs("t/lib");
		scratch_file(cases[i].library, "");
		assert_int_equal(product_cuda_of("t", "mine", &v), cases[i].n > 0);
		assert_int_equal(v.n, cases[i].n);
		if (v.n)
			assert_int_equal(v.part[0], cases[i].major);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test_setup_teardown(test_selects, enter, scratch_leave),
		cmocka_unit_test_setup_teardown(test_messages, enter, scratch_leave),
		cmocka_unit_test_setup_teardown(test_environment, enter, scratch_leave),
		cmocka_unit_test_setup_teardown(test_linked, enter, scratch_leave),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
