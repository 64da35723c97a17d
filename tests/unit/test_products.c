/* The table of products, what is known of their releases, and what a tree says of itself. */
#include "scratch.h"

#include "core/product_source.h"
#include "core/product_tree.h"
#include "core/products.h"

static const struct product *cudnn(void)
{
	const struct product *p;
	struct err err;
	assert_true(product_by_name("cudnn", &p, &err));
	return p;
}

static void test_names(void **state)
{
	const struct product *p;
	struct err err = {0};
	assert_false(product_by_name("cudn", &p, &err));
	assert_string_equal(err.hint, "did you mean 'cudnn'?");
	assert_false(product_by_name("", &p, &err));
	for (p = products; p->name; p++)
		assert_true(p->component || p->wheel);
}

static void spec_of(const char *s, struct spec *spec)
{
	struct err err;
	assert_true(spec_parse(s, strlen(s), "x", spec, &err));
}

/* Of the real table: each pair that frameworks use is right, and others are refused. */
static void test_pairs(void **state)
{
	static const struct {
		const char *cudnn, *cuda;
		bool ok;
		const char *hint;
	} cases[] = {
		{"8.9.2", "12.1.0", true, NULL},
		{"8.9.2.26", "12.1.0", true, NULL},
		{"8.7", "11.8.0", true, NULL},
		{"9.1.0", "12.4.1", true, NULL},
		{"9.10.2", "11.8.0", true, NULL},
		{"9.12", "13.0.2", true, NULL},
		{"8.1.1", "11.8.0", true, NULL}, /* its package says 11.2 and serves all of 11 */
		{"7.6.5", "10.1.243", true, NULL},
		{"9", "11.8.0", true, NULL},
		{"99", "11.8.0", true, NULL}, /* not known: may be */
		{"9.12", "11.8.0", false, "the newest one for CUDA 11 is 9.10.2"},
		{"8.9.2", "13.0.2", false, "the newest one for CUDA 13 is "},
		{"8.7", "12.1.0", false, "the newest one for CUDA 12 is "},
		{"8.9.2", "10.2.89", false, "the newest one for CUDA 10.2 is 8.7.0"},
		{"7.6.5", "9.1.85", false, "there is none for CUDA 9.1"},
	};
	autoproducts struct product_catalog c = {0};
	struct err err;
	autofree char *path = xasprintf("%s/share/products.tsv", getenv("SOURCE_ROOT"));
	assert_true(product_catalog_load(&c, cudnn(), path, &err));
	assert_true(c.n > 80);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct version v;
		struct spec spec;
		err = (struct err){0};
		spec_of(cases[i].cudnn, &spec);
		assert_true(version_parse(cases[i].cuda, strlen(cases[i].cuda), &v));
		assert_int_equal(product_check_pair(&c, cudnn(), &spec, &v, &err), cases[i].ok);
		if (!cases[i].ok) {
			assert_int_equal(err.code, ERR_NO_VERSION);
			assert_memory_equal(err.hint, cases[i].hint, strlen(cases[i].hint));
		}
	}
}

static void test_bad_tables(void **state)
{
	static const char *const texts[] = {
		"cudnn\t9.3.0\t9.3.0.75\t12\tredist\n", /* a column is missing */
		"cudnn\tnine\t-\t12\tredist\t-\n",
		"cudnn\t9.3.0\t-\t12\tredist\t-\tmore\n",
		"cudnn\n",
	};
	struct product_catalog c;
	struct err err;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		assert_false(
			product_catalog_parse(&c, cudnn(), "t", texts[i], strlen(texts[i]), &err));
	const char good[] =
		"# x\n\nnccl\t1\t-\t-\t-\t-\ncudnn\t8.0.0\t-\t-\t-\t-\ncudnn\t9\t-\t-\t-\t-";
	assert_true(product_catalog_parse(&c, cudnn(), "t", good, sizeof good - 1, &err));
	assert_int_equal(c.n, 2);
	assert_string_equal(c.releases[0].label, "9");
	product_catalog_clear(&c);
}

