#pragma once
/* The little that the package index needs to do with URLs. All results are freed by the caller. */
#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

/* "scheme://", any case; scheme in lower case. */
bool pyurl_has_scheme(const char *url, const char *scheme);
/* %XX decoded; NULL: a NUL byte in it. */
char *pyurl_decode(const char *s, size_t n);
/* "file:///srv/a%20b" for an absolute path, and back (NULL: no file URL of this machine). */
char *pyurl_from_path(const char *path);
char *pyurl_to_path(const char *url);

/* Without "user:password@" (or the "***@" of a masked one). */
char *pyurl_without_login(const char *url);
/* url with the login of `from` where it has none and scheme, host and port are the same. */
char *pyurl_with_login(const char *url, const char *from);
