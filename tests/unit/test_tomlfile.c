#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "ext/tomlfile.h"

static void collect(void *ctx, const char *key, const char *value)
{
	struct buf *b = ctx;
	buf_addf(b, "%s=%s\n", key, value);
}

static void test_flattened(void **state)
{
	static const char text[] =
		"extra-index-url = ['https://a.example/s', \"https://b.example\"]\n"
		"no-index = false\n"
		"[[index]]\nurl = 'https://c.example' # main\ndefault = true\n"
		"[[index]]\nname = \"x\"\nurl = '''\nhttps://d.example'''\n"
		"[pip]\nindex-url = 'https://e.example'\nretries = 3\n"
		"since = 2024-01-01\n";
	autobuf struct buf b = BUF_INIT(4096);
	struct err err;
	assert_true(tomlfile_parse("uv.toml", text, strlen(text), collect, &b, &err));
	assert_string_equal(buf_str(&b), "extra-index-url.0=https://a.example/s\n"
					 "extra-index-url.1=https://b.example\n"
					 "index.0.default=true\n"
					 "index.0.url=https://c.example\n"
					 "index.1.name=x\n"
					 "index.1.url=https://d.example\n"
					 "no-index=false\n"
					 "pip.index-url=https://e.example\n"
					 "pip.retries=3\n");
}

static void test_bad(void **state)
{
	static const char text[] = "a = 1\nb = = 2\n";
	autobuf struct buf b = BUF_INIT(4096);
	struct err err = {0};
	assert_false(tomlfile_parse("/etc/uv/uv.toml", text, strlen(text), collect, &b, &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_non_null(strstr(err.msg, "'/etc/uv/uv.toml' line 2: "));
	assert_string_equal(buf_str(&b), "");
	assert_false(tomlfile_parse("x", "\xff\xfe", 2, collect, &b, &err));
	assert_true(tomlfile_parse("x", "", 0, collect, &b, &err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flattened),
		cmocka_unit_test(test_bad),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
