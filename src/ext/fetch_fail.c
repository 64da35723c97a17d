/* What went wrong with a transfer, in words, and whether trying again may help. */
#include "ext/fetch_transfer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ext/http.h"

#if LIBCURL_VERSION_NUM < 0x074900
#define CURLE_PROXY ((CURLcode)97) /* older ones say CURLE_RECV_ERROR */
#endif

static const char later[] =
	"try again later, or take another mirror or index; complete downloads are kept";

bool transfer_fail(struct transfer *t, enum transfer_result result, enum err_code code,
		   const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	autofree char *asked = http_mask(t->asked);
	autofree char *now = t->url ? http_mask(t->url) : NULL;
	bool moved = t->hops.n && now && strcmp(asked, now) != 0;
	t->result = result;
	err_set(&t->err, code, "cannot fetch '%.300s'", asked);
	size_t n = strlen(t->err.msg);
	snprintf(t->err.msg + n, sizeof t->err.msg - n, "%s%.300s%s: %s",
		 moved ? ", redirected to '" : "", moved ? now : "", moved ? "'" : "", text);
	err_sanitize(t->err.msg);
	return false;
}

/* The proxy that curl takes from the environment for this URL, if no no_proxy stands against it. */
static const char *env_proxy(const struct transfer *t, const char **variable)
{
	static const char *const names[][4] = {
		{"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"},
		{"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"},
	};
	int https = t->url && !strncasecmp(t->url, "https:", 6);
	for (size_t i = 0; i < 4; i++) {
		const char *v = getenv(names[https][i]);
		if (v && *v) {
			*variable = names[https][i];
			return v;
		}
	}
	return NULL;
}

/* curl names the host and port that it could not reach: is that the proxy? */
static bool names_proxy(const char *text, const char *proxy)
{
	autofree char *url = strstr(proxy, "://") ? xstrdup(proxy) : xasprintf("http://%s", proxy);
	autofree char *origin = http_origin(url);
	const char *host = strstr(origin, "://");
	if (!host)
		return false;
	host += 3;
	const char *port = strrchr(host, ':');
	bool bracket = *host == '[';
	autofree char *name = xstrndup(host + bracket, (size_t)(port - host) - 2 * bracket);
	return *name && strcasestr(text, name) != NULL;
}

static bool proxy_fault(const struct transfer *t, CURLcode code, long connect)
{
	const char *variable, *proxy = env_proxy(t, &variable);
	if (code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_PROXY || connect >= 300)
		return true;
	return proxy && code == CURLE_COULDNT_CONNECT && names_proxy(t->errbuf, proxy);
}

static bool fail_proxy(struct transfer *t, enum transfer_result result, long status,
		       const char *text)
{
	const char *variable = "", *proxy = env_proxy(t, &variable);
	autofree char *shown = http_mask(proxy ? proxy : "");
	transfer_fail(t, result, ERR_NETWORK, "proxy '%.200s' (from %s): %s", shown, variable,
		      text);
	if (status == 407)
		return err_hint(&t->err, "put user and password of the proxy into %s", variable);
	return err_hint(&t->err, "check %s, or name hosts that need no proxy in no_proxy",
			variable);
}

static bool fail_certificate(struct transfer *t, const char *text)
{
	enum { NOT_YET_VALID = 9, EXPIRED = 10 }; /* X509_V_ERR_CERT_... */
	long why = 0;
	curl_easy_getinfo(t->easy, CURLINFO_SSL_VERIFYRESULT, &why);
	transfer_fail(t, TRANSFER_REFUSED, ERR_NETWORK, "TLS certificate not accepted: %s", text);
	if (why == NOT_YET_VALID || why == EXPIRED || strcasestr(text, "expir") ||
	    strcasestr(text, "not yet"))
		return err_hint(&t->err,
				"check this machine's clock; else the server's certificate "
				"is out of date");
	return err_hint(&t->err,
			"behind a proxy that opens TLS, name its certificate in SSL_CERT_FILE");
}

static bool transient_status(long status)
{
	static const long again[] = {408, 425, 429, 500, 502, 503, 504};
	for (size_t i = 0; i < ARRAY_LEN(again); i++)
		if (again[i] == status)
			return true;
	return false;
}

static bool transient_code(CURLcode code)
{
	static const CURLcode codes[] = {
		CURLE_COULDNT_RESOLVE_PROXY,
		CURLE_COULDNT_RESOLVE_HOST,
		CURLE_COULDNT_CONNECT,
		CURLE_HTTP2,
		CURLE_PARTIAL_FILE,
		CURLE_OPERATION_TIMEDOUT,
		CURLE_SSL_CONNECT_ERROR,
		CURLE_GOT_NOTHING,
		CURLE_SEND_ERROR,
		CURLE_RECV_ERROR,
		CURLE_HTTP2_STREAM,
		CURLE_AGAIN,
	};
	for (size_t i = 0; i < ARRAY_LEN(codes); i++)
		if (codes[i] == code)
			return true;
	return false;
}

bool transfer_fail_curl(struct transfer *t, CURLcode code)
{
	const char *variable, *text = *t->errbuf ? t->errbuf : curl_easy_strerror(code);
	long connect = 0;
	curl_easy_getinfo(t->easy, CURLINFO_HTTP_CONNECTCODE, &connect);
	if (proxy_fault(t, code, connect)) {
		bool again = connect ? transient_status(connect) : code != CURLE_PROXY;
		return fail_proxy(t, again ? TRANSFER_RETRY : TRANSFER_REFUSED, connect, text);
	}
	if (code == CURLE_PEER_FAILED_VERIFICATION)
		return fail_certificate(t, text);
	transfer_fail(t, transient_code(code) ? TRANSFER_RETRY : TRANSFER_REFUSED, ERR_NETWORK,
		      "%s", text);
	if (code == CURLE_FILE_COULDNT_READ_FILE)
		t->err.sys = ENOENT;
	if (code == CURLE_SSL_CACERT_BADFILE)
		return err_hint(&t->err, "install the package ca-certificates");
	if (code == CURLE_COULDNT_RESOLVE_HOST)
		return err_hint(&t->err, "check the host's name and this machine's network");
	if (code == CURLE_OPERATION_TIMEDOUT && env_proxy(t, &variable))
		return err_hint(&t->err, "the proxy in %s may be at fault", variable);
	return err_hint(&t->err, "%s", later);
}

bool transfer_fail_status(struct transfer *t, long status)
{
	char text[64];
	const char *word = http_status_word(status);
	enum transfer_result result = transient_status(status) ? TRANSFER_RETRY : TRANSFER_REFUSED;
	snprintf(text, sizeof text, "server answered %ld%s%s%s", status, *word ? " (" : "", word,
		 *word ? ")" : "");
	if (status == 407)
		return fail_proxy(t, result, status, text);
	transfer_fail(t, result, ERR_NETWORK, "%s", text);
	if (status == 404 || status == 410) {
		t->err.sys = ENOENT;
		return err_hint(&t->err, "the version may be gone, or the mirror is not complete");
	}
	if (status == 401 || status == 403) {
		t->err.sys = EACCES;
		return err_hint(&t->err,
				"credentials are missing or not accepted: put them into the "
				"URL or ~/.netrc");
	}
	return err_hint(&t->err, "%s", later);
}
