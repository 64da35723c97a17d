#include "ext/digest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const struct {
	enum digest_kind kind;
	const char *text, *hex;
} cases[] = {
	{DIGEST_SHA256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
	{DIGEST_SHA256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
	{DIGEST_MD5, "", "d41d8cd98f00b204e9800998ecf8427e"},
	{DIGEST_MD5, "abc", "900150983cd24fb0d6963f7d28e17f72"},
};

static void known_answers(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char hex[65];
		struct digest *d = digest_new(cases[i].kind);
		for (int round = 0; round < 2; round++) {
			for (const char *s = cases[i].text; *s; s++)
				digest_update(d, s, 1);
			digest_peek(d, hex);
			assert_string_equal(hex, cases[i].hex);
			digest_hex(d, hex);
			assert_string_equal(hex, cases[i].hex);
		}
		digest_free(d);
	}
	digest_free(NULL);
}

static void peek_goes_on(void **state)
{
	char hex[65];
	struct digest *d = digest_new(DIGEST_SHA256);
	digest_update(d, "a", 1);
	digest_peek(d, hex);
	digest_update(d, "bc", 2);
	digest_hex(d, hex);
	assert_string_equal(hex, cases[1].hex);
	digest_free(d);
}

static void files(void **state)
{
	char dir[] = "/tmp/digest.XXXXXX", path[64], hex[65] = "kept";
	struct err err;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/f", dir);
	FILE *f = fopen(path, "w");
	for (int i = 0; i < 1000000; i++)
		fputc('a', f);
	fclose(f);
	assert_true(digest_file(DIGEST_SHA256, path, hex, &err));
	assert_string_equal(hex,
			    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	f = fopen(path, "r+");
	fputs("xabc", f);
	fclose(f);
	assert_true(digest_part(DIGEST_SHA256, path, 1, 3, hex, &err));
	assert_string_equal(hex, cases[1].hex);
	memcpy(hex, "kept", 5);
	unlink(path);
	assert_false(digest_file(DIGEST_SHA256, path, hex, &err));
	assert_int_equal(err.code, ERR_FILESYSTEM);
	assert_string_equal(hex, "kept");
	assert_false(digest_file(DIGEST_SHA256, dir, hex, &err));
	assert_non_null(strstr(err.msg, "not a regular file"));
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_false(digest_file(DIGEST_SHA256, path, hex, &err));
	assert_string_equal(hex, "kept");
	unlink(path);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_answers),
		cmocka_unit_test(peek_goes_on),
		cmocka_unit_test(files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
