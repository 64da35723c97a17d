#include "base/pool.h"

#include "scratch.h"

#include <pthread.h>
#include <signal.h>

struct work {
	struct pool *pool;
	unsigned count;
	pthread_mutex_t gate;
	int order[16];
	size_t n;
};

static struct work w;

static void count_one(void *arg)
{
	__atomic_add_fetch(&w.count, 1, __ATOMIC_RELAXED);
}

static void runs_all(void **state)
{
	for (int threads = 0; threads < 4; threads++) {
		w = (struct work){.pool = pool_new(threads)};
		assert_true(pool_threads(w.pool) >= 1);
		assert_true(threads == 0 || pool_threads(w.pool) == threads);
		for (int i = 0; i < 5000; i++)
			pool_add_weighted(w.pool, count_one, NULL, (uint64_t)i * 7919 % 101);
		pool_wait(w.pool);
		assert_int_equal(w.count, 5000);
		pool_wait(w.pool);
		pool_free(w.pool);
	}
	pool_free(NULL);
}

static void add_more(void *arg)
{
	size_t n = *(size_t *)arg;
	static size_t next[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
	count_one(NULL);
	for (size_t i = 0; n && i < 2; i++)
		pool_add(w.pool, add_more, &next[n - 1]);
}

/* 2^9 - 1 jobs, each added by another one: wait and free see them all. */
static void jobs_add_jobs(void **state)
{
	size_t depth = 8;
	w = (struct work){.pool = pool_new(3)};
	pool_add(w.pool, add_more, &depth);
	pool_free(w.pool);
	assert_int_equal(w.count, 511);
}

static void pass_gate(void *arg)
{
	pthread_mutex_lock(&w.gate);
	pthread_mutex_unlock(&w.gate);
}

static void note(void *arg)
{
	w.order[w.n++] = *(const int *)arg;
}

static void heaviest_first(void **state)
{
	static const int number[] = {0, 1, 2, 3, 4, 5, 6, 7};
	static const uint64_t weight[] = {5, 0, UINT64_MAX, 5, 0, 7, 1, 5};
	static const int right[] = {2, 5, 0, 3, 7, 6, 1, 4};
	w = (struct work){.pool = pool_new(1), .gate = PTHREAD_MUTEX_INITIALIZER};
	pthread_mutex_lock(&w.gate);
	pool_add_weighted(w.pool, pass_gate, NULL, UINT64_MAX);
	for (size_t i = 0; i < ARRAY_LEN(number); i++)
		pool_add_weighted(w.pool, note, (void *)(uintptr_t)&number[i], weight[i]);
	pthread_mutex_unlock(&w.gate);
	pool_free(w.pool);
	assert_int_equal(w.n, ARRAY_LEN(right));
	assert_memory_equal(w.order, right, sizeof right);
}

static void ask_mask(void *arg)
{
	pthread_sigmask(SIG_SETMASK, NULL, arg);
}

static void signals_go_elsewhere(void **state)
{
	sigset_t in, here;
	sigemptyset(&in);
	struct pool *p = pool_new(1);
	pool_add(p, ask_mask, &in);
	pool_free(p);
	assert_true(sigismember(&in, SIGINT) && sigismember(&in, SIGTERM));
	pthread_sigmask(SIG_SETMASK, NULL, &here);
	assert_false(sigismember(&here, SIGINT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_all),
		cmocka_unit_test(jobs_add_jobs),
		cmocka_unit_test(heaviest_first),
		cmocka_unit_test(signals_go_elsewhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