static void test_labels(void **state)
{
	static const struct {
		const char *version, *cuda, *want;
	} cases[] = {{"9.3.0.75", "12.4.1", "9.3.0-cuda12"},
		     {"9.3.0", "12", "9.3.0-cuda12"},
		     {"7.6.5", "10.1.243", "7.6.5-cuda10.1"},
		     {"2.0", "11", "2.0-cuda11"}};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char label[32];
		struct version v;
		assert_true(version_parse(cases[i].cuda, strlen(cases[i].cuda), &v));
		product_label(label, cases[i].version, &v);
		assert_string_equal(label, cases[i].want);
	}
}

/* Headers as they are, and as somebody may have them. */
static void test_headers(void **state)
{
	static const struct {
		const char *text;
		bool ok;
		unsigned minor;
	} cases[] = {
		{"#define CUDNN_MAJOR 8\n#define CUDNN_MINOR 9\n#define CUDNN_PATCHLEVEL 2\n", true,
		 9},
		{"#define  CUDNN_MAJOR\t8\r\n#define CUDNN_MINOR 12\r\n#define CUDNN_PATCHLEVEL 2",
		 true, 12},
		{"#define CUDNN_MAJOR_VERSION 1\n#define CUDNN_MAJOR 8\n#define CUDNN_MINOR 1\n"
		 "#define CUDNN_PATCHLEVEL 1",
		 true, 1},
		{"#define CUDNN_MAJOR 8\n#define CUDNN_MINOR x\n#define CUDNN_PATCHLEVEL 2\n",
		 false, 0},
		{"#define CUDNN_MAJOR 8\n#define CUDNN_MINOR 9\n", false, 0},
		{"#define CUDNN_MAJOR 99999999999\n#define CUDNN_MINOR 9\n#define CUDNN_PATCHLEVEL "
		 "1\n",
		 false, 0},
		{"", false, 0},
		{"#define", false, 0},
	};
	struct err err;
	assert_true(tree_mkdirs("t/include", &err) && tree_mkdirs("t/lib", &err));
	scratch_file("t/lib/libcudnn.so.8", "");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct product_facts f;
		scratch_file("t/include/cudnn.h", cases[i].text);
		assert_int_equal(product_inspect(cudnn(), "t", "x86_64", "'t'", true, &f, &err),
				 cases[i].ok);
		if (cases[i].ok)
			assert_int_equal(f.v.part[1], cases[i].minor);
	}
	assert_non_null(strstr(err.msg, "'include/cudnn_version.h' and 'include/cudnn.h'"));
}

/* For which CUDA, by the name under which cuBLAS is loaded. */
static void test_libraries(void **state)
{
	static const struct {
		const char *text;
		unsigned major;
	} cases[] = {{"..libcublasLt.so.12..", 12},
		     {"cublas.so.11", 11},
		     {"cublasLt.so.\0cublas.so.13", 0},
		     {"cublasLt.so.xcublasLt.so.13", 13},
		     {"nothing", 0},
		     {"cublasLt.so.1", 1}};
	struct err err;
	assert_true(tree_mkdirs("t/include", &err) && tree_mkdirs("t/lib", &err));
	scratch_file("t/include/cudnn.h",
		     "#define CUDNN_MAJOR 9\n#define CUDNN_MINOR 1\n#define CUDNN_PATCHLEVEL 0\n");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct product_facts f;
		scratch_file("t/lib/libcudnn.so.9", "");
		scratch_file("t/lib/libcudnn_ops.so.9", cases[i].text);
		assert_true(product_inspect(cudnn(), "t", "x86_64", "'t'", true, &f, &err));
		assert_int_equal(f.cuda.n ? f.cuda.part[0] : 0, cases[i].major);
	}
	/* Header and library disagree. */
	assert_int_equal(rename("t/lib/libcudnn.so.9", "t/lib/libcudnn.so.8.9.7"), 0);
	struct product_facts f;
	assert_false(product_inspect(cudnn(), "t", "x86_64", "'t'", false, &f, &err));
	assert_int_equal(err.code, ERR_INTEGRITY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_bad_tables),
		cmocka_unit_test(test_labels),
		cmocka_unit_test_setup_teardown(test_headers, scratch_enter, scratch_leave),
		cmocka_unit_test_setup_teardown(test_libraries, scratch_enter, scratch_leave),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
