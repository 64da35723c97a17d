#pragma once
/* What URLs and HTTP headers say: text only, no network and no library. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"

struct content_range {
	uint64_t first, last;
	uint64_t total; /* UINT64_MAX: "*" */
};
/* "bytes 10-99/100" or "bytes 10-99/" "*"; false for anything else, also when last is not in [first, total). */
bool http_content_range(const char *value, struct content_range *out);

/* Value of the header line when its name is `name` (any case), without blanks around it; else NULL. */
char *http_header(const char *line, size_t n, const char *name);

/* text/html or xhtml, with or without parameters. */
bool http_html_type(const char *content_type);
/* The first bytes of a body look like an HTML page. 64 are enough. */
bool http_html_body(const void *head, size_t n);

/*
 * url for messages: what stands before '@' becomes "***", what follows '?' too (signed links), and
 * control characters become '?'. Takes "user:password@host:port" without a scheme as well.
 */
char *http_mask(const char *url);

/* "https://host:port" of a URL in lower case, for comparing; "" when there is none (file, no URL). */
char *http_origin(const char *url);

/* "410" -> "gone", or "" for a status nobody needs in words. */
const char *http_status_word(long status);
