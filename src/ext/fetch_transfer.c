#include "ext/fetch_transfer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/intr.h"
#include "ext/fetch.h"
#include "ext/fetch_part.h"
#include "ext/http.h"

enum {
	RECV_BUFFER = 256 * 1024,
	CONNECT_SECONDS = 15,
	LOW_SPEED_BYTES = 1024,
	MAX_HOPS = 10,
	MAX_DROPPED = 64 * 1024, /* of an error page; the connection is of use again after it */
};

static size_t on_header(char *line, size_t size, size_t n, void *user)
{
	struct transfer *t = user;
	char *v;
	n *= size;
	if (n >= 5 && !memcmp(line, "HTTP/", 5)) {
		free(take_ptr(t->content_range));
		t->encoded = false;
	} else if ((v = http_header(line, n, "content-range"))) {
		free(t->content_range);
		t->content_range = v;
	} else if ((v = http_header(line, n, "content-encoding"))) {
		t->encoded = *v && strcasecmp(v, "identity") != 0;
		free(v);
	}
	return n;
}

/* Is what follows the rest of the part? */
static bool judge_range(struct transfer *t)
{
	struct content_range r;
	if (!t->offset)
		return transfer_fail(t, TRANSFER_REFUSED, ERR_NETWORK,
				     "server sent a part where the whole was asked for");
	if (!t->content_range || !http_content_range(t->content_range, &r) ||
	    r.first != t->offset || r.total == UINT64_MAX || (t->size && r.total != t->size))
		return transfer_fail(t, TRANSFER_FRESH, ERR_NETWORK,
				     "server answers the request for bytes from %llu with '%s'",
				     (unsigned long long)t->offset,
				     t->content_range ? t->content_range : "no Content-Range");
	return true;
}

static long status_of(struct transfer *t)
{
	long status = 0;
	curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
	return status;
}

static bool judge_length(struct transfer *t)
{
	curl_off_t told = -1;
	long status = status_of(t);
	curl_easy_getinfo(t->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &told);
	if (told < 0 || (told == 0 && !status) || status == 206)
		return true; /* a file:// device has no length */
	uint64_t length = (uint64_t)told;
	if (t->size && length != t->size) {
		/* A mirror in the middle of an update sends too little; what is too long stays so.
		 */
		transfer_fail(t, length > t->size || t->encoded ? TRANSFER_REFUSED : TRANSFER_RETRY,
			      ERR_INTEGRITY, "server offers %llu bytes, expected are %llu%s",
			      (unsigned long long)length, (unsigned long long)t->size,
			      t->encoded ? " (it compresses the archive once more)" : "");
		return err_hint(&t->err, "the publisher may have replaced the file");
	}
	if (length > t->max)
		return transfer_fail(t, TRANSFER_REFUSED, ERR_INTEGRITY,
				     "server offers %llu bytes, more than the limit of %llu",
				     (unsigned long long)length, (unsigned long long)t->max);
	return true;
}

static bool html_page(struct transfer *t)
{
	transfer_fail(t, TRANSFER_REFUSED, ERR_NETWORK, "server sent an HTML page (login needed?)");
	return err_hint(&t->err,
			"open the URL in a browser, or give credentials in it or in ~/.netrc");
}

/* Once for each answer, when its headers are complete. */
static bool judge(struct transfer *t)
{
	char *type = NULL;
	long status = status_of(t);
	t->judged = true;
	t->drop = status && status != 200 && !(status == 206 && t->part);
	if (t->drop || !t->part)
		return true;
	curl_easy_getinfo(t->easy, CURLINFO_CONTENT_TYPE, &type);
	if (http_html_type(type))
		return html_page(t);
	if (t->encoded && !t->digest_known)
		return transfer_fail(t, TRANSFER_REFUSED, ERR_INTEGRITY,
				     "server compresses the archive once more");
	if (status == 206) {
		t->head_seen = true;
		return judge_range(t);
	}
	return true;
}

