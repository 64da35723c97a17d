/* Several URLs for one file, several files at once. */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "net.h"

enum { MAX = 256 };
static struct request log_[MAX];

static size_t asked(const char *mode)
{
	size_t n = net_log(log_, MAX), hits = 0;
	for (size_t i = 0; i < n; i++)
		hits += !strcmp(log_[i].mode, mode);
	return hits;
}

/* Whatever the first one does, the second one serves, and the first is asked once. */
static void next_one_serves(void **state)
{
	static const char *const modes[] = {
		"status/404",	  "status/403", "status/503",	  "html",  "rawhtml",
		"corrupt/7",	  "longer/5",	"wronglen/-5",	  "close", "redirect/loop",
		"retry-after/60", "empty",	"redirect/scheme"};
	for (size_t i = 0; i < ARRAY_LEN(modes); i++) {
		net_fresh(state);
		struct get g = GET(net_url(modes[i]), net_url("file"));
		net_get_ok(&g);
		size_t n = net_log(log_, MAX);
		if (n != 2)
			fail_msg("%s: %zu requests", modes[i], n);
		assert_string_equal(log_[1].mode, "file");
	}
}

static void unreachable_first(void **state)
{
	struct get g = GET("http://127.0.0.1:1/f", "http://nowhere.invalid/f", "ftp://h/f",
			   net_url("file"));
	net_get_ok(&g);
	assert_int_equal(net_log(log_, MAX), 1);
	assert_non_null(strstr(g.retries, "trying http://nowhere.invalid:80"));
}

static void goes_on_where_the_other_stopped(void **state)
{
	struct get g = GET(net_url("short/100000"), net_url("file"));
	net_get_ok(&g);
	assert_int_equal(net_log(log_, MAX), 2);
	assert_string_equal(log_[1].range, "bytes=100000-");
	assert_int_equal(log_[1].sent, NET_SIZE - 100000);
}

/* More than was expected: another file altogether, so nothing of it is continued. */
static void too_much_is_not_continued(void **state)
{
	unsigned char *other = xcalloc(1, NET_SIZE + 100000);
	char url[128];
	net_write("root/g", other, NET_SIZE + 100000);
	free(other);
	snprintf(url, sizeof url, "http://127.0.0.1:%d/nolength/g", net.server.port);
	struct get g = GET(url, net_url("file"));
	net_get_ok(&g);
	assert_int_equal(net_log(log_, MAX), 2);
	assert_string_equal(log_[1].range, "");
}

static void each_in_turn(void **state)
{
	struct get g = GET(net_url("status/500"), net_url("status/502"), net_url("status/504"));
	g.o.retries = 5;
	net_get_bad(&g, ERR_NETWORK, "500", "502", "504", NULL);
	assert_int_equal(net_log(log_, MAX), 6);
	static const long turns[] = {500, 502, 504, 500, 502, 504};
	for (size_t i = 0; i < ARRAY_LEN(turns); i++)
		assert_int_equal(log_[i].status, turns[i]);
}

/* While the first one has asked for a pause, the second one turns out to be no use at all. */
static void told_wait_is_the_real_one(void **state)
{
	double wait;
	struct get g = GET(net_url("status/503x1"), net_url("status/404"));
	net_get_ok(&g);
	const char *told = strstr(g.retries, "404");
	told = told ? strstr(told, " in ") : NULL;
	if (!told || sscanf(told, " in %lf s", &wait) != 1 || wait > 2)
		fail_msg("%s", g.retries);
}

static void all_fail(void **state)
{
	struct get g = GET(net_url("status/404"), net_url("status/403"));
	net_get_bad(&g, ERR_NETWORK, "404", "403", "mirror is not complete", NULL);
	assert_int_equal(net_log(log_, MAX), 2);
	g = GET(net_url("status/404"), net_url("corrupt/5"));
	net_get_bad(&g, ERR_INTEGRITY, "404", "sha256 mismatch", NULL);
	g = GET(net_url("corrupt/5"), net_url("corrupt/6"), net_url("corrupt/7"));
	net_get_bad(&g, ERR_INTEGRITY, "corrupt/5", "corrupt/6", "corrupt/7", NULL);
}

static void not_found_everywhere(void **state)
{
	struct get g = GET(net_url("status/404"), net_url("status/410"));
	net_get_bad(&g, ERR_NETWORK, NULL);
	assert_int_equal(g.err.sys, 2);
	g = GET(net_url("status/404"), net_url("status/500"));
	net_get_bad(&g, ERR_NETWORK, NULL);
	assert_int_equal(g.err.sys, 0);
}

