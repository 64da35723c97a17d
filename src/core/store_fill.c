#include "core/store_fill.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/cache.h"
#include "core/growing.h"
#include "core/local_place.h"
#include "core/store.h"
#include "ext/digest.h"
#include "ext/fetch.h"

/*
 * Archives that are read while they arrive: one for each download at once, and some for those that
 * are there already, so that a slow server does not keep the processors waiting. Each takes about
 * 14 MiB.
 */
enum { DOWNLOADS = 4, READERS_MIN = 6, READERS_MAX = 8 };

struct fill {
	struct store_target to;
	struct pool *readers;
	pthread_mutex_t mutex; /* guards err */
	atomic_bool failed;
	struct err err;
};

/* One archive that the store lacks. */
struct item {
	struct fill *f;
	const struct component *c;
	struct growing *g;	  /* once it has begun to arrive */
	struct local_place local; /* where it is on this machine; path NULL: it is fetched */
	bool whole;
};

static void fail(struct fill *f, const struct err *err)
{
	pthread_mutex_lock(&f->mutex);
	if (!f->failed)
		f->err = *err;
	atomic_store(&f->failed, true);
	pthread_mutex_unlock(&f->mutex);
}

static void on_stored(void *ctx, const struct component *c, bool ok, const struct err *err)
{
	(void)c;
	/* Without a code: its download failed, and says itself why. */
	if (!ok && err->code)
		fail(ctx, err);
}

static void on_arrived(void *ctx, struct fetch_job *job, const char *path, uint64_t bytes,
		       bool restarted)
{
	struct fill *f = ctx;
	struct item *it = job->user;
	struct err err;
	if (!it->g && !bytes)
		return;
	if (!it->g) {
		it->g = growing_new();
		growing_arrived(it->g, path, bytes, false);
		if (!store_add_growing(&f->to, it->c, it->g, f->readers, &err))
			fail(f, &err);
	} else {
		growing_arrived(it->g, path, bytes, restarted);
	}
}

static uint64_t on_behind(void *ctx, struct fetch_job *job)
{
	(void)ctx;
	const struct item *it = job->user;
	return it->g ? growing_behind(it->g) : 0;
}

static void on_fetched(void *ctx, struct fetch_job *job)
{
	struct fill *f = ctx;
	struct item *it = job->user;
	struct err err;
	it->whole = true;
	if (it->g)
		growing_end(it->g, true);
	else if (!store_add(&f->to, it->c, job->dest, &err))
		fail(f, &err);
}

static bool check_local(const struct component *c, const struct local_place *p, struct err *err)
{
	char hex[65];
	uint64_t size = p->size ? p->size : UINT64_MAX;
	if (c->hashed)
		return true;
	if (!digest_part(DIGEST_SHA256, p->path, p->offset, size, hex, err))
		return false;
	return !strcmp(hex, component_archive(c)) ||
	       err_set(err, ERR_INTEGRITY, "'%s'%s%s: sha256 mismatch: wanted %s, got %s", p->path,
		       p->size ? ": " : "", p->size ? c->file : "", component_archive(c), hex);
}

static bool add_local(struct item *it, struct err *err)
{
	const struct local_place *p = &it->local;
	return store_add_part(&it->f->to, it->c, p->path, p->offset, p->size, err);
}

static void run_local(void *arg)
{
	struct item *it = arg;
	const struct component *c = it->c;
	struct err err;
	if (it->f->failed)
		return;
	bool ok = check_local(c, &it->local, &err);
	if (ok)
		event_emit(it->f->to.events, &(struct event){.kind = EVENT_FETCH,
							     .name = c->name,
							     .done = c->size,
							     .total = c->size});
	if (!ok || !add_local(it, &err))
		fail(it->f, &err);
}

/* A wheel has its directory at its end. And a reader needs a thread of its own to wait on. */
static bool can_grow(const struct fill *f, const struct component *c)
{
	return c->kind != ARCHIVE_WHEEL && pool_threads(f->readers) > 0;
}

static size_t lacking(const struct plan *p)
{
	size_t n = 0;
	for (size_t i = 0; i < p->n; i++)
		n += p->items[i].from != PLAN_STORE;
	return n;
}

