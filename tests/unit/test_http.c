#include "ext/http.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void content_range(void **state)
{
	static const struct {
		const char *text;
		uint64_t first, last, total;
	} good[] = {
		{"bytes 0-0/1", 0, 0, 1},
		{"bytes 10-99/100", 10, 99, 100},
		{"Bytes \t10-99/100 ", 10, 99, 100},
		{"bytes 5-5/*", 5, 5, UINT64_MAX},
		{"bytes 0-18446744073709551613/18446744073709551614", 0, UINT64_MAX - 2,
		 UINT64_MAX - 1},
	};
	static const char *const bad[] = {
		"",
		"bytes",
		"bytes ",
		"bytes */100",
		"bytes 10-99",
		"bytes 10-99/",
		"bytes 99-10/100",
		"bytes 10-100/100",
		"bytes -10-99/100",
		"bytes +1-99/100",
		"bytes 10 - 99/100",
		"bytes 10-99/100,200-299/300",
		"bytes=10-99/100",
		"items 10-99/100",
		"bytes 0x1-99/100",
		"bytes 10-99/100x",
		"bytes 10-99/**",
		"bytes 1-2/18446744073709551616",
		"bytes 1-99999999999999999999/*",
		"bytes 1-18446744073709551615/*",
	};
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		struct content_range r;
		assert_true(http_content_range(good[i].text, &r));
		assert_int_equal(r.first, good[i].first);
		assert_int_equal(r.last, good[i].last);
		assert_int_equal(r.total, good[i].total);
	}
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct content_range r = {7, 7, 7};
		if (http_content_range(bad[i], &r))
			fail_msg("'%s'", bad[i]);
		assert_int_equal(r.first, 7);
	}
}

static void header(void **state)
{
	static const struct {
		const char *line, *value;
	} cases[] = {
		{"Content-Range: bytes 0-0/1\r\n", "bytes 0-0/1"},
		{"content-range:x", "x"},
		{"CONTENT-RANGE: \t a b \t\r\n", "a b"},
		{"content-range:\r\n", ""},
		{"content-range", NULL},
		{"content-ranges: x", NULL},
		{"x-content-range: x", NULL},
		{"", NULL},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *v = http_header(cases[i].line, strlen(cases[i].line), "content-range");
		if (cases[i].value)
			assert_string_equal(v, cases[i].value);
		else
			assert_null(v);
		free(v);
	}
}

static void html_type(void **state)
{
	assert_true(http_html_type("text/html"));
	assert_true(http_html_type("Text/HTML; charset=utf-8"));
	assert_true(http_html_type("application/xhtml+xml"));
	assert_false(http_html_type("text/htmlx"));
	assert_false(http_html_type("text/plain"));
	assert_false(http_html_type(""));
	assert_false(http_html_type(NULL));
}

static void html_body(void **state)
{
	static const char *const yes[] = {"<!DOCTYPE html>", "<!doctype HTML",	   "<html lang=en>",
					  " \r\n\t<HTML>",   "\xef\xbb\xbf<html>", "<head>",
					  "<body>"};
	static const char *const no[] = {
		"", "<", "<!DOCTYPE", "PK\3\4<html>", "<?xml?>", "\xef\xbb\xbf", " "};
	for (size_t i = 0; i < ARRAY_LEN(yes); i++)
		assert_true(http_html_body(yes[i], strlen(yes[i])));
	for (size_t i = 0; i < ARRAY_LEN(no); i++)
		assert_false(http_html_body(no[i], strlen(no[i])));
	assert_false(http_html_body("<html", 4));
}

static void mask(void **state)
{
	static const char *const cases[][2] = {
		{"http://u:p@h/x", "http://***@h/x"},
		{"https://token@h:1/x?y=1#z", "https://***@h:1/x?***"},
		{"http://h/a@b", "http://h/a@b"},
		{"http://h?a@b", "http://h?***"},
		{"http://u:p@q@h/", "http://***@h/"},
		{"http://u:p/w@h/x", "http://***@h/x"},
		{"http://u:p?w@h/x", "http://***@h/x"},
		{"http://[::1]:80/@x", "http://[::1]:80/@x"},
		{"u:p@proxy:3128", "***@proxy:3128"},
		{"proxy:3128", "proxy:3128"},
		{"file:///a/b", "file:///a/b"},
		{"http://h/\x1b[31m\n", "http://h/?[31m?"},
		{"http://", "http://"},
		{"", ""},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		autofree char *s = http_mask(cases[i][0]);
		assert_string_equal(s, cases[i][1]);
	}
}

static void origin(void **state)
{
	static const char *const cases[][2] = {
		{"http://h/x", "http://h:80"},
		{"HTTPS://u:p@Host.Example/x", "https://host.example:443"},
		{"http://h:8080?x", "http://h:8080"},
		{"https://[::1]/x", "https://[::1]:443"},
		{"https://[::1]:9/x", "https://[::1]:9"},
		{"file:///x", ""},
		{"x", ""},
		{"", ""},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		autofree char *s = http_origin(cases[i][0]);
		assert_string_equal(s, cases[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(content_range), cmocka_unit_test(header),
		cmocka_unit_test(html_type),	 cmocka_unit_test(html_body),
		cmocka_unit_test(mask),		 cmocka_unit_test(origin),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