/* ---- bytes that are told while they arrive */

struct reader {
	unsigned char data[NET_SIZE + 1000];
	size_t n;
	bool whole;
};

static void read_on(struct reader *r, const char *path, size_t bytes)
{
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	assert_true(bytes >= r->n && bytes <= sizeof r->data);
	fseek(f, (long)r->n, SEEK_SET);
	r->n += fread(r->data + r->n, 1, bytes - r->n, f);
	assert_int_equal(r->n, bytes);
	fclose(f);
}

static void on_arrived(void *ctx, struct fetch_job *job, const char *path, uint64_t bytes,
		       bool restarted)
{
	struct reader *r = ctx;
	assert_false(r->whole);
	if (restarted)
		r->n = 0;
	read_on(r, path, (size_t)bytes);
}

static void on_whole(void *ctx, struct fetch_job *job)
{
	struct reader *r = ctx;
	read_on(r, job->dest, NET_SIZE);
	r->whole = true;
}

/* Whoever reads along has the right bytes when the file is whole, whatever happened on the way. */
static void read_along(void **state)
{
	static const char *const modes[] = {"file",	    "short/200000x1",	"reset/299000x1",
					    "norange",	    "corrupt/280000x1", "false206/5",
					    "corrupt/20x1", "chunkcut/290000x1"};
	static const unsigned char wrong[NET_SIZE] = {1};
	for (size_t i = 0; i < 4 * ARRAY_LEN(modes); i++) {
		struct err err;
		struct strlist urls = {0};
		struct reader *r = xcalloc(1, sizeof *r);
		net_fresh(state);
		if (i % 4 == 1)
			net_write("d.part", net.data, 270000);
		if (i % 4 == 2)
			net_write("d.part", wrong, 270000);
		if (i % 4 == 3)
			net_write("d", wrong, NET_SIZE);
		strlist_add(&urls, net_url(modes[i / 4]));
		struct fetch_job job = {.name = "f",
					.urls = &urls,
					.dest = net_path("d"),
					.sha256 = net.sha256,
					.size = NET_SIZE,
					.arrived = on_arrived};
		struct fetch_opts o = {.retry_wait_ms = 1};
		if (!fetch_run(&job, 1, &o, on_whole, r, &err))
			fail_msg("%s", err.msg);
		assert_true(r->whole);
		assert_memory_equal(r->data, net.data, NET_SIZE);
		strlist_clear(&urls);
		free(r);
	}
}

/* ---- several files */

struct many {
	struct fetch_job jobs[64];
	char dests[64][128], names[64][16];
	struct strlist urls[64];
	size_t n, done, finals;
	uint64_t last[64];
	bool backwards;
	pthread_t thread;
	struct err err;
	struct fetch_opts o;
	struct events events;
};

static void on_event(void *ctx, const struct event *ev)
{
	struct many *m = ctx;
	if (ev->kind != EVENT_FETCH)
		return;
	size_t i = (size_t)strtol(ev->name, NULL, 10);
	m->backwards |= ev->done < m->last[i];
	m->last[i] = ev->done;
	m->finals += ev->done == ev->total;
}

static void on_done(void *ctx, struct fetch_job *job)
{
	struct many *m = ctx;
	assert_true(job->ok);
	assert_true(pthread_equal(pthread_self(), m->thread));
	assert_int_equal(access(job->dest, R_OK), 0);
	m->done++;
}

static struct many *many_new(size_t n)
{
	struct many *m = xcalloc(1, sizeof *m);
	m->n = n;
	m->thread = pthread_self();
	m->events = (struct events){on_event, m};
	m->o = (struct fetch_opts){.retries = 2, .retry_wait_ms = 1, .events = &m->events};
	for (size_t i = 0; i < n; i++) {
		snprintf(m->names[i], sizeof m->names[i], "%zu", i);
		snprintf(m->dests[i], sizeof m->dests[i], "%s/many/%zu", net.dir, i);
		m->jobs[i] = (struct fetch_job){.name = m->names[i],
						.urls = &m->urls[i],
						.dest = m->dests[i],
						.sha256 = net.sha256,
						.size = NET_SIZE};
	}
	return m;
}

static bool many_run(struct many *m)
{
	return fetch_run(m->jobs, m->n, &m->o, on_done, m, &m->err);
}

static void many_free(struct many *m)
{
	for (size_t i = 0; i < m->n; i++) {
		unlink(m->dests[i]);
		strlist_clear(&m->urls[i]);
	}
	free(m);
}

