/* What is on disk already is used, or thrown away once; nothing complete is asked for twice. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ext/digest.h"
#include "net.h"

enum { MAX = 16 };
static struct request log_[MAX];

static void whole(void **state)
{
	struct get g = GET(net_url("file"));
	net_get_ok(&g);
	assert_int_equal(net_log(log_, MAX), 1);
	assert_string_equal(log_[0].range, "");
	assert_string_equal(log_[0].encoding, "identity");
	assert_int_equal(log_[0].sent, NET_SIZE);
	assert_string_equal(g.retries, "");
}

static void dest_is_there(void **state)
{
	struct get g = GET(net_url("file"));
	net_write("d", net.data, NET_SIZE);
	net_get_ok(&g);
	assert_int_equal(g.reused, 1);
	assert_int_equal(net_log(log_, MAX), 0);
	/* also when nobody told the size, and offline */
	g = GET(net_url("file"));
	g.no_size = g.o.offline = true;
	net_get_ok(&g);
	assert_int_equal(net_log(log_, MAX), 0);
}

static void count_damaged(void *ctx, const struct event *ev)
{
	struct get *g = ctx;
	g->notes += ev->kind == EVENT_NOTE && strstr(ev->text, "is damaged: fetching 'f' anew");
}

static void dest_is_wrong(void **state)
{
	unsigned char other[NET_SIZE] = {1};
	static const size_t sizes[] = {NET_SIZE, NET_SIZE - 1, 0};
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		net_fresh(state);
		struct get g = GET(net_url("file"));
		g.hook = count_damaged;
		net_write("d", other, sizes[i]);
		net_get_ok(&g);
		assert_int_equal(net_log(log_, MAX), 1);
		assert_int_equal(g.notes, 1);
	}
}

static void part_is_whole(void **state)
{
	for (int known = 0; known < 2; known++) {
		net_fresh(state);
		struct get g = GET(net_url("file"));
		g.no_size = !known;
		g.o.offline = true;
		net_write("d.part", net.data, NET_SIZE);
		net_get_ok(&g);
		assert_int_equal(net_log(log_, MAX), 0);
	}
}

static void part_is_wrong(void **state)
{
	unsigned char other[NET_SIZE] = {1};
	struct get g = GET(net_url("file"));
	net_write("d.part", other, NET_SIZE);
	net_get_ok(&g);
	assert_int_equal(net_log(log_, MAX), 1);
	assert_string_equal(log_[0].range, "");
}

static void part_is_too_long(void **state)
{
	struct get g = GET(net_url("file"));
	net_write("d.part", net.data, NET_SIZE);
	assert_int_equal(truncate(net_path("d.part"), 1 << 30), 0);
	net_get_ok(&g);
	assert_int_equal(net_log(log_, MAX), 1);
	assert_string_equal(log_[0].range, "");
}

static void part_is_a_beginning(void **state)
{
	static const size_t sizes[] = {1, 1000, NET_SIZE / 2, NET_SIZE - 1};
	for (size_t i = 0; i < 2 * ARRAY_LEN(sizes); i++) {
		char range[64];
		size_t n = sizes[i / 2];
		net_fresh(state);
		struct get g = GET(net_url("file"));
		g.no_size = i % 2;
		net_write("d.part", net.data, n);
		net_get_ok(&g);
		assert_int_equal(net_log(log_, MAX), 1);
		snprintf(range, sizeof range, "bytes=%zu-", n);
		assert_string_equal(log_[0].range, range);
		assert_int_equal(log_[0].status, 206);
		assert_int_equal(log_[0].sent, NET_SIZE - n);
	}
}

/* Wrong bytes of an earlier run: noticed at the end, thrown away once, fetched anew at once. */
static void part_is_a_wrong_beginning(void **state)
{
	struct get g = GET(net_url("file"));
	net_write("d.part", "something else", 14);
	net_get_ok(&g);
	assert_int_equal(net_log(log_, MAX), 2);
	assert_string_equal(log_[0].range, "bytes=14-");
	assert_string_equal(log_[1].range, "");
	assert_non_null(strstr(g.retries, "sha256 mismatch"));
}

/* A server that cannot continue a file: the whole is asked for, once, and nothing counts as a
 * failure. */
static void server_cannot_resume(void **state)
{
	static const struct {
		const char *mode;
		size_t requests;
	} cases[] = {{"norange", 1},	{"false206/1", 2},  {"false206/1000", 2},
		     {"badtotal/1", 2}, {"badtotal/-1", 2}, {"startotal", 2},
		     {"no206", 2},	{"416", 2},	    {"false206/1x1", 2},
		     {"nolength", 1},	{"chunked", 1}};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		net_fresh(state);
		struct get g = GET(net_url(cases[i].mode));
		net_write("d.part", net.data, 1000);
		net_get_ok(&g);
		assert_int_equal(net_log(log_, MAX), cases[i].requests);
		assert_string_equal(log_[0].range, "bytes=1000-");
		assert_string_equal(g.retries, "");
		if (cases[i].requests == 2)
			assert_string_equal(log_[1].range, "");
	}
}

