#include "core/pyurl.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"

enum { URL_MAX = 16 << 10 };

bool pyurl_has_scheme(const char *url, const char *scheme)
{
	size_t n = strlen(scheme);
	return !strncasecmp(url, scheme, n) && !strncmp(url + n, "://", 3);
}

char *pyurl_from_path(const char *path)
{
	struct buf b = BUF_INIT(URL_MAX);
	buf_adds(&b, "file://");
	for (; *path; path++) {
		unsigned char ch = (unsigned char)*path;
		if (isalnum(ch) || strchr("/-._~+", ch))
			buf_addc(&b, (char)ch);
		else
			buf_addf(&b, "%%%02X", ch);
	}
	return buf_take(&b);
}

static int hex(char ch)
{
	return isdigit((unsigned char)ch) ? ch - '0' : tolower((unsigned char)ch) - 'a' + 10;
}

char *pyurl_decode(const char *s, size_t n)
{
	const char *end = s + n;
	autofree char *out = xmalloc(n + 1);
	size_t k = 0;
	for (; s < end; s++) {
		bool coded = *s == '%' && end - s > 2 && isxdigit((unsigned char)s[1]) &&
			     isxdigit((unsigned char)s[2]);
		out[k++] = coded ? (char)(hex(s[1]) * 16 + hex(s[2])) : *s;
		s += coded ? 2 : 0;
	}
	out[k] = '\0';
	return memchr(out, '\0', k) ? NULL : take_ptr(out);
}

char *pyurl_to_path(const char *url)
{
	if (!pyurl_has_scheme(url, "file"))
		return NULL;
	url += 7;
	if (!strncasecmp(url, "localhost/", 10))
		url += 9;
	return *url == '/' ? pyurl_decode(url, strcspn(url, "?#")) : NULL;
}

struct authority {
	const char *login; /* behind "://" */
	size_t login_n;	   /* with the '@'; 0: none */
	const char *host;
	size_t host_n;
};

static bool authority(const char *url, struct authority *a)
{
	const char *start = strstr(url, "://");
	if (!start)
		return false;
	start += 3;
	size_t n = strcspn(start, "/?#");
	const char *at = memrchr(start, '@', n);
	a->login = start;
	a->login_n = at ? (size_t)(at + 1 - start) : 0;
	a->host = start + a->login_n;
	a->host_n = n - a->login_n;
	return true;
}

char *pyurl_without_login(const char *url)
{
	struct authority a;
	if (!authority(url, &a))
		return xstrdup(url);
	return xasprintf("%.*s%s", (int)(a.login - url), url, a.host);
}

char *pyurl_with_login(const char *url, const char *from)
{
	struct authority u, f;
	if (!authority(url, &u) || !authority(from, &f) || u.login_n || !f.login_n ||
	    u.login - url != f.login - from ||
	    strncasecmp(url, from, (size_t)(u.login - url)) != 0 || u.host_n != f.host_n ||
	    strncasecmp(u.host, f.host, u.host_n) != 0)
		return xstrdup(url);
	return xasprintf("%.*s%.*s%s", (int)(u.login - url), url, (int)f.login_n, f.login, u.host);
}
