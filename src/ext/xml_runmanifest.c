#include <stdlib.h>
#include <string.h>

#include <libxml/parser.h>
#include <libxml/tree.h>

#include "base/attr.h"
#include "base/path.h"
#include "ext/runmanifest.h"

enum { RULES_MAX = 10000 };

static bool is_element(const xmlNode *node, const char *name)
{
	return node->type == XML_ELEMENT_NODE && !strcmp((const char *)node->name, name);
}

/* Text without blanks, "./" and '/' at its ends; NULL: empty. */
static char *clean(xmlChar *text)
{
	const char *s = text ? (const char *)text : "";
	s += strspn(s, " \t\r\n");
	while (s[0] == '.' && s[1] == '/')
		s += 2 + strspn(s + 2, "/");
	size_t n = strlen(s);
	while (n > 0 && strchr(" \t\r\n/", s[n - 1]))
		n--;
	char *out = n && strcmp(s, ".") != 0 ? xstrndup(s, n) : NULL;
	xmlFree(text);
	return out;
}

static char *child_path(xmlNode *package, const char *name)
{
	for (xmlNode *c = package->children; c; c = c->next)
		if (is_element(c, name))
			return clean(xmlNodeGetContent(c));
	return NULL;
}

static void add(struct runmanifest *m, const char *build, const char *install, char *dir,
		char *pattern)
{
	m->rules = array_grow(m->rules, m->n, sizeof *m->rules);
	m->rules[m->n++] = (struct runmanifest_rule){
		.build = xstrdup(build),
		.install = install ? xstrdup(install) : NULL,
		.dir = dir,
		.pattern = pattern,
	};
}

/* What leaves the toolkit is no place in it (and says nothing of where else the files belong). */
static bool inside(const char *path)
{
	return !path || path_safe_relative(path);
}

static bool take_package(struct runmanifest *m, xmlNode *package, struct err *err)
{
	autofree char *build = child_path(package, "buildPath");
	autofree char *install = child_path(package, "installPath");
	bool any = false;
	if (!build || !inside(build) || !inside(install))
		return true;
	for (xmlNode *c = package->children; c; c = c->next) {
		if (!is_element(c, "file"))
			continue;
		if (m->n >= RULES_MAX)
			return err_set(err, ERR_INTEGRITY,
				       "the runfile's manifest has more than %d rules", RULES_MAX);
		autofree char *dir = clean(xmlGetNoNsProp(c, (const xmlChar *)"dir"));
		if (!inside(dir))
			continue;
		add(m, build, install, take_ptr(dir), clean(xmlNodeGetContent(c)));
		any = true;
	}
	if (!any)
		add(m, build, install, NULL, NULL);
	return true;
}

/* The next node in document order. */
static xmlNode *next_node(xmlNode *node)
{
	if (node->children && node->type == XML_ELEMENT_NODE)
		return node->children;
	while (node && !node->next)
		node = node->parent;
	return node ? node->next : NULL;
}

static xmlDoc *parse(const char *text, size_t len, struct err *err)
{
	/* No network, no entities from elsewhere, and libxml2's own limits stay in force. */
	xmlDoc *doc = len > RUNMANIFEST_MAX
			      ? NULL
			      : xmlReadMemory(text, (int)len, "manifest.xml", NULL,
					      XML_PARSE_NONET | XML_PARSE_NOERROR |
						      XML_PARSE_NOWARNING | XML_PARSE_NOCDATA);
	if (doc && !doc->intSubset && !doc->extSubset)
		return doc;
	err_set(err, ERR_INTEGRITY, "the runfile's manifest %s",
		len > RUNMANIFEST_MAX ? "is too long"
		: doc		      ? "declares a document type, which none of NVIDIA's does"
				      : "is no well-formed XML");
	if (doc)
		xmlFreeDoc(doc);
	return NULL;
}

bool runmanifest_parse(struct runmanifest *m, const char *text, size_t len, struct err *err)
{
	struct runmanifest found = {0};
	xmlDoc *doc = parse(text, len, err);
	bool ok = doc != NULL;
	for (xmlNode *n = ok ? xmlDocGetRootElement(doc) : NULL; ok && n; n = next_node(n))
		if (is_element(n, "package"))
			ok = take_package(&found, n, err);
	if (doc)
		xmlFreeDoc(doc);
	if (ok)
		*m = found;
	else
		runmanifest_clear(&found);
	return ok;
}

void runmanifest_clear(struct runmanifest *m)
{
	for (size_t i = 0; i < m->n; i++) {
		free(m->rules[i].build);
		free(m->rules[i].install);
		free(m->rules[i].dir);
		free(m->rules[i].pattern);
	}
	free(m->rules);
	*m = (struct runmanifest){0};
}