/* Cut at each kind of place; the next request asks for the rest and for no byte more. */
static void cut_and_resumed(void **state)
{
	static const char *const modes[] = {"short", "nolengthcut", "chunkcut", "reset", "stall"};
	static const long places[] = {0, 1, NET_SIZE / 2, NET_SIZE - 1};
	for (size_t i = 0; i < ARRAY_LEN(modes) * ARRAY_LEN(places); i++) {
		const char *name = modes[i / ARRAY_LEN(places)];
		long at = places[i % ARRAY_LEN(places)], from = 0;
		char mode[64];
		snprintf(mode, sizeof mode, "%s/%ldx1", name, at);
		if (!strcmp(name, "stall") && at != 1)
			continue; /* takes the low-speed time, and more while the average is high */
		net_fresh(state);
		struct get g = GET(net_url(mode));
		g.o.low_speed_s = strcmp(name, "stall") ? 0 : 1;
		net_get_ok(&g);
		assert_int_equal(net_log(log_, MAX), 2);
		sscanf(log_[1].range, "bytes=%ld-", &from);
		/* A reset may take with it what the kernel had not handed over yet. */
		if (strcmp(name, "reset") != 0)
			assert_int_equal(from, at);
		assert_true(from <= at);
		assert_int_equal(log_[1].sent, NET_SIZE - from);
		assert_string_not_equal(g.retries, "");
	}
}

/* Each try ends at the same place of the file, so no try after the first brings anything. */
static void cut_for_ever(void **state)
{
	struct get g = GET(net_url("short/1000"));
	net_get_bad(&g, ERR_NETWORK, "cannot fetch", "/short/1000/f", NULL);
	assert_int_equal(net_log(log_, MAX), 3);
	assert_string_equal(log_[2].range, "bytes=1000-");
	assert_int_equal(net_length("d.part"), 1000);
	/* the next run goes on there */
	g = GET(net_url("file"));
	net_get_ok(&g);
	assert_int_equal(net_log(log_, MAX), 4);
	assert_string_equal(log_[3].range, "bytes=1000-");
}

