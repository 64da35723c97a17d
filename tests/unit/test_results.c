/* Lines as they are collected from many hosts, and which figures stand out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "cli/report_html.h"
#include "cli/report_svg.h"
#include "core/results.h"
#include "core/verdict.h"

#define LINE "{\"version\": \"12.4.1\", \"host\": \"own\", \"verdict\": \"ok\"}"

static void add(struct results *r, const char *text)
{
	struct err err = {0};
	assert_true(results_add(r, text, strlen(text), &err));
}

static void hosts(void **state)
{
	static const struct {
		const char *text, *host;
	} cases[] = {
		{LINE, "own"},
		{"host1: " LINE, "host1"},
		{"host1:" LINE "\r", "host1"},
		{"  " LINE "  ", "own"},
		{"[pod/gpu-7] " LINE, "gpu-7"},
		{"[pod/gpu-7/main] " LINE, "gpu-7/main"},
		{"node-3.rack2.example:\t" LINE, "node-3.rack2.example"},
		{"0: " LINE, "own"},
		{"17: " LINE, "own"},
		{"host1 | CHANGED | rc=0 | (stdout) " LINE, "host1"},
		{"Nov 30 19:00:00 host1 verify[12]: " LINE, "own"},
		{"\x1b[32mhost1\x1b[0m: " LINE, "own"},
		{"<b>: " LINE, "own"},
		{"0: {\"version\": \"12.4.1\", \"verdict\": \"ok\"}", "0"},
		{"{\"version\": \"12.4.1\", \"verdict\": \"ok\"}", "?"},
		{"a {b} host1: " LINE, "own"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		autoresults struct results r = {0};
		add(&r, cases[i].text);
		assert_int_equal(r.n, 1);
		assert_string_equal(r.items[0].host, cases[i].host);
		assert_string_equal(r.items[0].version, "12.4.1");
		assert_int_equal(r.noise + r.damaged, 0);
	}
}

static void lines(void **state)
{
	static const struct {
		const char *text;
		size_t n, noise, damaged, replaced;
	} cases[] = {
		{"", 0, 0, 0, 0},
		{"\n\r\n \t\n", 0, 0, 0, 0},
		{"starting\n" LINE "\ndone", 1, 2, 0, 0},
		{"{}\n[]\n{\"test\": \"hello\"}\n{\"version\": 1}\n", 0, 4, 0, 0},
		{"{\"version\": \"12.4.1\", \"verdict\": \"o", 0, 0, 1, 0},
		{"{\"version\": \"\", \"verdict\": \"ok\"}", 0, 0, 1, 0},
		{"{\"version\": 3, \"verdict\": \"ok\"}", 0, 0, 1, 0},
		{LINE "\n" LINE "\n", 1, 0, 0, 1},
		{"a: " LINE "\nb: " LINE "\n", 2, 0, 0, 0},
		{"a: " LINE " " LINE, 2, 0, 0, 0},
		{"a | SUCCESS | rc=0 | " LINE "\\n" LINE, 2, 0, 0, 0},
		{"{{{{{{{{{{" LINE, 1, 0, 0, 0},
		{"\xff\xfe\n" LINE, 1, 1, 0, 0},
		{"{\"version\": \"\xff\", \"verdict\": \"ok\"}", 0, 0, 1, 0},
		{"{\"version\": \"1\\u0000\", \"verdict\": \"ok\"}", 0, 0, 1, 0},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		autoresults struct results r = {0};
		add(&r, cases[i].text);
		assert_int_equal(r.n, cases[i].n);
		assert_int_equal(r.noise, cases[i].noise);
		assert_int_equal(r.damaged, cases[i].damaged);
		assert_int_equal(r.replaced, cases[i].replaced);
		results_finish(&r);
	}
}

/* What is not JSON at every brace must not be read again from each of them. */
static void braces(void **state)
{
	enum { LONG = 4 << 20 };
	autoresults struct results r = {0};
	autofree char *text = xmalloc(LONG + 1);
	memset(text, '{', LONG);
	text[LONG] = '\0';
	add(&r, text);
	assert_int_equal(r.noise, 1);
}

