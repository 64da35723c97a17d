#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/io.h"
#include "core/manifest.h"

#define FILE_OK                                                                                    \
	"{\"relative_path\":\"a/b.tar.xz\",\"sha256\":"                                            \
	"\"0123456789abcdef0123456789ABCDEF0123456789abcdef0123456789abcdef\",\"size\":\"12\"}"

static bool parse(const char *s, struct manifest *m, struct err *err)
{
	return manifest_parse(s, strlen(s), "test.json", m, err);
}

static void test_shapes(void **state)
{
	struct manifest m;
	struct err err;
	(void)state;
	assert_true(parse("{\"release_date\":\"2022-02-01\",\"cuda_nvcc\":{\"name\":\"CUDA NVCC\","
			  "\"version\":\"11.4.152\",\"linux-x86_64\":" FILE_OK "}}",
			  &m, &err));
	assert_int_equal(m.n, 1);
	assert_string_equal(m.label, "");
	assert_string_equal(m.date, "2022-02-01");
	assert_string_equal(m.files[0].component, "cuda_nvcc");
	assert_null(m.files[0].variant);
	assert_int_equal(m.files[0].size, 12);
	assert_string_equal(m.files[0].sha256,
			    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
	manifest_clear(&m);

	assert_true(parse("{\"release_label\":\"9.3.0\",\"cudnn\":{\"version\":\"9.3.0.75\","
			  "\"linux-x86_64\":{\"cuda11\":" FILE_OK ",\"cuda12\":" FILE_OK "},"
			  "\"cuda_variant\":[\"11\",\"12\"],\"source\":" FILE_OK "}}",
			  &m, &err));
	assert_int_equal(m.n, 3);
	assert_string_equal(m.files[1].variant, "cuda12");
	assert_string_equal(m.files[2].platform, "source");
	manifest_clear(&m);
}

/* NVIDIA's are strings. */
static void test_sizes(void **state)
{
	static const struct {
		const char *text;
		long long size; /* -1: refused */
	} cases[] = {
		{"12", 12},
		{"\"12\"", 12},
		{"0", 0},
		{"\"0\"", 0},
		{"5878000000", 5878000000LL},
		{"\"5878000000\"", 5878000000LL},
		{"-1", -1},
		{"\"-1\"", -1},
		{"1.5", -1},
		{"\"1e9\"", -1},
		{"\"\"", -1},
		{"null", -1},
		{"true", -1},
		{"[1]", -1},
		{"\" 1\"", -1},
		{"\"1 MB\"", -1},
		{"\"99999999999999999999999\"", -1},
		{"99999999999999999999999", -1},
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct manifest m;
		struct err err;
		autofree char *text =
			xasprintf("{\"c\":{\"version\":\"1\",\"linux-x86_64\":{\"relative_path\":"
				  "\"a\",\"sha256\":\"%064d\",\"size\":%s}}}",
				  0, cases[i].text);
		bool ok = parse(text, &m, &err);
		if (ok != (cases[i].size >= 0))
			fail_msg("size %s", cases[i].text);
		if (!ok) {
			assert_int_equal(err.code, ERR_INTEGRITY);
			continue;
		}
		assert_true(m.files[0].size == (uint64_t)cases[i].size);
		manifest_clear(&m);
	}
}

static void test_refused(void **state)
{
	static const char *const cases[] = {
		"",
		"[]",
		"<!DOCTYPE html>",
		"{}",
		"{\"release_date\":\"2022-02-01\"}",
		"{\"c\":{\"version\":\"1\",\"linux-x86_64\":{\"relative_path\":\"../x\"}}}",
		"{\"c\":{\"version\":\"1\",\"linux-x86_64\":{\"relative_path\":\"/x\"}}}",
		"{\"c\":{\"version\":\"1\",\"linux-x86_64\":{\"relative_path\":\"x\",\"size\":"
		"\"1\"}}}",
		"{\"c\":{\"version\":\"../1\",\"linux-x86_64\":" FILE_OK "}}",
		"{\"c\":{\"linux-x86_64\":" FILE_OK "}}",
		"{\"../c\":{\"version\":\"1\",\"linux-x86_64\":" FILE_OK "}}",
		"{\"c\":{\"version\":\"1\",\"linux-x86_64\":{\"cuda12\":\"x\"}}}",
		"{\"c\":{\"version\":\"1\",\"p\":" FILE_OK
		"},\"c\":{\"version\":\"1\",\"p\":" FILE_OK "}}",
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct manifest m;
		struct err err = {0};
		if (parse(cases[i], &m, &err))
			fail_msg("accepted: %s", cases[i]);
		assert_int_equal(err.code, ERR_INTEGRITY);
		assert_non_null(strstr(err.msg, "test.json"));
		assert_true(err.hint[0] && !strstr(err.msg, "line -"));
	}
}

static void test_deep(void **state)
{
	struct buf b = BUF_INIT(1 << 20);
	struct manifest m;
	struct err err;
	(void)state;
	for (int i = 0; i < 100000; i++)
		buf_adds(&b, "{\"a\":");
	assert_false(manifest_parse(b.data, b.len, "deep", &m, &err));
	buf_clear(&b);
}

static const struct manifest_file *find(const struct manifest *m, const char *component,
					const char *platform)
{
	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->files[i].component, component) &&
		    !strcmp(m->files[i].platform, platform))
			return &m->files[i];
	return NULL;
}

/* Every real manifest that is at hand. */
static void test_real(void **state)
{
	const char *root = getenv("SOURCE_ROOT");
	char pattern[4096];
	glob_t g;
	(void)state;
	snprintf(pattern, sizeof pattern, "%s/../shared/manifests/*/redistrib_*.json",
		 root ? root : ".");
	if (glob(pattern, 0, NULL, &g) != 0)
		skip();
	for (size_t i = 0; i < g.gl_pathc; i++) {
		struct buf b = BUF_INIT(MANIFEST_MAX);
		struct manifest m;
		struct err err;
		assert_true(io_read_file(g.gl_pathv[i], &b, &err));
		if (!manifest_parse(b.data, b.len, g.gl_pathv[i], &m, &err))
			fail_msg("%s", err.msg);
		assert_true(m.n > 0);
		if (strstr(g.gl_pathv[i], "cuda/redistrib_12.4.1.json")) {
			const struct manifest_file *f = find(&m, "cuda_nvcc", "linux-x86_64");
			assert_non_null(f);
			assert_string_equal(f->version, "12.4.131");
			assert_string_equal(m.label, "12.4.1");
		}
		manifest_clear(&m);
		buf_clear(&b);
	}
	globfree(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes),	cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_refused), cmocka_unit_test(test_deep),
		cmocka_unit_test(test_real),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