/* Where each try brings a good piece, their number has no limit. */
static void many_good_pieces(void **state)
{
	enum { SIZE = 5 << 20, PIECE = (1 << 20) + 100 };
	struct err err;
	struct strlist urls = {0};
	char url[128], sha256[65];
	unsigned char *data = xcalloc(1, SIZE);
	net_write("root/big", data, SIZE);
	free(data);
	assert_true(digest_file(DIGEST_SHA256, net_path("root/big"), sha256, &err));
	snprintf(url, sizeof url, "http://127.0.0.1:%d/each/%d/big", net.server.port, (int)PIECE);
	strlist_add(&urls, url);
	struct fetch_job job = {.name = "big",
				.urls = &urls,
				.dest = net_path("d"),
				.sha256 = sha256,
				.size = SIZE};
	struct fetch_opts o = {.retries = 1, .retry_wait_ms = 1};
	if (!fetch_run(&job, 1, &o, NULL, NULL, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(net_log(log_, MAX), 5);
	for (long i = 0, sum = 0; i < 5; i++) {
		long from = 0;
		sscanf(log_[i].range, "bytes=%ld-", &from);
		assert_int_equal(from, sum);
		sum += log_[i].sent;
	}
	strlist_clear(&urls);
}

static void small_ranges(void **state)
{
	struct get g = GET(net_url("partial/150000"));
	net_write("d.part", net.data, 1);
	net_get_ok(&g);
	assert_int_equal(net_log(log_, MAX), 2);
	assert_string_equal(log_[1].range, "bytes=150001-");
}

/* Without a digest nobody can tell whether two halves belong together. */
static void no_digest_no_resume(void **state)
{
	struct get g = GET(net_url("short/1000x1"));
	g.sha256 = "";
	net_write("d.part", "something else", 14);
	net_write("d", "something else", 14);
	net_get_ok(&g);
	assert_int_equal(net_log(log_, MAX), 2);
	assert_string_equal(log_[0].range, "");
	assert_string_equal(log_[1].range, "");
}

static void part_is_no_file(void **state)
{
	struct get g = GET(net_url("file"));
	assert_int_equal(mkdir(net_path("d.part"), 0755), 0);
	net_get_bad(&g, ERR_FILESYSTEM, "d.part", NULL);
	rmdir(net_path("d.part"));
	assert_int_equal(symlink("/dev/null", net_path("d.part")), 0);
	net_get_bad(&g, ERR_FILESYSTEM, "d.part", NULL);
	unlink(net_path("d.part"));
	assert_int_equal(mkfifo(net_path("d.part"), 0644), 0);
	net_get_bad(&g, ERR_FILESYSTEM, "d.part", "not a regular file", NULL);
	assert_int_equal(net_log(log_, MAX), 0);
}

static void kill_at_first_byte(void *ctx, const struct event *ev)
{
	if (ev->kind == EVENT_FETCH)
		raise(SIGKILL);
}

static void raise_at_first_byte(void *ctx, const struct event *ev)
{
	if (ev->kind == EVENT_FETCH)
		raise(SIGINT);
}

/* The flag of intr cannot be taken back, so another process is interrupted. */
static void interrupted(void **state)
{
	struct get g = GET(net_url("stall/1000"));
	g.hook = raise_at_first_byte;
	net_get_interrupted(&g);
	assert_int_equal(net_length("d.part"), 1000);
	assert_false(net_exists("d"));
	g = GET(net_url("file"));
	net_get_ok(&g);
	size_t n = net_log(log_, MAX);
	assert_string_equal(log_[n - 1].range, "bytes=1000-");
}

static int holder = -1;

static void let_go(void *ctx, const struct event *ev)
{
	if (ev->kind != EVENT_NOTE)
		return;
	assert_non_null(strstr(ev->text, "another process"));
	close(holder);
	holder = -1;
}

/* Two processes never write one part: the second waits and finds what the first left. */
static void part_is_locked(void **state)
{
	struct get g = GET(net_url("file"));
	net_write("d.part", net.data, 5000);
	holder = open(net_path("d.part"), O_RDWR | O_CLOEXEC);
	assert_int_equal(flock(holder, LOCK_EX), 0);
	g.hook = let_go;
	net_get_ok(&g);
	assert_int_equal(holder, -1);
	assert_int_equal(net_log(log_, MAX), 1);
	assert_string_equal(log_[0].range, "bytes=5000-");
}

/* The connection of the killed process is gone, its part and its lock are not in the way. */
static void killed(void **state)
{
	struct get g = GET(net_url("stall/290000"));
	g.hook = kill_at_first_byte;
	net_get_killed(&g);
	assert_false(net_exists("d"));
	long n = (long)net_length("d.part"), from = 0;
	assert_in_range(n, 0, 290000);
	g = GET(net_url("file"));
	net_get_ok(&g);
	size_t requests = net_log(log_, MAX);
	sscanf(log_[requests - 1].range, "bytes=%ld-", &from);
	assert_int_equal(from, n);
}

/* One file, named twice: fetched once. */
static void same_file_twice(void **state)
{
	struct err err;
	struct strlist urls = {0};
	strlist_add(&urls, net_url("file"));
	struct fetch_job jobs[2];
	for (int i = 0; i < 2; i++)
		jobs[i] = (struct fetch_job){.name = "f",
					     .urls = &urls,
					     .dest = net_path("d"),
					     .sha256 = net.sha256,
					     .size = NET_SIZE};
	assert_true(fetch_run(jobs, 2, &(struct fetch_opts){0}, NULL, NULL, &err));
	assert_true(jobs[0].ok && jobs[1].ok);
	assert_int_equal(net_log(log_, MAX), 1);
	strlist_clear(&urls);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(whole, net_fresh),
		cmocka_unit_test_setup(dest_is_there, net_fresh),
		cmocka_unit_test(dest_is_wrong),
		cmocka_unit_test(part_is_whole),
		cmocka_unit_test_setup(part_is_wrong, net_fresh),
		cmocka_unit_test_setup(part_is_too_long, net_fresh),
		cmocka_unit_test(part_is_a_beginning),
		cmocka_unit_test_setup(part_is_a_wrong_beginning, net_fresh),
		cmocka_unit_test(server_cannot_resume),
		cmocka_unit_test(cut_and_resumed),
		cmocka_unit_test_setup(cut_for_ever, net_fresh),
		cmocka_unit_test_setup(many_good_pieces, net_fresh),
		cmocka_unit_test_setup(small_ranges, net_fresh),
		cmocka_unit_test_setup(no_digest_no_resume, net_fresh),
		cmocka_unit_test_setup(part_is_no_file, net_fresh),
		cmocka_unit_test_setup(interrupted, net_fresh),
		cmocka_unit_test_setup(killed, net_fresh),
		cmocka_unit_test_setup(part_is_locked, net_fresh),
		cmocka_unit_test_setup(same_file_twice, net_fresh),
	};
	return cmocka_run_group_tests(tests, net_setup, net_teardown);
}
