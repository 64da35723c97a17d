#include "ext/http.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/err.h"

/* Digits only (strtoull takes signs and blanks), no overflow. */
static bool number(const char **s, uint64_t *out)
{
	uint64_t v = 0;
	const char *p = *s;
	for (; *p >= '0' && *p <= '9'; p++) {
		uint64_t digit = (uint64_t)(*p - '0');
		if (v > (UINT64_MAX - 1 - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	if (p == *s)
		return false;
	*s = p;
	*out = v;
	return true;
}

bool http_content_range(const char *value, struct content_range *out)
{
	struct content_range r = {.total = UINT64_MAX};
	const char *s = value;
	if (strncasecmp(s, "bytes", 5) != 0 || (s[5] != ' ' && s[5] != '\t'))
		return false;
	s += 5;
	s += strspn(s, " \t");
	if (!number(&s, &r.first) || *s++ != '-' || !number(&s, &r.last) || *s++ != '/')
		return false;
	if (*s == '*')
		s++;
	else if (!number(&s, &r.total))
		return false;
	s += strspn(s, " \t");
	if (*s || r.last < r.first || r.last >= r.total)
		return false;
	*out = r;
	return true;
}

char *http_header(const char *line, size_t n, const char *name)
{
	size_t len = strlen(name);
	if (n <= len || line[len] != ':' || strncasecmp(line, name, len) != 0)
		return NULL;
	const char *s = line + len + 1, *end = line + n;
	while (s < end && isspace((unsigned char)*s))
		s++;
	while (end > s && isspace((unsigned char)end[-1]))
		end--;
	return xstrndup(s, (size_t)(end - s));
}

bool http_html_type(const char *content_type)
{
	static const char *const types[] = {"text/html", "application/xhtml+xml"};
	for (size_t i = 0; content_type && i < ARRAY_LEN(types); i++) {
		size_t n = strlen(types[i]);
		if (!strncasecmp(content_type, types[i], n) && strchr("; \t", content_type[n]))
			return true;
	}
	return false;
}

bool http_html_body(const void *head, size_t n)
{
	static const char *const starts[] = {"<!doctype html", "<html", "<head", "<body"};
	const char *s = head;
	if (n >= 3 && !memcmp(s, "\xef\xbb\xbf", 3))
		s += 3, n -= 3;
	while (n && isspace((unsigned char)*s))
		s++, n--;
	for (size_t i = 0; i < ARRAY_LEN(starts); i++) {
		size_t len = strlen(starts[i]);
		if (n >= len && !strncasecmp(s, starts[i], len))
			return true;
	}
	return false;
}

/* Where host and port begin and end; credentials are before *host. */
static void authority(const char *url, const char **start, const char **host, const char **end)
{
	const char *sep = strstr(url, "://");
	*start = sep ? sep + 3 : url;
	*end = *start + strcspn(*start, "/?#");
	*host = *start;
	for (const char *s = *start; s < *end; s++)
		if (*s == '@')
			*host = s + 1;
	/* "user:pass/word@host": no valid URL, but its password must not be shown either. */
	const char *colon = memchr(*start, ':', (size_t)(*end - *start));
	if (*host == *start && colon && **start != '[' &&
	    strspn(colon + 1, "0123456789") < (size_t)(*end - colon - 1) && strrchr(url, '@')) {
		*host = strrchr(url, '@') + 1;
		*end = *host + strcspn(*host, "/?#");
	}
}

char *http_mask(const char *url)
{
	const char *start, *host, *end;
	authority(url, &start, &host, &end);
	size_t rest = strcspn(host, "?");
	char *s = xasprintf("%.*s%s%.*s%s", (int)(start - url), url, host > start ? "***@" : "",
			    (int)rest, host, host[rest] ? "?***" : "");
	err_sanitize(s);
	return s;
}

char *http_origin(const char *url)
{
	const char *start, *host, *end;
	authority(url, &start, &host, &end);
	if (start == url || host == end)
		return xstrdup("");
	bool https = !strncasecmp(url, "https:", 6);
	/* A port may be left out, an IPv6 address has colons of its own. */
	const char *bracket = memchr(host, ']', (size_t)(end - host));
	const char *from = bracket ? bracket : host;
	bool port = memchr(from, ':', (size_t)(end - from)) != NULL;
	char *s = xasprintf("%.*s%.*s%s", (int)(start - url), url, (int)(end - host), host,
			    port    ? ""
			    : https ? ":443"
				    : ":80");
	for (char *c = s; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return s;
}

const char *http_status_word(long status)
{
	static const struct {
		long status;
		const char *word;
	} words[] = {
		{400, "bad request"},
		{401, "not authorized"},
		{403, "forbidden"},
		{404, "not found"},
		{407, "proxy wants a login"},
		{408, "request timeout"},
		{410, "gone"},
		{416, "range not satisfiable"},
		{425, "too early"},
		{429, "too many requests"},
		{500, "internal error"},
		{502, "bad gateway"},
		{503, "service unavailable"},
		{504, "gateway timeout"},
	};
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (words[i].status == status)
			return words[i].word;
	return "";
}
