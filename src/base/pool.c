#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/attr.h"

struct item {
	struct item *next;
	pool_fn *fn;
	void *arg;
};

struct pool {
	pthread_mutex_t mutex;
	pthread_cond_t work, idle;
	struct item *head, **tail;
	size_t busy;
	bool ending;
	int n;
	pthread_t threads[];
};

static void *worker(void *arg)
{
	struct pool *p = arg;
	pthread_mutex_lock(&p->mutex);
	for (;;) {
		while (!p->head && !p->ending)
			pthread_cond_wait(&p->work, &p->mutex);
		if (!p->head)
			break;
		struct item *it = p->head;
		p->head = it->next;
		if (!p->head)
			p->tail = &p->head;
		p->busy++;
		pthread_mutex_unlock(&p->mutex);
		it->fn(it->arg);
		free(it);
		pthread_mutex_lock(&p->mutex);
		p->busy--;
		if (!p->head && !p->busy)
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
	int n = threads > 0 ? threads : processors();
	struct pool *p = xcalloc(1, sizeof *p + (size_t)n * sizeof p->threads[0]);
	sigset_t all, old;
	pthread_mutex_init(&p->mutex, NULL);
	pthread_cond_init(&p->work, NULL);
	pthread_cond_init(&p->idle, NULL);
	p->tail = &p->head;
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
	/* Not one thread could be had: do it here. */
	if (p->n == 0) {
		fn(arg);
		return;
	}
	struct item *it = xmalloc(sizeof *it);
	*it = (struct item){NULL, fn, arg};
	pthread_mutex_lock(&p->mutex);
	*p->tail = it;
	p->tail = &it->next;
	pthread_cond_signal(&p->work);
	pthread_mutex_unlock(&p->mutex);
}

void pool_wait(struct pool *p)
{
	pthread_mutex_lock(&p->mutex);
	while (p->head || p->busy)
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
	free(p);
}
