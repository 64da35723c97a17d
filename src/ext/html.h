#pragma once
/* Links of an HTML page (libxml2's HTML parser), and relative URLs. Nothing is loaded by this. */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Borrowed for the length of the call; entities are decoded. */
struct html_link {
	const char *url;    /* absolute: against <base href>, else against the page's own URL */
	const char *yanked; /* data-yanked; NULL: not there */
};
typedef void html_link_fn(void *ctx, const struct html_link *l);

struct html_page {
	size_t links;	 /* <a href> of any kind */
	bool form;	 /* has a form: a login page, most likely */
	char title[128]; /* "" none */
};

/*
 * Calls fn for each <a href> whose URL can be made absolute, in the order of the page. Broken HTML
 * is repaired as browsers do. ERR_NETWORK when there is no document at all.
 */
must_check bool html_links(const char *text, size_t len, const char *url, html_link_fn *fn,
			   void *ctx, struct html_page *page, struct err *err);

/* href against base, as a browser does; NULL when it is no URL. The caller frees. */
char *html_url(const char *base, const char *href);
