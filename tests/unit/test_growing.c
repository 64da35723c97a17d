#include "core/growing.h"

#include "scratch.h"

#include <pthread.h>

enum { SIZE = 200000 };
static unsigned char content[2][SIZE];

static void append(const char *path, const unsigned char *data, size_t from, size_t to)
{
	autoclose int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, data + from, to - from, (off_t)from), to - from);
}

/* Reads all of it on its own thread, starting over as often as it has to. */
struct reading {
	struct growing_reader r;
	pthread_t thread;
	unsigned char got[SIZE + 1];
	size_t n;
	int rounds;
	ptrdiff_t last;
	enum growing_fate fate;
	struct err err;
};

static void *read_all(void *arg)
{
	struct reading *x = arg;
	do {
		growing_rewind(&x->r);
		x->rounds++;
		x->n = 0;
		while ((x->last = growing_read(&x->r, x->got + x->n,
					       x->n + 7000 < sizeof x->got ? 7000
									   : sizeof x->got - x->n,
					       &x->err)) > 0)
			x->n += (size_t)x->last;
		if (x->err.code == ERR_FILESYSTEM)
			break;
		x->fate = growing_fate(&x->r);
	} while (x->last < 0 && x->fate == GROWING_RESTARTED);
	growing_close(&x->r);
	return NULL;
}

static void start(struct reading *x, struct growing *g)
{
	*x = (struct reading){.r = {.g = g, .fd = -1}};
	assert_int_equal(pthread_create(&x->thread, NULL, read_all, x), 0);
}

static void join(struct reading *x)
{
	assert_int_equal(pthread_join(x->thread, NULL), 0);
}

static void check(const struct reading *x, const unsigned char *data)
{
	assert_int_equal(x->last, 0);
	assert_int_equal(x->fate, GROWING_WHOLE);
	assert_int_equal(x->n, SIZE);
	assert_memory_equal(x->got, data, SIZE);
}

static void tells_what_is_left(void **state)
{
	struct growing *g = growing_new();
	struct growing_reader r = {.g = g, .fd = -1};
	unsigned char buf[1000];
	struct err err;
	append("left", content[0], 0, 5000);
	assert_int_equal(growing_behind(g), 0);
	growing_arrived(g, "left", 5000, false);
	growing_rewind(&r);
	assert_int_equal(growing_behind(g), 5000);
	assert_int_equal(growing_read(&r, buf, sizeof buf, &err), 1000);
	assert_int_equal(growing_read(&r, buf, sizeof buf, &err), 1000);
	assert_int_equal(growing_behind(g), 4000);
	growing_arrived(g, "left", 500, true);
	assert_int_equal(growing_behind(g), 0);
	growing_end(g, false);
	growing_close(&r);
	growing_free(g);
}

static void grows(void **state)
{
	struct growing *g = growing_new();
	struct reading x, y;
	start(&x, g);
	for (size_t at = 0; at < SIZE; at += 1000) {
		append("a.part", content[0], at, at + 1000);
		growing_arrived(g, "a.part", at + 1000, false);
		if (at == 50000)
			start(&y, g);
	}
	/* It gets its final name before the end is told. */
	assert_int_equal(rename("a.part", "a"), 0);
	growing_end(g, true);
	join(&x);
	join(&y);
	check(&x, content[0]);
	check(&y, content[0]);
	assert_int_equal(x.rounds, 1);
	growing_free(g);
}

static void whole(void **state)
{
	append("w", content[1], 0, SIZE);
	struct growing *g = growing_whole("w");
	struct reading x;
	start(&x, g);
	join(&x);
	check(&x, content[1]);
	growing_free(g);
	g = growing_whole("nothing");
	start(&x, g);
	join(&x);
	assert_int_equal(x.last, -1);
	assert_int_equal(x.err.code, ERR_FILESYSTEM);
	assert_int_equal(x.err.sys, ENOENT);
	assert_non_null(strstr(x.err.msg, "nothing"));
	growing_free(g);
}

