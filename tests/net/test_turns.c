/* One transfer at once, and bytes that come faster than they are used: two files take turns. */
#include <unistd.h>

#include "ext/digest.h"
#include "net.h"

enum { MAX = 32, FILES = 3, TURN = 40000, ALL = 2 * TURN };
static struct request log_[MAX];

struct way {
	const char *modes[FILES]; /* how each file is served; NULL: no such file */
	uint64_t behind;	  /* bytes that are not used yet, always */
	int jobs;
};

static void arrived(void *ctx, struct fetch_job *job, const char *path, uint64_t bytes,
		    bool restarted)
{
	(void)ctx, (void)path, (void)restarted;
	assert_true(bytes <= job->size);
}

static uint64_t behind(void *ctx, struct fetch_job *job)
{
	const struct way *w = ctx;
	(void)job;
	return w->behind;
}

static bool is_right(const char *path)
{
	char hex[65];
	struct err err;
	return digest_file(DIGEST_SHA256, path, hex, &err) && !strcmp(hex, net.sha256);
}

/* Fetches them, in vain when `bad`; the number of requests. */
static size_t fetch(void **state, struct way *w, bool bad)
{
	static const char *const names[FILES] = {"a", "b", "c"};
	struct fetch_job jobs[FILES];
	struct strlist urls[FILES] = {0};
	struct fetch_opts o = {.jobs = w->jobs ? w->jobs : 1, .turn = TURN, .retry_wait_ms = 1};
	struct err err;
	size_t n = 0;
	net_fresh(state);
	for (size_t i = 0; i < FILES; i++)
		unlink(net_path(names[i]));
	for (; n < FILES && w->modes[n]; n++) {
		strlist_add(&urls[n], net_url(w->modes[n]));
		jobs[n] = (struct fetch_job){.name = names[n],
					     .urls = &urls[n],
					     .dest = net_path(names[n]),
					     .sha256 = net.sha256,
					     .size = NET_SIZE,
					     .arrived = arrived,
					     .behind = behind};
	}
	assert_int_equal(fetch_run(jobs, n, &o, NULL, w, &err), !bad);
	for (size_t i = 0; i < n; i++) {
		assert_true(bad || is_right(net_path(names[i])));
		strlist_clear(&urls[i]);
	}
	return net_log(log_, MAX);
}

/* Each request: of which file, which bytes. */
static void check(size_t n, const char *const *ranges)
{
	for (size_t i = 0; i < n; i++)
		assert_string_equal(log_[i].range, ranges[i]);
	assert_null(ranges[n]);
}

static void in_turns(void **state)
{
	/* Half of the rest each time; no third file before one of the two is whole. */
	static const char *const ranges[] = {
		"bytes=0-149999", "bytes=0-149999", "bytes=150000-224999",
		"bytes=225000-",  "bytes=0-149999", "bytes=150000-224999",
		"bytes=225000-",  "bytes=150000-",  NULL};
	struct way w = {.modes = {"file", "file", "file"}, .behind = ALL};
	check(fetch(state, &w, false), ranges);
	long sent = 0;
	for (size_t i = 0; ranges[i]; i++)
		sent += log_[i].sent;
	assert_int_equal(sent, 3 * NET_SIZE);
	assert_int_equal(log_[7].connection, log_[0].connection);
}

/* After its first turn each goes on to its end, and the last one needs none. */
static void used_at_once(void **state)
{
	static const char *const ranges[] = {"bytes=0-149999", "bytes=150000-", "", NULL};
	struct way w = {.modes = {"file", "file"}};
	check(fetch(state, &w, false), ranges);
}

static void no_turns(void **state)
{
	struct way alone = {.modes = {"file"}, .behind = ALL};
	struct way side = {.modes = {"file", "file"}, .behind = ALL, .jobs = 2};
	assert_int_equal(fetch(state, &alone, false), 1);
	assert_string_equal(log_[0].range, "");
	assert_int_equal(fetch(state, &side, false), 2);
	assert_string_equal(log_[0].range, "");
}

/* Asked for the whole then, once, and never for a turn again. */
static void server_cannot(void **state)
{
	static const struct {
		const char *mode;
		size_t requests;
	} cases[] = {{"norange", 1}, {"false206/1", 2}, {"badtotal/1", 2}, {"startotal", 2},
		     {"no206", 2},   {"416", 2},	{"html", 1},	   {"rawhtml", 1}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		bool bad = i >= 6;
		struct way w = {.modes = {cases[i].mode, "file"}, .behind = ALL};
		size_t n = fetch(state, &w, bad);
		assert_int_equal(n, cases[i].requests + !bad);
		assert_string_equal(log_[0].range, "bytes=0-149999");
		if (cases[i].requests == 2)
			assert_string_equal(log_[1].range, "");
		if (!bad)
			assert_string_equal(log_[n - 1].range, "");
	}
}

/* Nothing comes twice when a turn is cut. */
static void cut(void **state)
{
	static const char *const modes[] = {"each/100000",   "short/100000x1", "reset/200000x1",
					    "partial/60000", "chunked",	       "nolength"};
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
		struct way w = {.modes = {modes[i], "file"}, .behind = ALL};
		size_t n = fetch(state, &w, false);
		long sent = 0;
		for (size_t k = 0; k < n; k++)
			sent += log_[k].sent;
		assert_in_range(sent, 2 * NET_SIZE, 2 * NET_SIZE + (i == 2 ? 100000 : 0));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_turns), cmocka_unit_test(used_at_once),
		cmocka_unit_test(no_turns), cmocka_unit_test(server_cannot),
		cmocka_unit_test(cut),
	};
	return cmocka_run_group_tests(tests, net_setup, net_teardown);
}
