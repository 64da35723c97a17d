#include "ext/fetch_transfer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ext/http.h"

enum { MAX_HOPS = 10 };

static void no_hops(struct transfer *t)
{
	strlist_clear(&t->hops);
	free(take_ptr(t->url));
	free(take_ptr(t->origin));
}

bool transfer_start(struct transfer *t, const char *url, uint64_t offset, uint64_t end)
{
	char range[64];
	no_hops(t);
	transfer_new_answer(t);
	t->asked = url;
	t->offset = offset;
	t->end = end;
	int n = snprintf(range, sizeof range, "%llu-", (unsigned long long)offset);
	if (end)
		snprintf(range + n, sizeof range - (size_t)n, "%llu", (unsigned long long)end - 1);
	curl_easy_setopt(t->easy, CURLOPT_RANGE, offset || end ? range : NULL);
	return transfer_set_url(t, url);
}

static bool refuse_hop(struct transfer *t, const char *to, const char *why)
{
	autofree char *shown = http_mask(to);
	transfer_fail(t, TRANSFER_REFUSED, ERR_NETWORK, "redirect to '%.300s' refused: %s", shown,
		      why);
	return err_hint(&t->err, "a proxy or a login page may have answered instead; else take "
				 "another mirror or index");
}

/* Follows by hand: only so can a loop, a downgrade and a file:// be told apart and named. */
static bool hop(struct transfer *t, long status)
{
	char *to = NULL;
	curl_easy_getinfo(t->easy, CURLINFO_REDIRECT_URL, &to);
	if (!to)
		return transfer_fail(t, TRANSFER_REFUSED, ERR_NETWORK,
				     "server answered %ld without saying where to", status);
	autofree char *next = xstrdup(to);
	bool https = !strncasecmp(next, "https:", 6);
	strlist_add(&t->hops, t->url);
	if (!https && strncasecmp(next, "http:", 5) != 0)
		return refuse_hop(t, next, "only https and http are followed");
	if (!https && !strncasecmp(t->url, "https:", 6))
		return refuse_hop(t, next, "it leads from https to http");
	if (strlist_has(&t->hops, next))
		return refuse_hop(t, next, "it is a loop");
	if (t->hops.n > MAX_HOPS)
		return refuse_hop(t, next, "more than 10 redirects");
	transfer_new_answer(t);
	return transfer_set_url(t, next);
}

static bool is_redirect(long status)
{
	return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

enum transfer_result transfer_end(struct transfer *t, CURLcode code)
{
	long status = transfer_status(t);
	curl_off_t wait = 0;
	if (t->result != TRANSFER_DONE)
		return t->result;
	curl_easy_getinfo(t->easy, CURLINFO_RETRY_AFTER, &wait);
	t->retry_after = wait > 0 && wait < 86400 ? (long)wait : wait > 0 ? 86400 : 0;
	if (code == CURLE_WRITE_ERROR && t->drop)
		code = CURLE_OK; /* an error page longer than anybody wants to read */
	if (code != CURLE_OK) {
		transfer_keep_body(t);
		if (t->result == TRANSFER_DONE)
			transfer_fail_curl(t, code);
	} else if (!is_redirect(status))
		transfer_finish_body(t, status);
	else if (hop(t, status))
		return TRANSFER_HOP;
	return t->result;
}

void transfer_clear(struct transfer *t)
{
	no_hops(t);
	free(take_ptr(t->content_range));
	curl_easy_cleanup(take_ptr(t->easy));
	curl_slist_free_all(take_ptr(t->headers));
}
