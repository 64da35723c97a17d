#include "core/pagecache.h"

#include <stdio.h>
#include <string.h>

#include "base/atomic.h"
#include "base/io.h"
#include "base/path.h"
#include "base/tree.h"
#include "core/cache.h"
#include "ext/digest.h"

/*
 * The URL may carry a login, which its digest does not give away. Its last part is the project:
 * "nvidia-cublas.index-page".
 */
static char *page_path(const char *dir, const char *url)
{
	char hex[65];
	size_t n = strcspn(url, "?#");
	while (n && url[n - 1] == '/')
		n--;
	autofree char *folder = xstrndup(url, n);
	autofree char *name = xasprintf("%s.index-page", path_base(folder));
	struct digest *d = digest_new(DIGEST_SHA256);
	digest_update(d, url, strlen(url));
	digest_hex(d, hex);
	digest_free(d);
	return cache_path(dir, hex, name);
}

static struct buf empty(const struct fetch_answer *a)
{
	return BUF_INIT(a->body.max + sizeof a->content_type + sizeof a->url + 2);
}

/* Two lines, type and URL, and then the body as it came. Seldom another than before: then nothing
 * is written. */
static void keep(const char *path, const struct fetch_answer *a, const struct events *ev)
{
	struct err err;
	autobuf struct buf now = empty(a), before = empty(a);
	buf_addf(&now, "%s\n%s\n", a->content_type, a->url);
	buf_add(&now, buf_str(&a->body), a->body.len);
	if (io_read_file(path, &before, &err) && before.len == now.len &&
	    !memcmp(before.data, now.data, now.len))
		return;
	if (!atomic_write(path, now.data, now.len, 0600, &err))
		event_debug(ev, "%s", err.msg);
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
	autobuf struct buf b = empty(a);
	bool ok = io_read_file(path, &b, &err) && b.len;
	const char *s = b.data;
	size_t n = b.len;
	return ok && take_line(&s, &n, a->content_type, sizeof a->content_type) &&
	       take_line(&s, &n, a->url, sizeof a->url) && buf_add(&a->body, s, n);
}

static bool fetch_offline(const char *dir, struct fetch_page *pages, size_t n,
			  const struct fetch_opts *o, struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		autofree char *path = page_path(dir, pages[i].url);
		pages[i].ok = recall(path, &pages[i].answer);
		/* Local pages are there, others say why not. */
		if (!pages[i].ok && !fetch_pages(&pages[i], 1, o, err))
			return false;
	}
	return true;
}

bool pagecache_fetch(const char *dir, struct fetch_page *pages, size_t n,
		     const struct fetch_opts *o, struct err *err)
{
	struct err ignored;
	if (dir && o->offline)
		return fetch_offline(dir, pages, n, o, err);
	if (!fetch_pages(pages, n, o, err))
		return false;
	if (!dir || !tree_mkdirs(dir, &ignored))
		return true;
	for (size_t i = 0; i < n; i++) {
		autofree char *path = page_path(dir, pages[i].url);
		if (pages[i].ok && pages[i].answer.status) /* a local one needs no keeping */
			keep(path, &pages[i].answer, o->events);
	}
	return true;
}