static bool too_long(struct transfer *t, uint64_t limit)
{
	transfer_fail(t, TRANSFER_REFUSED, ERR_INTEGRITY, "server sends more than %s%llu bytes",
		      t->size ? "the expected " : "", (unsigned long long)limit);
	return t->size && err_hint(&t->err, "the publisher may have replaced the file");
}

static bool store(struct transfer *t, const char *data, size_t n)
{
	if (t->body)
		return buf_add(t->body, data, n) || too_long(t, t->body->max);
	uint64_t limit = t->size ? t->size : t->max;
	if (n > limit - t->part->len)
		return too_long(t, limit);
	t->stored = true;
	if (part_write(t->part, data, n, &t->err))
		return true;
	t->result = TRANSFER_FATAL;
	return false;
}

/* The first bytes are clear: from here on the old part is gone. */
static bool open_body(struct transfer *t)
{
	t->head_seen = true;
	if (t->part && http_html_body(t->head, t->head_n))
		return html_page(t);
	if (t->part && !judge_length(t))
		return false;
	if (t->part && t->part->len && !part_reset(t->part, &t->err)) {
		t->result = TRANSFER_FATAL;
		return false;
	}
	return store(t, t->head, t->head_n);
}

static bool take(struct transfer *t, const char *data, size_t n)
{
	if (!t->judged && !judge(t))
		return false;
	if (t->drop) {
		t->dropped += n;
		return t->dropped <= MAX_DROPPED;
	}
	if (!t->head_seen) {
		size_t room = sizeof t->head - t->head_n, now = n < room ? n : room;
		memcpy(t->head + t->head_n, data, now);
		t->head_n += now;
		if (now == room && !open_body(t))
			return false;
		data += now;
		n -= now;
	}
	return n == 0 || store(t, data, n);
}

static size_t on_body(char *data, size_t size, size_t n, void *user)
{
	struct transfer *t = user;
	n *= size;
	/* file:// arrives in one call of curl, so the loop cannot look for signals. */
	if (!intr_check(&t->err)) {
		t->result = TRANSFER_FATAL;
		return n + 1;
	}
	return take(t, data, n) ? n : n + 1;
}

static const char *set_or_null(const char *s)
{
	return s && *s ? s : NULL;
}

static bool set_ca(struct transfer *t)
{
	const char *from = "the given", *file = set_or_null(t->o->ca_file);
	if (!file && (file = set_or_null(getenv("SSL_CERT_FILE"))))
		from = "SSL_CERT_FILE, the";
	else if (!file && (file = set_or_null(getenv("CURL_CA_BUNDLE"))))
		from = "CURL_CA_BUNDLE, the";
	if (!file)
		return true;
	if (access(file, R_OK) < 0) {
		transfer_fail(t, TRANSFER_FATAL, ERR_NETWORK,
			      "cannot read %s certificate bundle '%s'", from, file);
		return err_hint(&t->err, "name a PEM file with the certificates of authorities");
	}
	curl_easy_setopt(t->easy, CURLOPT_CAINFO, file);
	return true;
}

/* curl leaves HTTP_PROXY alone since a CGI client can set it; where there is no CGI it is meant. */
static void set_proxy(struct transfer *t, bool https)
{
	const char *upper = set_or_null(getenv("HTTP_PROXY"));
	bool use = !https && upper && !getenv("http_proxy") && !getenv("REQUEST_METHOD");
	curl_easy_setopt(t->easy, CURLOPT_PROXY, use ? upper : NULL);
}

static char *url_part(CURLU *u, CURLUPart what, unsigned flags)
{
	char *s = NULL, *copy = NULL;
	if (curl_url_get(u, what, &s, flags) == CURLUE_OK)
		copy = xstrdup(s);
	curl_free(s);
	return copy;
}

