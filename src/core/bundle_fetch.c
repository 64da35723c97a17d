#include <stdlib.h>
#include <sys/stat.h>

#include "base/tree.h"
#include "core/bundle_item.h"
#include "core/cache.h"
#include "core/config.h"
#include "ext/fetch.h"

/* What is in the cache by that name is whole. */
static bool in_cache(const struct source_ctx *ctx, struct bundle_item *it)
{
	struct stat st;
	autofree char *path = cache_path(ctx->cache_dir, it->c->sha256, it->c->file);
	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) ||
	    (it->size && (uint64_t)st.st_size != it->size))
		return false;
	it->size = (uint64_t)st.st_size;
	it->place.path = take_ptr(path);
	return true;
}

/* Some indexes tell no sizes. */
static bool on_this_machine(struct bundle_item *it)
{
	struct stat st;
	if (!local_place_find(it->c, &it->place))
		return false;
	if (!it->size)
		it->size = it->place.size		    ? it->place.size
			   : stat(it->place.path, &st) == 0 ? (uint64_t)st.st_size
							    : 0;
	return true;
}

/* What of one release is neither here nor in the cache: each has its own certificates and proxy. */
static size_t make_jobs(const struct source_ctx *ctx, const struct release *from,
			struct bundle_item *items, size_t n_items, struct fetch_job *jobs)
{
	size_t n = 0;
	for (size_t i = 0; i < n_items; i++) {
		struct bundle_item *it = &items[i];
		if (it->from != from || in_cache(ctx, it) || on_this_machine(it))
			continue;
		jobs[n++] = (struct fetch_job){
			.name = it->c->name,
			.urls = &it->c->urls,
			.dest = cache_path(ctx->cache_dir, it->c->sha256, it->c->file),
			.sha256 = it->c->sha256,
			.size = it->size,
			.user = it,
		};
	}
	return n;
}

static bool fetch_jobs(const struct source_ctx *ctx, const struct release *from,
		       struct fetch_job *jobs, size_t n, struct err *err)
{
	struct fetch_opts o = {
		.jobs = (int)config_number(ctx->config, CONFIG_JOBS),
		.offline = ctx->offline,
		.ca_file = from->ca_file,
		.proxy = from->proxy,
		.events = ctx->events,
	};
	uint64_t total = 0;
	for (size_t i = 0; i < n; i++)
		total += jobs[i].size;
	event_emit(ctx->events, &(struct event){.kind = EVENT_TOTAL, .total = total, .count = n});
	if (!tree_mkdirs(ctx->cache_dir, err) || !fetch_run(jobs, n, &o, NULL, NULL, err))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!in_cache(ctx, jobs[i].user))
			return err_set(err, ERR_FILESYSTEM, "'%s' went away", jobs[i].dest);
	return true;
}

bool bundle_fetch(const struct source_ctx *ctx, const struct release *from,
		  struct bundle_item *items, size_t n_items, struct err *err)
{
	struct fetch_job *jobs = xcalloc(n_items, sizeof *jobs);
	size_t n = make_jobs(ctx, from, items, n_items, jobs);
	bool ok = !n || fetch_jobs(ctx, from, jobs, n, err);
	for (size_t i = 0; i < n; i++)
		free((char *)(uintptr_t)jobs[i].dest);
	free(jobs);
	return ok;
}
