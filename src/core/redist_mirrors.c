#include "core/redist_mirrors.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "core/config.h"
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

static bool read_part(const struct local_place *p, struct buf *body, struct err *err)
{
	if (p->size > body->max)
		return err_set(err, ERR_INTEGRITY, "'%s': a member of %llu bytes is too long",
			       p->path, (unsigned long long)p->size);
	size_t n = (size_t)p->size;
	autofree char *text = xmalloc(n + 1);
	autoclose int fd = open(p->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || io_pread_all(fd, text, n, (long long)p->offset) != (ptrdiff_t)n)
		return err_sys(err, ERR_FILESYSTEM, "cannot read '%s'", p->path);
	buf_add(body, text, n);
	return true;
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
		bool ok = read_part(&p, body, err);
		local_place_clear(&p);
		return ok;
	}
	bool ok = fetch_memory(url, accept, &o, &a, err);
	*body = a.body;
	a.body = BUF_INIT(0);
	fetch_answer_clear(&a);
	return ok;
}