static bool check_scheme(struct transfer *t, const char *scheme)
{
	bool file = !strcasecmp(scheme, "file"), https = !strcasecmp(scheme, "https");
	if (!file && !https && strcasecmp(scheme, "http") != 0)
		return transfer_fail(t, TRANSFER_REFUSED, ERR_USAGE,
				     "scheme '%s' is not one of https, http, file", scheme);
	if (t->o->offline && !file) {
		transfer_fail(t, TRANSFER_REFUSED, ERR_NETWORK, "offline");
		return err_hint(&t->err,
				"run it once without --offline (CUDAENV_OFFLINE, 'offline' in "
				"config.ini)");
	}
	set_proxy(t, https);
	return !https || set_ca(t);
}

/* Credentials go to the origin they were given for, and to no other. */
static void set_credentials(struct transfer *t, CURLU *u, const char *origin)
{
	autofree char *user = url_part(u, CURLUPART_USER, CURLU_URLDECODE);
	autofree char *password = url_part(u, CURLUPART_PASSWORD, CURLU_URLDECODE);
	if (user || password || !t->origin || strcmp(t->origin, origin) != 0) {
		curl_easy_setopt(t->easy, CURLOPT_USERNAME, user);
		curl_easy_setopt(t->easy, CURLOPT_PASSWORD, password);
	}
	curl_url_set(u, CURLUPART_USER, NULL, 0);
	curl_url_set(u, CURLUPART_PASSWORD, NULL, 0);
	curl_url_set(u, CURLUPART_FRAGMENT, NULL, 0);
}

static bool use_parsed(struct transfer *t, CURLU *u)
{
	autofree char *scheme = url_part(u, CURLUPART_SCHEME, 0);
	if (!scheme || !check_scheme(t, scheme))
		return false;
	autofree char *full = url_part(u, CURLUPART_URL, 0);
	char *origin = http_origin(full);
	set_credentials(t, u, origin);
	free(t->origin);
	t->origin = origin;
	free(t->url);
	t->url = url_part(u, CURLUPART_URL, 0);
	curl_easy_setopt(t->easy, CURLOPT_URL, t->url);
	return true;
}

static bool set_url(struct transfer *t, const char *url)
{
	CURLU *u = curl_url();
	bool ok;
	if (!u || curl_url_set(u, CURLUPART_URL, url, CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE))
		ok = transfer_fail(t, TRANSFER_REFUSED, ERR_USAGE, "that is not a URL");
	else
		ok = use_parsed(t, u);
	curl_url_cleanup(u);
	return ok;
}

static void new_answer(struct transfer *t)
{
	t->judged = t->drop = t->head_seen = t->stored = t->encoded = false;
	t->head_n = 0;
	t->dropped = 0;
	t->retry_after = 0;
	t->result = TRANSFER_DONE;
	t->errbuf[0] = '\0';
	free(take_ptr(t->content_range));
	if (t->body) {
		t->body->len = 0;
		t->body->full = false;
	}
}

static void no_hops(struct transfer *t)
{
	strlist_clear(&t->hops);
	free(take_ptr(t->url));
	free(take_ptr(t->origin));
}

bool transfer_start(struct transfer *t, const char *url, uint64_t offset)
{
	char range[32];
	no_hops(t);
	new_answer(t);
	t->asked = url;
	t->offset = offset;
	snprintf(range, sizeof range, "%llu-", (unsigned long long)offset);
	curl_easy_setopt(t->easy, CURLOPT_RANGE, offset ? range : NULL);
	return set_url(t, url);
}

static bool refuse_hop(struct transfer *t, const char *to, const char *why)
{
	autofree char *shown = http_mask(to);
	return transfer_fail(t, TRANSFER_REFUSED, ERR_NETWORK, "redirect to '%.300s' refused: %s",
			     shown, why);
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
	new_answer(t);
	return set_url(t, next);
}

static bool short_body(struct transfer *t)
{
	transfer_fail(t, TRANSFER_RETRY, ERR_INTEGRITY, "file ends after %llu of %llu bytes",
		      (unsigned long long)t->part->len, (unsigned long long)t->size);
	return err_hint(&t->err, "the publisher may have replaced the file");
}