static void hostile(void **state)
{
	autoresults struct results r = {0};
	autobuf struct buf page = BUF_INIT(HTML_MAX);
	add(&r,
	    "{\"version\": \"<script>alert(1)</script>\", \"host\": \"\\u001b[31mred\\n\", "
	    "\"verdict\": "
	    "\"'\\\"><img src=x>\", \"detail\": \"&amp;\", \"on\": 3, \"results\": [1, null, {}, "
	    "{\"kind\": \"h2d\", \"memory\": \"pinned\", \"bytes\": -5, \"gbps\": 1}, "
	    "{\"kind\": \"h2d\", \"memory\": \"pinned\", \"bytes\": 1e300, \"gbps\": 1e300}, "
	    "{\"kind\": \"h2d\", \"memory\": \"pinned\", \"bytes\": 1024, \"gbps\": 2, \"device\": "
	    "1e9}]}");
	assert_int_equal(r.n, 1);
	assert_int_equal(r.items[0].n, 1);
	results_finish(&r);
	assert_null(strchr(r.items[0].host, '\x1b'));
	assert_null(strchr(r.items[0].host, '\n'));
	assert_true(html_page(&page, &r, "now"));
	assert_null(strstr(buf_str(&page), "<script"));
	assert_null(strstr(buf_str(&page), "<img"));
	assert_non_null(strstr(buf_str(&page), "&lt;script&gt;alert(1)&lt;/script&gt;"));
	assert_non_null(strstr(buf_str(&page), "&amp;amp;"));
	assert_null(strstr(buf_str(&page), "http"));
}

static void later(void **state)
{
	autoresults struct results r = {0};
	add(&r,
	    "{\"version\": \"1\", \"host\": \"a\", \"verdict\": \"ok\", \"date\": \"2026-02-01\"}\n"
	    "{\"version\": \"1\", \"host\": \"a\", \"verdict\": \"timeout\", \"date\": "
	    "\"2026-01-01\"}\n"
	    "{\"version\": \"1\", \"host\": \"a\", \"verdict\": \"wrong-result\", \"date\": "
	    "\"2026-02-01\"}\n");
	assert_int_equal(r.n, 1);
	assert_string_equal(r.items[0].verdict, "wrong-result");
	assert_false(r.items[0].good);
}

/* One figure of each host. */
static void rates(struct results *r, uint64_t bytes, const double *gbps, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		autofree char *line =
			xasprintf("{\"version\": \"1\", \"host\": \"h%zu\", \"verdict\": \"ok\", "
				  "\"results\": [{\"kind\": \"h2d\", "
				  "\"memory\": \"pinned\", \"method\": \"memcpy\", \"bytes\": "
				  "%llu, \"gbps\": %.3f}]}\n",
				  i, (unsigned long long)bytes, gbps[i]);
		add(r, line);
	}
	results_finish(r);
}

static void outliers(void **state)
{
	static const struct {
		uint64_t bytes;
		double gbps[8];
		size_t n;
		int odd; /* bit i: host i stands out */
	} cases[] = {
		{1 << 28, {55, 20}, 2, 0},
		{1 << 28, {55, 55, 20}, 3, 1 << 2},
		{1 << 28, {55, 55.2, 20, 54.9}, 4, 1 << 2},
		{1 << 28, {55, 55, 55, 55}, 4, 0},
		{1 << 28, {55, 55, 55, 51}, 4, 0},
		{1 << 28, {55, 55, 55, 49}, 4, 1 << 3},
		{1 << 28, {55, 55, 90, 55}, 4, 1 << 2},
		/* the spread is wide: nobody stands out */
		{1 << 28, {30, 40, 50, 60, 70, 80}, 6, 0},
		{1 << 28, {30, 31, 29, 30, 5, 31, 6}, 7, 1 << 4 | 1 << 6},
		/* times of small copies differ more */
		{1 << 10, {1, 1, 0.8, 1}, 4, 0},
		{1 << 10, {1, 1, 0.5, 1}, 4, 1 << 2},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		autoresults struct results r = {0};
		rates(&r, cases[i].bytes, cases[i].gbps, cases[i].n);
		for (size_t j = 0; j < r.n; j++)
			assert_int_equal(r.items[j].rates[0].off != 0, cases[i].odd >> j & 1);
	}
}

static void remarks(void **state)
{
	const double gbps[] = {50, 50, 20};
	char out[256];
	autoresults struct results r = {0};
	rates(&r, 1 << 28, gbps, 3);
	assert_string_equal(result_remark(&r.items[0], out, sizeof out), "");
	assert_string_equal(result_remark(&r.items[2], out, sizeof out),
			    "to the GPU, pinned, 256 MiB: 60% below the median");
	snprintf(r.items[2].detail, sizeof r.items[2].detail, "%0500d", 0);
	assert_int_equal(strlen(result_remark(&r.items[2], out, 20)), 19);
}

static void marks(void **state)
{
	static const char *const memory[] = {"pinned", "pageable"};
	for (size_t m = 0; m < ARRAY_LEN(memory); m++) {
		autoresults struct results r = {0};
		for (int i = 0; i < 4; i++) {
			autofree char *line = xasprintf("{\"version\": \"1\", \"host\": \"h%d\", "
							"\"verdict\": \"ok\", \"results\": "
							"[{\"kind\": \"d2h\", \"memory\": \"%s\", "
							"\"bytes\": 268435456, \"gbps\": "
							"%d}]}",
							i, memory[m], i == 3 ? 4 : 10);
			add(&r, line);
		}
		results_finish(&r);
		assert_non_null(result_worst(&r.items[3]));
		assert_int_equal(result_marked(&r.items[3], "d2h"), m == 0);
		assert_false(result_marked(&r.items[3], "h2d"));
		assert_false(result_marked(&r.items[0], "d2h"));
	}
}

