/* Small answers into memory: pages of an index. */
#include <stdio.h>
#include <unistd.h>

#include "net.h"

enum { MAX = 32, LIMIT = 1 << 20 };
static struct request log_[MAX];
static struct fetch_answer answer;
static struct err err;

static bool get(const char *url, const char *accept, size_t max)
{
	static const struct fetch_opts o = {.retries = 2, .retry_wait_ms = 1, .low_speed_s = 1};
	fetch_answer_clear(&answer);
	answer = (struct fetch_answer){.body = BUF_INIT(max)};
	err = (struct err){0};
	return fetch_memory(url, accept, &o, &answer, &err);
}

static int clear(void **state)
{
	fetch_answer_clear(&answer);
	return net_fresh(state);
}

static void is_f(void)
{
	assert_int_equal(answer.body.len, NET_SIZE);
	assert_memory_equal(answer.body.data, net.data, NET_SIZE);
}

static void plain(void **state)
{
	const char *url = net_url("type/text/html;x=1");
	assert_true(get(url, "text/x-wanted, */*;q=0.1", LIMIT));
	is_f();
	assert_int_equal(answer.status, 200);
	assert_string_equal(answer.content_type, "text/html;x=1");
	assert_string_equal(answer.url, url);
	assert_int_equal(net_log(log_, MAX), 1);
	assert_string_equal(log_[0].accept, "text/x-wanted, */*;q=0.1");
	assert_non_null(strstr(log_[0].encoding, "gzip"));
}

static void good_in_the_end(void **state)
{
	static const char *const modes[] = {
		"gzip",	   "short/9x1",	   "status/503x2", "chunked",	    "nolength",
		"closex1", "reset/1000x1", "chunkcut/9x1", "redirect/host", "retry-after/0x1"};
	for (size_t i = 0; i < ARRAY_LEN(modes); i++) {
		net_fresh(state);
		if (!get(net_url(modes[i]), NULL, LIMIT))
			fail_msg("%s: %s", modes[i], err.msg);
		is_f();
	}
}

static void bad(void **state)
{
	static const struct {
		const char *mode, *say;
		enum err_code code;
		int sys;
		size_t requests;
	} cases[] = {
		{"status/404", "404", ERR_NETWORK, 2, 1},
		{"status/410", "410", ERR_NETWORK, 2, 1},
		{"status/403", "403", ERR_NETWORK, 13, 1},
		{"status/401", "401", ERR_NETWORK, 13, 1},
		{"status/206", "206", ERR_NETWORK, 0, 1},
		{"status/503", "503", ERR_NETWORK, 0, 3},
		{"short/5", "short/5", ERR_NETWORK, 0, 3},
		{"redirect/loop", "loop", ERR_NETWORK, 0, 1},
		{"endless", "more than 1048576 bytes", ERR_INTEGRITY, 0, 1},
		{"redirect/scheme", "etc/passwd", ERR_NETWORK, 0, 1},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		net_fresh(state);
		if (get(net_url(cases[i].mode), NULL, LIMIT))
			fail_msg("%s", cases[i].mode);
		assert_int_equal(err.code, cases[i].code);
		assert_int_equal(err.sys, cases[i].sys);
		assert_non_null(strstr(err.msg, cases[i].say));
		assert_int_equal(net_log(log_, MAX), cases[i].requests);
		assert_int_equal(answer.body.len, 0);
	}
}

/* The limit holds for what comes out of the compression. */
static void limit(void **state)
{
	assert_true(get(net_url("file"), NULL, NET_SIZE));
	assert_false(get(net_url("file"), NULL, NET_SIZE - 1));
	assert_int_equal(err.code, ERR_INTEGRITY);
	assert_false(get(net_url("gzip"), NULL, NET_SIZE - 1));
	assert_int_equal(err.code, ERR_INTEGRITY);
}

static void base_for_links(void **state)
{
	char url[256], want[256];
	snprintf(url, sizeof url, "http://me:pw@127.0.0.1:%d/auth/me:pw/redirect/host/f",
		 net.server.port);
	snprintf(want, sizeof want, "http://localhost:%d/f", net.server.port);
	assert_true(get(url, NULL, LIMIT));
	assert_string_equal(answer.url, want);
	snprintf(url, sizeof url, "http://me:pw@127.0.0.1:%d/auth/me:pw/f", net.server.port);
	snprintf(want, sizeof want, "http://127.0.0.1:%d/auth/me:pw/f", net.server.port);
	assert_true(get(url, NULL, LIMIT));
	assert_string_equal(answer.url, want);
}

static void local(void **state)
{
	char url[128];
	snprintf(url, sizeof url, "file:///tmp/cudaenv%%20net%s/root/f", strrchr(net.dir, '.'));
	assert_true(get(url, NULL, LIMIT));
	is_f();
	assert_int_equal(answer.status, 0);
	assert_false(get("file:///nonexistent", NULL, LIMIT));
	assert_int_equal(err.code, ERR_NETWORK);
	assert_int_equal(err.sys, 2);
	assert_false(get("file:///dev/zero", NULL, LIMIT));
	assert_int_equal(err.code, ERR_NETWORK);
	assert_non_null(strstr(err.msg, "no regular file"));
}

/* An index is read page by page: one connection serves them all. */
static void one_connection(void **state)
{
	for (int i = 0; i < 5; i++)
		assert_true(get(net_url("file"), NULL, LIMIT));
	assert_int_equal(net_log(log_, MAX), 5);
	for (int i = 1; i < 5; i++)
		assert_int_equal(log_[i].connection, log_[0].connection);
}

static void no_leak_of_login(void **state)
{
	char url[128];
	snprintf(url, sizeof url, "http://me:pw@127.0.0.1:%d/f", net.server.port);
	assert_true(get(url, NULL, LIMIT));
	/* the same handle and connection, without credentials now */
	assert_true(get(net_url("file"), NULL, LIMIT));
	assert_int_equal(net_log(log_, MAX), 2);
	assert_string_equal(log_[0].user, "me");
	assert_string_equal(log_[1].user, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(plain, clear, clear),
		cmocka_unit_test_setup_teardown(good_in_the_end, clear, clear),
		cmocka_unit_test_setup_teardown(bad, clear, clear),
		cmocka_unit_test_setup_teardown(limit, clear, clear),
		cmocka_unit_test_setup_teardown(base_for_links, clear, clear),
		cmocka_unit_test_setup_teardown(local, clear, clear),
		cmocka_unit_test_setup_teardown(one_connection, clear, clear),
		cmocka_unit_test_setup_teardown(no_leak_of_login, clear, clear),
	};
	return cmocka_run_group_tests(tests, net_setup, net_teardown);
}
