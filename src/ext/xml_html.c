#include "ext/html.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/HTMLparser.h>
#include <libxml/tree.h>

#include "base/attr.h"

static const xmlChar *X(const char *s)
{
	return (const xmlChar *)s;
}

/* Attribute value, owned by libxml2; NULL: not there. */
static char *attribute(xmlNode *node, const char *name)
{
	return (char *)xmlGetNoNsProp(node, X(name));
}

static bool is_element(const xmlNode *node, const char *name)
{
	return node->type == XML_ELEMENT_NODE && !strcmp((const char *)node->name, name);
}

/* The next node in document order. No recursion: a page may nest as deep as it likes. */
static xmlNode *next_node(xmlNode *node)
{
	if (node->children && node->type == XML_ELEMENT_NODE)
		return node->children;
	while (node && !node->next)
		node = node->parent;
	return node ? node->next : NULL;
}

static void note_title(struct html_page *page, xmlNode *node)
{
	xmlChar *text = xmlNodeGetContent(node);
	if (text && !page->title[0]) {
		snprintf(page->title, sizeof page->title, "%s", (char *)text);
		err_sanitize(page->title);
	}
	xmlFree(text);
}

static void report(xmlNode *node, const char *base, html_link_fn *fn, void *ctx)
{
	char *href = attribute(node, "href"), *yanked = attribute(node, "data-yanked");
	autofree char *url = html_url(base, href);
	if (url) {
		struct html_link l = {.url = url, .yanked = yanked};
		fn(ctx, &l);
	}
	xmlFree(href);
	xmlFree(yanked);
}

/* The first <base href> counts; NULL: none. */
static char *find_base(xmlNode *root, const char *page_url)
{
	for (xmlNode *n = root; n; n = next_node(n))
		if (is_element(n, "base") && xmlHasProp(n, X("href"))) {
			char *href = attribute(n, "href");
			char *base = html_url(page_url, href);
			xmlFree(href);
			return base;
		}
	return NULL;
}

bool html_links(const char *text, size_t len, const char *url, html_link_fn *fn, void *ctx,
		struct html_page *page, struct err *err)
{
	struct html_page found = {0};
	xmlDoc *doc = len <= INT_MAX
			      ? htmlReadMemory(text, (int)len, NULL, NULL,
					       HTML_PARSE_RECOVER | HTML_PARSE_NOERROR |
						       HTML_PARSE_NOWARNING | HTML_PARSE_NONET)
			      : NULL;
	xmlNode *root = doc ? xmlDocGetRootElement(doc) : NULL;
	if (!root) {
		xmlFreeDoc(doc);
		return err_set(err, ERR_NETWORK, "no HTML document");
	}
	autofree char *base = find_base(root, url);
	for (xmlNode *n = root; n; n = next_node(n)) {
		if (is_element(n, "form"))
			found.form = true;
		else if (is_element(n, "title"))
			note_title(&found, n);
		else if (is_element(n, "a") && xmlHasProp(n, X("href"))) {
			found.links++;
			report(n, base ? base : url, fn, ctx);
		}
	}
	xmlFreeDoc(doc);
	*page = found;
	return true;
}