/* Of each GPU the best, of these the lowest; pinned alone, and not what the cache did. */
static void summary(void **state)
{
	autoresults struct results r = {0};
	add(&r, "{\"version\": \"1\", \"host\": \"a\", \"verdict\": \"ok\", \"on\": {\"h2d\": 1e9, "
		"\"d2h\": 7e9}, \"gpus\": [{\"ordinal\": 0, \"pcie_limit\": 63e9}, 3, "
		"{\"ordinal\": null, \"pcie_limit\": 1e9}, "
		"{\"ordinal\": 1, \"pcie_limit\": 31.5e9, \"memory_limit\": null}], \"results\": ["
		"{\"kind\": \"h2d\", \"memory\": \"pinned\", \"bytes\": 1024, \"gbps\": 1, "
		"\"device\": 0},"
		"{\"kind\": \"h2d\", \"memory\": \"pinned\", \"bytes\": 2048, \"gbps\": 50, "
		"\"device\": 0},"
		"{\"kind\": \"h2d\", \"memory\": \"pinned\", \"bytes\": 2048, \"gbps\": 40, "
		"\"device\": 1},"
		"{\"kind\": \"h2d\", \"memory\": \"pageable\", \"bytes\": 2048, \"gbps\": 90, "
		"\"device\": 1},"
		"{\"kind\": \"d2d\", \"memory\": \"cache\", \"bytes\": 2048, \"gbps\": 9000, "
		"\"device\": 0},"
		"{\"kind\": \"d2d\", \"memory\": \"device\", \"bytes\": 4096, \"gbps\": 4000, "
		"\"device\": 0}]}");
	assert_int_equal(r.items[0].n, 6);
	assert_true(r.items[0].h2d == 40);
	assert_true(r.items[0].d2h == 7); /* no line of its own */
	assert_true(r.items[0].d2d == 4000);
}

static void stored(void **state)
{
	struct err err = {0};
	autoresults struct results r = {0};
	struct verdict v = {
		.word = "ok", .level = "bandwidth", .on = {.driver = "580.95.05", .h2d = 5e10}};
	assert_true(results_add_verdict(&r, "here", "12.4.1", &v, &err));
	assert_string_equal(r.items[0].host, "here");
	assert_string_equal(r.items[0].driver, "580.95.05");
	assert_true(r.items[0].h2d == 50);
	snprintf(v.detail, sizeof v.detail, "\xff");
	assert_false(results_add_verdict(&r, "here", "12.4.2", &v, &err));
}

static void sizes(void **state)
{
	char out[24];
	assert_string_equal(rate_size(1, out), "1 B");
	assert_string_equal(rate_size(1000, out), "1000 B");
	assert_string_equal(rate_size(1 << 10, out), "1 KiB");
	assert_string_equal(rate_size(3 << 19, out), "1536 KiB");
	assert_string_equal(rate_size(1ull << 30, out), "1 GiB");
}

/* A page of nothing but verdicts has no chart; one with figures has a line for each result up to six. */
static void pages(void **state)
{
	const double gbps[] = {50, 51, 49, 50, 50, 50, 20};
	for (size_t n = 1; n <= ARRAY_LEN(gbps); n++) {
		autoresults struct results r = {0};
		autobuf struct buf page = BUF_INIT(HTML_MAX);
		size_t polylines = 0;
		rates(&r, 1 << 28, gbps, n);
		assert_true(html_page(&page, &r, "now"));
		for (const char *s = buf_str(&page); (s = strstr(s, "<polyline")); s++)
			polylines++;
		assert_int_equal(polylines, n <= 6 ? n : n + 1); /* and the medians */
		assert_int_equal(strstr(buf_str(&page), "<circle") != NULL, n == 7);
	}
	autoresults struct results r = {0};
	autobuf struct buf page = BUF_INIT(HTML_MAX), small = BUF_INIT(1000);
	add(&r, LINE);
	results_finish(&r);
	assert_true(html_page(&page, &r, "now"));
	assert_null(strstr(buf_str(&page), "<svg"));
	assert_false(html_page(&small, &r, "now"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hosts),   cmocka_unit_test(lines),   cmocka_unit_test(braces),
		cmocka_unit_test(hostile), cmocka_unit_test(later),   cmocka_unit_test(outliers),
		cmocka_unit_test(remarks), cmocka_unit_test(summary), cmocka_unit_test(stored),
		cmocka_unit_test(sizes),   cmocka_unit_test(marks),   cmocka_unit_test(pages),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