static size_t make_jobs(struct fill *f, const struct plan *p, const char *cache_dir,
			struct item *items, struct fetch_job *jobs)
{
	size_t n = 0;
	for (size_t i = 0; i < p->n; i++) {
		const struct component *c = p->items[i].c;
		items[i] = (struct item){.f = f, .c = c};
		if (p->items[i].from == PLAN_STORE) {
			event_emit(f->to.events, &(struct event){.kind = EVENT_REUSE,
								 .name = c->name,
								 .text = "in the store",
								 .total = c->size});
			continue;
		}
		/* Read where it is: a copy in the cache would cost more than unpacking it. */
		if (p->items[i].from == PLAN_FETCH && local_place_find(c, &items[i].local)) {
			pool_add_weighted(f->to.pool, run_local, &items[i], UINT64_MAX);
			continue;
		}
		jobs[n] = (struct fetch_job){
			.name = c->name,
			.urls = &c->urls,
			.dest = cache_path(cache_dir, component_archive(c), c->file),
			.sha256 = component_archive(c),
			.size = c->size,
			.user = &items[i],
			.arrived = can_grow(f, c) ? on_arrived : NULL,
			.behind = can_grow(f, c) ? on_behind : NULL,
		};
		n++;
	}
	return n;
}

static bool fetch_all(struct fill *f, struct fetch_job *jobs, size_t n, const struct release *r,
		      const struct config *cfg, struct err *err)
{
	long jobs_at_once = config_number(cfg, CONFIG_JOBS);
	struct fetch_opts opts = {
		.jobs = jobs_at_once ? (int)jobs_at_once : DOWNLOADS,
		.offline = config_bool(cfg, CONFIG_OFFLINE),
		.ca_file = r->ca_file,
		.proxy = r->proxy,
		.events = f->to.events,
		.cancel = &f->failed,
	};
	bool ok = fetch_run(jobs, n, &opts, on_fetched, f, err);
	for (size_t i = 0; i < n; i++) {
		const struct item *it = jobs[i].user;
		if (it->g && !it->whole)
			growing_end(it->g, false);
	}
	/* Readers hand their entries to the other pool to be published. */
	pool_wait(f->readers);
	pool_wait(f->to.pool);
	if (f->failed)
		*err = f->err;
	return ok && !f->failed;
}

static int count_readers(const struct config *cfg, const struct pool *workers)
{
	long jobs = config_number(cfg, CONFIG_JOBS);
	/* The pool has two threads a processor. */
	long n = jobs ? jobs + 2 : DOWNLOADS + pool_threads(workers) / 2;
	return n < READERS_MIN && !jobs ? READERS_MIN : n > READERS_MAX ? READERS_MAX : (int)n;
}

bool store_fill(const struct layout *l, const struct config *cfg, const struct release *r,
		const struct plan *p, const struct events *ev, struct err *err)
{
	struct fill f = {.mutex = PTHREAD_MUTEX_INITIALIZER};
	struct item *items = xcalloc(p->n, sizeof *items);
	struct fetch_job *jobs = xcalloc(p->n, sizeof *jobs);
	f.to = (struct store_target){
		.l = l,
		.arch = r->arch,
		.pool = pool_new((int)config_number(cfg, CONFIG_JOBS)),
		.events = ev,
		.done = on_stored,
		.ctx = &f,
	};
	f.readers = pool_new(count_readers(cfg, f.to.pool));
	event_emit(ev,
		   &(struct event){.kind = EVENT_TOTAL, .total = p->fetch, .count = lacking(p)});
	size_t n = make_jobs(&f, p, config_get(cfg, CONFIG_CACHE_DIR), items, jobs);
	bool ok = fetch_all(&f, jobs, n, r, cfg, err);
	pool_free(f.readers);
	pool_free(f.to.pool);
	for (size_t i = 0; i < n; i++)
		free((char *)(uintptr_t)jobs[i].dest);
	for (size_t i = 0; i < p->n; i++) {
		growing_free(items[i].g);
		local_place_clear(&items[i].local);
	}
	free(jobs);
	free(items);
	return ok;
}
