#include "core/pagecache.h"

#include <stdio.h>
#include <string.h>

#include "base/atomic.h"
#include "base/io.h"
#include "base/tree.h"
#include "core/cache.h"
#include "ext/digest.h"

/* The URL may carry a login, which its digest does not give away. */
static char *page_path(const char *dir, const char *url)
{
	char hex[65];
	struct digest *d = digest_new(DIGEST_SHA256);
	digest_update(d, url, strlen(url));
	digest_hex(d, hex);
	digest_free(d);
	return cache_path(dir, hex, "index-page");
}

/* Two lines, type and URL, and then the body as it came. */
static void keep(const char *path, const char *dir, const struct fetch_answer *a,
		 const struct events *ev)
{
	struct err err;
	struct buf b = BUF_INIT(a->body.max + sizeof a->content_type + sizeof a->url + 2);
	buf_addf(&b, "%s\n%s\n", a->content_type, a->url);
	buf_add(&b, buf_str(&a->body), a->body.len);
	if (!tree_mkdirs(dir, &err) || !atomic_write(path, b.data, b.len, 0600, &err))
		event_debug(ev, "%s", err.msg);
	buf_clear(&b);
}

static bool take_line(const char **s, size_t *n, char *out, size_t cap)
{
	const char *end = memchr(*s, '\n', *n);
	size_t len = end ? (size_t)(end - *s) : cap;
	if (len >= cap)
		return false;
	memcpy(out, *s, len);
	out[len] = '\0';
	*n -= len + 1;
	*s = end + 1;
	return true;
}

static bool recall(const char *path, struct fetch_answer *a)
{
	struct err err;
	struct buf b = BUF_INIT(a->body.max + sizeof a->content_type + sizeof a->url + 2);
	bool ok = io_read_file(path, &b, &err) && b.len;
	const char *s = b.data;
	size_t n = b.len;
	ok = ok && take_line(&s, &n, a->content_type, sizeof a->content_type) &&
	     take_line(&s, &n, a->url, sizeof a->url) && buf_add(&a->body, s, n);
	buf_clear(&b);
	return ok;
}

bool pagecache_fetch(const char *dir, const char *url, const char *accept,
		     const struct fetch_opts *o, struct fetch_answer *a, struct err *err)
{
	autofree char *path = dir ? page_path(dir, url) : NULL;
	if (path && o->offline && recall(path, a))
		return true;
	if (!fetch_memory(url, accept, o, a, err))
		return false;
	if (path && !o->offline)
		keep(path, dir, a, o->events);
	return true;
}
