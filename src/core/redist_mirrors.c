#include "core/redist_mirrors.h"

#include <string.h>

#include "core/config.h"
#include "core/bundle_tar.h"
#include "core/local_place.h"
#include "core/pyurl.h"

static const char nvidia[] = "https://developer.download.nvidia.com/compute";

void redist_mirrors(const struct source_ctx *ctx, struct strlist *out)
{
	const char *s = config_get(ctx->config, CONFIG_MIRROR);
	while (*(s += strspn(s, " ,\t"))) {
		size_t n = strcspn(s, " ,\t");
		size_t k = n;
		while (k > 1 && s[k - 1] == '/')
			k--;
		autofree char *word = xstrndup(s, k);
		autofree char *url = *word == '/' ? pyurl_from_path(word) : xstrdup(word);
		strlist_add(out, url);
		s += n;
	}
	if (!out->n)
		strlist_add(out, nvidia);
}

void redist_folders(const char *mirror, const char *product, struct strlist *out)
{
	autofree char *layout = xasprintf("%s/%s/redist/", mirror, product);
	autofree char *plain = xasprintf("%s/", mirror);
	strlist_add(out, layout);
	/* That of NVIDIA's own host is known. */
	if (strcmp(mirror, nvidia) != 0)
		strlist_add(out, plain);
}

struct fetch_opts redist_fetch_opts(const struct source_ctx *ctx)
{
	struct fetch_opts o = {.offline = ctx->offline, .events = ctx->events};
	if (ctx->quick) {
		o.retries = 1;
		o.retry_wait_ms = 200;
		o.low_speed_s = 8;
		o.quick = true;
	}
	return o;
}

bool redist_read(const struct source_ctx *ctx, const char *url, const char *accept,
		 struct buf *body, struct err *err)
{
	struct fetch_opts o = redist_fetch_opts(ctx);
	struct fetch_answer a = {.body = *body};
	autofree char *path = pyurl_to_path(url);
	struct local_place p = {0};
	bool inside = false;
	if (path && !local_place_member(path, &inside, &p, err))
		return false;
	if (inside) {
		bool ok = bundle_part_read(p.path, p.offset, p.size, body, err);
		local_place_clear(&p);
		return ok;
	}
	bool ok = fetch_memory(url, accept, &o, &a, err);
	*body = a.body;
	a.body = BUF_INIT(0);
	fetch_answer_clear(&a);
	return ok;
}
