/* What is asked of whom: options of the handle, certificates, proxy, credentials. */
#include "ext/fetch_transfer.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ext/fetch.h"
#include "ext/http.h"

enum {
	RECV_BUFFER = 256 * 1024,
	CONNECT_SECONDS = 15,
	QUICK_SECONDS = 5,
	LOW_SPEED_BYTES = 1024,
};

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
	curl_easy_setopt(t->easy, CURLOPT_PROXY, t->o->proxy ? t->o->proxy : use ? upper : NULL);
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

/* A fifo or a terminal would be waited for without end. */
static bool check_file(struct transfer *t, CURLU *u)
{
	struct stat st;
	autofree char *path = url_part(u, CURLUPART_PATH, CURLU_URLDECODE);
	if (!path || stat(path, &st) < 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
		return true;
	transfer_fail(t, TRANSFER_REFUSED, ERR_NETWORK, "'%s' is no regular file", path);
	return err_hint(&t->err, "name a folder with NVIDIA's files in it");
}

static bool use_parsed(struct transfer *t, CURLU *u)
{
	autofree char *scheme = url_part(u, CURLUPART_SCHEME, 0);
	if (!scheme || !check_scheme(t, scheme) ||
	    (!strcasecmp(scheme, "file") && !check_file(t, u)))
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

bool transfer_set_url(struct transfer *t, const char *url)
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
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT,
			 (long)(t->o->quick ? QUICK_SECONDS : CONNECT_SECONDS));
	curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, (long)LOW_SPEED_BYTES);
	curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME,
			 (long)(t->o->low_speed_s ? t->o->low_speed_s : 30));
	curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, (long)RECV_BUFFER);
	curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
	curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
	curl_easy_setopt(easy, CURLOPT_NETRC_FILE, netrc);
	curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, transfer_on_header);
	curl_easy_setopt(easy, CURLOPT_HEADERDATA, t);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, transfer_on_body);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, t);
	set_protocols(easy);
	set_headers(t);
	return true;
}
