#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/attr.h"

struct item {
	pool_fn *fn;
	void *arg;
	uint64_t weight, seq;
};

struct pool {
	pthread_mutex_t mutex;
	pthread_cond_t work, idle;
	struct item *heap; /* heap[0] starts next */
	size_t n_items, busy;
	uint64_t seq;
	bool ending;
	int n;
	pthread_t threads[];
};

static bool before(const struct item *a, const struct item *b)
{
	return a->weight != b->weight ? a->weight > b->weight : a->seq < b->seq;
}

static void heap_push(struct pool *p, struct item it)
{
	size_t i = p->n_items;
	p->heap = array_grow(p->heap, p->n_items++, sizeof *p->heap);
	for (; i && before(&it, &p->heap[(i - 1) / 2]); i = (i - 1) / 2)
		p->heap[i] = p->heap[(i - 1) / 2];
	p->heap[i] = it;
}

static struct item heap_pop(struct pool *p)
{
	struct item top = p->heap[0], last = p->heap[--p->n_items];
	size_t i = 0;
	for (size_t c; (c = 2 * i + 1) < p->n_items; i = c) {
		if (c + 1 < p->n_items && before(&p->heap[c + 1], &p->heap[c]))
			c++;
		if (!before(&p->heap[c], &last))
			break;
		p->heap[i] = p->heap[c];
	}
	p->heap[i] = last;
	return top;
}

static void *worker(void *arg)
{
	struct pool *p = arg;
	pthread_mutex_lock(&p->mutex);
	for (;;) {
		while (!p->n_items && !p->ending)
			pthread_cond_wait(&p->work, &p->mutex);
		if (!p->n_items)
			break;
		struct item it = heap_pop(p);
		p->busy++;
		pthread_mutex_unlock(&p->mutex);
		it.fn(it.arg);
		pthread_mutex_lock(&p->mutex);
		p->busy--;
		if (!p->n_items && !p->busy)
			pthread_cond_broadcast(&p->idle);
	}
	pthread_mutex_unlock(&p->mutex);
	return NULL;
}

static int processors(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
	return n < 1 ? 1 : n > 64 ? 64 : n;
}

struct pool *pool_new(int threads)
{
	int n = threads > 0 ? threads : 2 * processors();
	struct pool *p = xcalloc(1, sizeof *p + (size_t)n * sizeof p->threads[0]);
	sigset_t all, old;
	pthread_mutex_init(&p->mutex, NULL);
	pthread_cond_init(&p->work, NULL);
	pthread_cond_init(&p->idle, NULL);
	/* Signals go to the main thread, which asks intr_pending. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	while (p->n < n && pthread_create(&p->threads[p->n], NULL, worker, p) == 0)
		p->n++;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return p;
}

int pool_threads(const struct pool *p)
{
	return p->n;
}

void pool_add(struct pool *p, pool_fn *fn, void *arg)
{
	pool_add_weighted(p, fn, arg, 0);
}

void pool_add_weighted(struct pool *p, pool_fn *fn, void *arg, uint64_t weight)
{
	/* Not one thread could be had: do it here. */
	if (p->n == 0) {
		fn(arg);
		return;
	}
	pthread_mutex_lock(&p->mutex);
	heap_push(p, (struct item){fn, arg, weight, p->seq++});
	pthread_cond_signal(&p->work);
	pthread_mutex_unlock(&p->mutex);
}

void pool_wait(struct pool *p)
{
	pthread_mutex_lock(&p->mutex);
	while (p->n_items || p->busy)
		pthread_cond_wait(&p->idle, &p->mutex);
	pthread_mutex_unlock(&p->mutex);
}

void pool_free(struct pool *p)
{
	if (!p)
		return;
	pool_wait(p);
	pthread_mutex_lock(&p->mutex);
	p->ending = true;
	pthread_cond_broadcast(&p->work);
	pthread_mutex_unlock(&p->mutex);
	for (int i = 0; i < p->n; i++)
		pthread_join(p->threads[i], NULL);
	pthread_mutex_destroy(&p->mutex);
	pthread_cond_destroy(&p->work);
	pthread_cond_destroy(&p->idle);
	free(p->heap);
	free(p);
}