static bool finish(struct transfer *t, long status)
{
	if (!t->judged && !judge(t))
		return false;
	if (t->offset && status == 416)
		return transfer_fail(t, TRANSFER_FRESH, ERR_NETWORK,
				     "server has no bytes from %llu on",
				     (unsigned long long)t->offset);
	if (t->drop)
		return transfer_fail_status(t, status);
	if (!t->head_seen && !open_body(t))
		return false;
	if (t->part && t->part->len < t->size)
		return short_body(t);
	if (t->part && t->part->len == 0)
		return transfer_fail(t, TRANSFER_RETRY, ERR_INTEGRITY, "server sent an empty file");
	return true;
}

static bool is_redirect(long status)
{
	return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

enum transfer_result transfer_end(struct transfer *t, CURLcode code)
{
	long status = status_of(t);
	curl_off_t wait = 0;
	if (t->result != TRANSFER_DONE)
		return t->result;
	curl_easy_getinfo(t->easy, CURLINFO_RETRY_AFTER, &wait);
	t->retry_after = wait > 0 && wait < 86400 ? (long)wait : wait > 0 ? 86400 : 0;
	if (code == CURLE_WRITE_ERROR && t->drop)
		code = CURLE_OK; /* an error page longer than anybody wants to read */
	/* What came before the cut is kept for the resume, but does not replace a longer part. */
	bool keep = code != CURLE_OK && t->head_n && !t->head_seen && t->part && !t->part->len;
	if (keep && !open_body(t))
		return t->result;
	if (code != CURLE_OK)
		transfer_fail_curl(t, code);
	else if (is_redirect(status) && hop(t, status))
		return TRANSFER_HOP;
	else if (is_redirect(status))
		return t->result;
	else
		finish(t, status);
	return t->result;
}

static void set_protocols(CURL *easy)
{
#if LIBCURL_VERSION_NUM >= 0x075500
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https,file");
#else
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS,
			 (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS | CURLPROTO_FILE));
#endif
#if LIBCURL_VERSION_NUM >= 0x075700
	/* Do not wait for a name server that does not answer when the user wants to stop. */
	curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#endif
}

static void set_headers(struct transfer *t)
{
	if (t->accept) {
		autofree char *line = xasprintf("Accept: %s", t->accept);
		t->headers = curl_slist_append(t->headers, line);
	}
	if (t->part) {
		/* The digest is that of the archive as it lies there. */
		t->headers = curl_slist_append(t->headers, "Accept-Encoding: identity");
		/* One connection each: a stalled one does not hold up the others. */
		curl_easy_setopt(t->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	} else {
		curl_easy_setopt(t->easy, CURLOPT_ACCEPT_ENCODING, "");
		/* Small pages share one connection rather than pay for a handshake each. */
		curl_easy_setopt(t->easy, CURLOPT_PIPEWAIT, 1L);
	}
	curl_easy_setopt(t->easy, CURLOPT_HTTPHEADER, t->headers);
}

bool transfer_init(struct transfer *t, struct err *err)
{
	CURL *easy = t->easy = curl_easy_init();
	const char *netrc = t->o->netrc ? t->o->netrc : set_or_null(getenv("NETRC"));
	if (!easy)
		return err_set(err, ERR_FAILED, "cannot start libcurl");
	curl_easy_setopt(easy, CURLOPT_PRIVATE, t);
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 1L);
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, t->errbuf);
	curl_easy_setopt(easy, CURLOPT_USERAGENT, "cudaenv");
	curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
	curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, (long)LOW_SPEED_BYTES);
	curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME,
			 (long)(t->o->low_speed_s ? t->o->low_speed_s : 30));
	curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, (long)RECV_BUFFER);
	curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
	curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
	curl_easy_setopt(easy, CURLOPT_NETRC_FILE, netrc);
	curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(easy, CURLOPT_HEADERDATA, t);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, t);
	set_protocols(easy);
	set_headers(t);
	return true;
}

void transfer_clear(struct transfer *t)
{
	no_hops(t);
	free(take_ptr(t->content_range));
	curl_easy_cleanup(take_ptr(t->easy));
	curl_slist_free_all(take_ptr(t->headers));
}
