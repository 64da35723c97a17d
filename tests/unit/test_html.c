#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "ext/html.h"

static void collect(void *ctx, const struct html_link *l)
{
	struct buf *b = ctx;
	buf_addf(b, "%s%s%s\n", l->url, l->yanked ? " yanked:" : "", l->yanked ? l->yanked : "");
}

static void check(const char *text, const char *url, const char *want, struct html_page *page)
{
	autobuf struct buf b = BUF_INIT(1 << 16);
	struct html_page unused;
	struct err err;
	if (!html_links(text, strlen(text), url, collect, &b, page ? page : &unused, &err))
		fail_msg("%s", err.msg);
	assert_string_equal(buf_str(&b), want);
}

static void test_index_page(void **state)
{
	struct html_page page;
	check("<!DOCTYPE html><html><head><title>Links for x</title></head><body>\n"
	      "<a href=\"https://f.example/a/x-1-py3-none-any.whl#sha256=00ff\" "
	      "data-requires-python=\"&gt;=3\">x-1</a><br/>\n"
	      "<a href=\"../../f/x-2.whl?a=1&amp;b=2\" data-yanked>x-2</a>\n"
	      "<a href=\"/f/x-3.whl\" data-yanked=\"broken &quot;crt&quot;\">x-3</a>\n"
	      "<a name=\"here\">no link</a></body></html>",
	      "https://i.example/root/simple/x/",
	      "https://f.example/a/x-1-py3-none-any.whl#sha256=00ff\n"
	      "https://i.example/root/f/x-2.whl?a=1&b=2 yanked:\n"
	      "https://i.example/f/x-3.whl yanked:broken \"crt\"\n",
	      &page);
	assert_int_equal(page.links, 3);
	assert_false(page.form);
	assert_string_equal(page.title, "Links for x");
}

static void test_base(void **state)
{
	check("<base href=\"https://m.example/pool/\"><a href=\"x.whl\">", "https://i.example/x/",
	      "https://m.example/pool/x.whl\n", NULL);
	check("<base target=t><base href=\"../pool/\"><base href=\"/no/\"><a href=x.whl>",
	      "https://i.example/s/x/", "https://i.example/s/pool/x.whl\n", NULL);
}

static void test_careless(void **state)
{
	/* upper case, no quotes, unclosed, blanks and bytes that may not stand in a URL */
	check("<A HREF=' a b.whl '>x<p><a href=%2B\xc3\xa4.whl><a href=>", "http://i.example/x/",
	      "http://i.example/x/a%20b.whl\nhttp://i.example/x/%2B%C3%A4.whl\nhttp://i.example/"
	      "x/\n",
	      NULL);
	/* commented out, inside a script */
	check("<!-- <a href=x.whl> --><script>'<a href=y.whl>'</script><a href=z.whl>z",
	      "http://i.example/", "http://i.example/z.whl\n", NULL);
}

static void test_login_page(void **state)
{
	struct html_page page;
	check("<html><title>Sign\x7f in</title><form action=/login><input type=password></form>",
	      "https://i.example/x/", "", &page);
	assert_true(page.form);
	assert_int_equal(page.links, 0);
	assert_string_equal(page.title, "Sign? in");
}

static void test_no_document(void **state)
{
	struct html_page page;
	struct err err = {0};
	assert_false(html_links("", 0, "https://i.example/", collect, NULL, &page, &err));
	assert_int_equal(err.code, ERR_NETWORK);
}

static void test_deep(void **state)
{
	autobuf struct buf b = BUF_INIT(1 << 20);
	for (int i = 0; i < 50000; i++)
		buf_adds(&b, "<div><b>");
	buf_adds(&b, "<a href=x.whl>");
	struct html_page page;
	struct err err;
	autobuf struct buf out = BUF_INIT(1 << 16);
	/* Whatever the parser makes of it, it ends. */
	if (!html_links(b.data, b.len, "https://i.example/", collect, &out, &page, &err))
		assert_int_equal(err.code, ERR_NETWORK);
}

static void test_url(void **state)
{
	static const struct {
		const char *base, *href, *want;
	} cases[] = {
		{"https://i.example/simple/x/", "../../p/x.whl#sha256=1",
		 "https://i.example/p/x.whl#sha256=1"},
		{"https://i.example/simple/x/", "//o.example/x.whl", "https://o.example/x.whl"},
		{"https://i.example/simple/x/", "HTTPS://o.example/x", "HTTPS://o.example/x"},
		{"file:///srv/a%20b/x/index.html", "y.whl", "file:///srv/a%20b/x/y.whl"},
		{"https://u:p@i.example:8080/a/b?q#f", "../../../c",
		 "https://u:p@i.example:8080/c"},
		{"https://i.example/a/b?q=../x#f", "", "https://i.example/a/b?q=../x"},
		{"https://i.example/a/b?q", "?z=1/../2", "https://i.example/a/b?z=1/../2"},
		{"https://i.example/a/b", "#z", "https://i.example/a/b#z"},
		{"https://i.example", "x.whl", "https://i.example/x.whl"},
		{"https://i.example/a/", "./b/./c/../d/.", "https://i.example/a/b/d/"},
		{"https://i.example/a/", "b%2Bc%2f..%2F", "https://i.example/a/b%2Bc%2f..%2F"},
		{"https://i.example/a/", "b:c", NULL},
		{"relative", "x", NULL},
		{"https://i.example/", "javascript:void(0)", NULL},
		{"https://i.example/", "mailto:x@example.org", NULL},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		autofree char *url = html_url(cases[i].base, cases[i].href);
		if (cases[i].want)
			assert_string_equal(url, cases[i].want);
		else
			assert_null(url);
	}
	char *lng = malloc(10001);
	memset(lng, 'a', 10000);
	lng[10000] = '\0';
	assert_null(html_url("https://i.example/", lng));
	free(lng);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_index_page),  cmocka_unit_test(test_base),
		cmocka_unit_test(test_careless),    cmocka_unit_test(test_login_page),
		cmocka_unit_test(test_no_document), cmocka_unit_test(test_deep),
		cmocka_unit_test(test_url),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