static void twenty_files(void **state)
{
	static const char *const modes[] = {"file", "short/5000x1", "status/503x1", "chunked",
					    "norange"};
	for (int jobs = 1; jobs <= 8; jobs += 7) {
		net_fresh(state);
		struct many *m = many_new(20);
		m->o.jobs = jobs;
		for (size_t i = 0; i < m->n; i++)
			strlist_add(&m->urls[i], net_url(modes[i % ARRAY_LEN(modes)]));
		if (!many_run(m))
			fail_msg("%s", m->err.msg);
		assert_int_equal(m->done, m->n);
		assert_int_equal(m->finals, m->n);
		assert_false(m->backwards);
		assert_int_equal(net_log(log_, MAX), 28);
		many_free(m);
	}
}

static void no_files(void **state)
{
	struct err err;
	assert_true(fetch_run(NULL, 0, &(struct fetch_opts){0}, NULL, NULL, &err));
}

/* One that cannot be had ends the others; what they have is kept and used the next time. */
static void one_fails(void **state)
{
	struct many *m = many_new(4);
	strlist_add(&m->urls[0], net_url("stall/1000"));
	strlist_add(&m->urls[1], net_url("file"));
	strlist_add(&m->urls[2], net_url("retry-after/2x1/status/404"));
	strlist_add(&m->urls[3], net_url("file"));
	m->o.jobs = 3;
	assert_false(many_run(m));
	assert_int_equal(m->err.code, ERR_NETWORK);
	assert_non_null(strstr(m->err.msg, "404"));
	assert_int_equal(m->jobs[2].err.code, ERR_NETWORK);
	assert_int_equal(m->jobs[0].err.code, ERR_NONE);
	assert_false(m->jobs[0].ok);
	assert_true(m->jobs[1].ok);
	assert_int_equal(net_length("many/0.part"), 1000);
	assert_false(net_exists("many/0"));
	assert_false(net_exists("many/2.part"));
	many_free(m);
	unlink(net_path("many/0.part"));
}

/* A mirror that only fails is left alone after a while, by files that have another one. */
static void budget_for(const char *mode)
{
	struct server bad;
	server_start(&bad, (const char *[]){"--root", net_path("root"), NULL});
	struct many *m = many_new(20);
	char url[128];
	m->o.jobs = 1;
	snprintf(url, sizeof url, "http://127.0.0.1:%d/%s/f", bad.port, mode);
	for (size_t i = 0; i < m->n; i++) {
		strlist_add(&m->urls[i], url);
		strlist_add(&m->urls[i], net_url("file"));
	}
	assert_true(many_run(m));
	assert_int_equal(asked("file"), 20);
	assert_int_equal(net_log_of(&bad, log_, MAX), 4);
	many_free(m);
	server_stop(&bad);
}

static void budget(void **state)
{
	budget_for("status/503");
	net_fresh(state);
	budget_for("corrupt/8");
}

/* Waiting for one server holds up nobody else. */
static void waiting_takes_no_slot(void **state)
{
	struct many *m = many_new(3);
	m->o.jobs = 1;
	strlist_add(&m->urls[0], net_url("retry-after/2x1"));
	strlist_add(&m->urls[1], net_url("file"));
	strlist_add(&m->urls[2], net_url("file"));
	assert_true(many_run(m));
	assert_int_equal(net_log(log_, MAX), 4);
	assert_string_equal(log_[0].mode, "retry-after");
	assert_int_equal(log_[0].status, 503);
	assert_string_equal(log_[1].mode, "file");
	assert_string_equal(log_[2].mode, "file");
	many_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(next_one_serves),
		cmocka_unit_test_setup(unreachable_first, net_fresh),
		cmocka_unit_test_setup(goes_on_where_the_other_stopped, net_fresh),
		cmocka_unit_test_setup(too_much_is_not_continued, net_fresh),
		cmocka_unit_test_setup(each_in_turn, net_fresh),
		cmocka_unit_test_setup(told_wait_is_the_real_one, net_fresh),
		cmocka_unit_test_setup(all_fail, net_fresh),
		cmocka_unit_test_setup(not_found_everywhere, net_fresh),
		cmocka_unit_test(read_along),
		cmocka_unit_test(twenty_files),
		cmocka_unit_test(no_files),
		cmocka_unit_test_setup(one_fails, net_fresh),
		cmocka_unit_test_setup(budget, net_fresh),
		cmocka_unit_test_setup(waiting_takes_no_slot, net_fresh),
	};
	return cmocka_run_group_tests(tests, net_setup, net_teardown);
}
