#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/attr.h"
#include "base/buf.h"
#include "ext/inifile.h"

/* Writes down every call, so that a test compares text with text. */
static bool note(void *ctx, const struct inifile_entry *e, struct err *err)
{
	struct buf *b = ctx;
	if (!e->key)
		return buf_addf(b, "%d [%s]\n", e->line, e->section);
	if (!strcmp(e->key, "bad"))
		return inifile_fail(e, err, "'%s' is bad", e->value);
	return buf_addf(b, "%d %s.%s=%s\n", e->line, e->section, e->key, e->value);
}

static void good(const char *text, const char *want)
{
	autobuf struct buf got = BUF_INIT(4096);
	struct err err = {0};
	assert_true(inifile_parse("f.ini", text, strlen(text), note, &got, &err));
	assert_string_equal(buf_str(&got), want);
}

static void bad_bytes(const char *text, size_t len, const char *want)
{
	autobuf struct buf got = BUF_INIT(4096);
	struct err err = {0};
	assert_false(inifile_parse("f.ini", text, len, note, &got, &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_string_equal(err.msg, want);
}

static void bad(const char *text, const char *want)
{
	bad_bytes(text, strlen(text), want);
}

static void test_accepted(void **state)
{
	good("", "");
	good("a = 1\n[s]\nb=2\n\n# c = 3\n  ; d\n", "1 .a=1\n2 [s]\n3 s.b=2\n");
	good("[empty]\n[s] ; note\nk = v\n", "1 [empty]\n2 [s]\n3 s.k=v\n");
	good("\xef\xbb\xbf[s]\r\nk = v\r\n", "1 [s]\n2 s.k=v\n");
	good("[s]\nk = a=b ; note", "1 [s]\n2 s.k=a=b\n");
	good("[s]\nk =\nl = a;b\n", "1 [s]\n2 s.k=\n3 s.l=a;b\n");
	/* inih would read the second line as more of the first. */
	good("[s]\nk = v\n  l = w\n", "1 [s]\n2 s.k=v\n3 s.l=w\n");
	/* The same key in another section is another one. */
	good("[s]\nk = v\n[t]\nk = w\n", "1 [s]\n2 s.k=v\n3 [t]\n4 t.k=w\n");
}

static void test_refused(void **state)
{
	bad("[s]\nword\n", "'f.ini' line 2: neither [section] nor 'key = value'");
	bad("\n[s\n", "'f.ini' line 2: ']' is missing");
	bad("[s]x\n", "'f.ini' line 1: text behind ']'");
	bad("[]\n", "'f.ini' line 1: bad section name");
	bad("[a ;b]\n", "'f.ini' line 1: bad section name");
	bad("[s]\n= v\n", "'f.ini' line 2: no key in front of '='");
	bad("[s]\n[t]\n[s]\n", "'f.ini' line 3: this section stands twice");
	bad("[s]\nk=1\nk=2\n", "'f.ini' line 3: this key stands twice");
	bad("[s]\nk=\x1b[2J\n", "'f.ini' line 2: a control character");
	bad_bytes("[s]\nk=a\0b\n", 10, "'f.ini' line 2: a NUL byte");
	/* What the callback refuses ends the reading at once. */
	bad("[s]\nbad = x\nword\n", "'f.ini' line 2: 'x' is bad");
}

/* inih cuts these silently. */
static void test_lengths(void **state)
{
	char text[512];
	memset(text, 'n', sizeof text);
	text[0] = '[';
	text[50] = ']';
	autobuf struct buf got = BUF_INIT(4096);
	struct err err = {0};
	assert_true(inifile_parse("f.ini", text, 51, note, &got, &err));
	assert_int_equal(got.len, strlen("1 []\n") + 49);
	text[50] = 'n';
	text[51] = ']';
	bad_bytes(text, 52, "'f.ini' line 1: the section name is too long");

	memcpy(text, "k = ", 4);
	memset(text + 4, 'v', sizeof text - 4);
	bad_bytes(text, 198, "'f.ini' line 1: the line is too long");
	buf_clear(&got);
	assert_true(inifile_parse("f.ini", text, 197, note, &got, &err));
	assert_int_equal(got.len, strlen("1 .k=\n") + 193);
	/* A comment is thrown away, so it may be as long as it likes. */
	text[0] = '#';
	assert_true(inifile_parse("f.ini", text, sizeof text, note, &got, &err));
}

static void test_file(void **state)
{
	autobuf struct buf got = BUF_INIT(4096);
	struct err err = {0};
	assert_false(inifile_read("/nonexistent/x.ini", 100, note, &got, &err));
	assert_int_equal(err.code, ERR_FILESYSTEM);
	assert_false(inifile_read("/dev/zero", 100, note, &got, &err));
	assert_non_null(strstr(err.msg, "not a regular file"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accepted),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
