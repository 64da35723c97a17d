#include "core/pyindex.h"

enum { RETRIES = 3, RETRY_WAIT_MS = 300 };

bool pyindex_ask(const struct source_ctx *ctx, const char *arch, pyindex_fn *fn, void *arg,
		 struct err *err)
{
	struct pyconf conf;
	struct pyindex ix;
	if (!pyconf_load(&conf, ctx->config, ctx->events, err))
		return false;
	struct fetch_opts fetch = {.retries = RETRIES,
				   .retry_wait_ms = RETRY_WAIT_MS,
				   .quick = ctx->quick,
				   .offline = ctx->offline,
				   .ca_file = conf.ca_file,
				   .events = ctx->events};
	bool ok = pyindex_init(&ix, &conf, arch, &fetch, ctx->cache_dir, err);
	if (ok) {
		ok = fn(&ix, arg, err);
		pyindex_clear(&ix);
	}
	pyconf_clear(&conf);
	return ok;
}