static void a_part(void **state)
{
	autoclose int fd = open("p", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	assert_true(pwrite(fd, content[1], SIZE, 8) == SIZE &&
		    pwrite(fd, "behind", 6, 8 + SIZE) == 6);
	struct growing *g = growing_part("p", 8, SIZE);
	struct reading x;
	start(&x, g);
	join(&x);
	check(&x, content[1]);
	growing_free(g);
	/* The file ends before the part does. */
	g = growing_part("p", 8 + 6, SIZE + 100);
	start(&x, g);
	join(&x);
	assert_int_equal(x.last, 0);
	growing_free(g);
}

/* Bytes that are told never mix with those of the round before, however late the reader is. */
static void starts_over(void **state)
{
	for (int same_file = 0; same_file < 2; same_file++) {
		struct growing *g = growing_new();
		struct reading x;
		append("one", content[0], 0, SIZE);
		growing_arrived(g, "one", 120000, false);
		start(&x, g);
		usleep(20000);
		const char *path = same_file ? "one" : "two";
		if (same_file)
			assert_int_equal(truncate("one", 0), 0);
		growing_arrived(g, path, 0, true);
		for (size_t at = 0; at < SIZE; at += 20000) {
			append(path, content[1], at, at + 20000);
			growing_arrived(g, path, at + 20000, false);
		}
		growing_end(g, true);
		join(&x);
		check(&x, content[1]);
		growing_free(g);
		unlink("one");
		unlink("two");
	}
}

/* Cut short although nobody told: the reader waits rather than taking it for the end. */
static void cut_under_the_reader(void **state)
{
	struct growing *g = growing_new();
	struct reading x;
	append("c", content[0], 0, 1000);
	growing_arrived(g, "c", 150000, false);
	start(&x, g);
	usleep(20000);
	append("c", content[0], 1000, SIZE);
	growing_arrived(g, "c", SIZE, false);
	growing_end(g, true);
	join(&x);
	check(&x, content[0]);
	growing_free(g);
}

static void is_lost(void **state)
{
	for (int begun = 0; begun < 2; begun++) {
		struct growing *g = growing_new();
		struct reading x;
		append("l", content[0], 0, 5000);
		if (begun)
			growing_arrived(g, "l", 5000, false);
		start(&x, g);
		usleep(10000);
		growing_end(g, false);
		join(&x);
		assert_int_equal(x.last, -1);
		assert_int_equal(x.err.code, ERR_NONE);
		assert_int_equal(x.fate, GROWING_LOST);
		growing_free(g);
	}
}

static void *cancel_soon(void *arg)
{
	usleep(20000);
	growing_cancel(arg);
	return NULL;
}

static void is_cancelled(void **state)
{
	struct growing *g = growing_new();
	struct growing_reader r = {.g = g, .fd = -1};
	struct err err = {.code = ERR_FAILED};
	pthread_t thread;
	char c;
	append("x", content[0], 0, 1);
	growing_arrived(g, "x", 1, false);
	growing_rewind(&r);
	assert_int_equal(growing_read(&r, &c, 1, &err), 1);
	assert_int_equal(pthread_create(&thread, NULL, cancel_soon, &r), 0);
	assert_int_equal(growing_read(&r, &c, 1, &err), -1);
	assert_int_equal(err.code, ERR_NONE);
	assert_int_equal(growing_read(&r, &c, 1, &err), -1);
	pthread_join(thread, NULL);
	growing_rewind(&r);
	assert_int_equal(growing_read(&r, &c, 1, &err), 1);
	growing_close(&r);
	growing_free(g);
	growing_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(tells_what_is_left, scratch_enter, scratch_leave),
		cmocka_unit_test_setup_teardown(grows, scratch_enter, scratch_leave),
		cmocka_unit_test_setup_teardown(whole, scratch_enter, scratch_leave),
		cmocka_unit_test_setup_teardown(a_part, scratch_enter, scratch_leave),
		cmocka_unit_test_setup_teardown(starts_over, scratch_enter, scratch_leave),
		cmocka_unit_test_setup_teardown(cut_under_the_reader, scratch_enter, scratch_leave),
		cmocka_unit_test_setup_teardown(is_lost, scratch_enter, scratch_leave),
		cmocka_unit_test_setup_teardown(is_cancelled, scratch_enter, scratch_leave),
	};
	for (size_t i = 0; i < SIZE; i++) {
		content[0][i] = (unsigned char)(i * 7 + i / 251);
		content[1][i] = (unsigned char)(i * 13 + i / 239);
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
