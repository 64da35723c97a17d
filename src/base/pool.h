#pragma once
/* A fixed set of worker threads and a queue of small jobs. */
#include <stddef.h>
#include <stdint.h>

struct pool;
typedef void pool_fn(void *arg);

/* threads 0: two for each processor that this process may use, since jobs wait for the disk as well. */
struct pool *pool_new(int threads);
int pool_threads(const struct pool *p);
/* May be called from any thread, from jobs as well. */
void pool_add(struct pool *p, pool_fn *fn, void *arg);
/* The same; jobs of greater weight start first, equal ones in order of arrival. pool_add: weight 0. */
void pool_add_weighted(struct pool *p, pool_fn *fn, void *arg, uint64_t weight);
/* Until the queue is empty and no job runs. Not from a job. */
void pool_wait(struct pool *p);
/* Waits, ends the threads, frees. NULL is fine. */
void pool_free(struct pool *p);
