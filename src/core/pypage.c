#include "core/pypage.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/attr.h"
#include "core/pyurl.h"
#include "ext/html.h"

/* What a page gives, until it is known to be good. */
struct reader {
	const struct pypage *page;
	const char *project, *arch;
	struct pyfiles files;
	bool too_many;
};

void pyfiles_add(struct pyfiles *list, struct pyfile f)
{
	list->files = array_grow(list->files, list->n, sizeof *list->files);
	list->files[list->n++] = f;
}

void pyfiles_add_copy(struct pyfiles *list, const struct pyfile *f)
{
	struct pyfile copy = *f;
	copy.file = xstrdup(f->file);
	copy.url = xstrdup(f->url);
	copy.path = f->path ? xstrdup(f->path) : NULL;
	pyfiles_add(list, copy);
}

void pyfiles_clear(struct pyfiles *list)
{
	for (size_t i = 0; i < list->n; i++) {
		free(list->files[i].file);
		free(list->files[i].url);
		free(list->files[i].path);
	}
	free(list->files);
	*list = (struct pyfiles){0};
}

static void set_sha256(struct pyfile *f, const char *hex)
{
	size_t n = strspn(hex, "0123456789abcdefABCDEF");
	if (n != 64 || isalnum((unsigned char)hex[64]))
		return;
	for (size_t i = 0; i < 64; i++)
		f->sha256[i] = (char)tolower((unsigned char)hex[i]);
}

/* http and https anywhere; a local file only from a local page. */
static bool url_allowed(const struct reader *r, const char *url)
{
	return pyurl_has_scheme(url, "https") || pyurl_has_scheme(url, "http") ||
	       (pyurl_has_scheme(url, "file") && pyurl_has_scheme(r->page->url, "file"));
}

/* Fills in what follows from the file's name and adds it, or leaves it out. url: absolute. */
static void take(struct reader *r, const char *file, const char *url, struct pyfile f)
{
	if (!wheelname_parse(file, r->arch, &f.name, &f.fits) || !url_allowed(r, url) ||
	    (r->project && strcmp(f.name.project, r->project) != 0))
		return;
	if (r->files.n == PYPAGE_FILES_MAX) {
		r->too_many = true;
		return;
	}
	autofree char *bare = xstrndup(url, strcspn(url, "#"));
	f.file = xstrdup(file);
	f.url = r->page->login ? pyurl_with_login(bare, r->page->login) : take_ptr(bare);
	f.path = NULL;
	if (pyurl_has_scheme(f.url, "file"))
		f.path = pyurl_to_path(f.url);
	pyfiles_add(&r->files, f);
}

static const char *text(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static bool json_file(struct reader *r, const json_t *o, const char **what)
{
	const char *file = text(o, "filename"), *href = text(o, "url");
	const json_t *hashes = json_object_get(o, "hashes"), *yanked = json_object_get(o, "yanked");
	const json_t *size = json_object_get(o, "size");
	struct pyfile f = {.yanked = json_is_true(yanked) || json_is_string(yanked)};
	if (!json_is_object(o))
		*what = "a member of 'files' is no object";
	else if (!file)
		*what = "a file has no 'filename'";
	else if (!href)
		*what = "a file has no 'url'";
	else if (hashes && !json_is_object(hashes))
		*what = "'hashes' of a file is no object";
	if (*what)
		return false;
	if (text(hashes, "sha256"))
		set_sha256(&f, text(hashes, "sha256"));
	if (json_is_integer(size) && json_integer_value(size) > 0)
		f.size = (uint64_t)json_integer_value(size);
	autofree char *url = html_url(r->page->url, href);
	if (url)
		take(r, file, url, f);
	return true;
}

static bool read_json(struct reader *r, struct err *err)
{
	json_error_t e;
	json_t *root = json_loadb(r->page->text, r->page->len, 0, &e);
	const char *what = NULL, *version;
	if (!root)
		return err_set(err, ERR_NETWORK, "broken JSON, line %d: %s", e.line, e.text);
	const json_t *files = json_object_get(root, "files");
	version = text(json_object_get(root, "meta"), "api-version");
	if (version && strncmp(version, "1.", 2) != 0)
		what = "an 'api-version' that is not 1.x";
	else if (!json_is_array(files))
		what = "no list 'files'";
	for (size_t i = 0; !what && i < json_array_size(files); i++)
		if (!json_file(r, json_array_get(files, i), &what))
			break;
	if (what)
		err_set(err, ERR_NETWORK, "JSON that is no package index: %s", what);
	json_decref(root);
	return !what;
}

/* The last part of a URL's path, decoded. NULL: none that could be a file name. */
static char *file_of(const char *url)
{
	size_t end = strcspn(url, "?#"), start = end;
	while (start && url[start - 1] != '/')
		start--;
	return pyurl_decode(url + start, end - start);
}

static void html_file(void *ctx, const struct html_link *l)
{
	struct reader *r = ctx;
	struct pyfile f = {.yanked = l->yanked != NULL};
	const char *hash = strstr(l->url + strcspn(l->url, "#"), "sha256=");
	autofree char *file = file_of(l->url);
	if (hash)
		set_sha256(&f, hash + strlen("sha256="));
	if (file)
		take(r, file, l->url, f);
}

/* A project without files is an empty page; a form, or nothing like an index, is somebody else's
 * page. */
static bool read_html(struct reader *r, struct err *err)
{
	struct html_page p;
	if (!html_links(r->page->text, r->page->len, r->page->url, html_file, r, &p, err))
		return false;
	if (r->files.n || (p.links && !p.form) || !strncasecmp(p.title, "links for", 9))
		return true;
	err_set(err, ERR_NETWORK, "an HTML page that is no package index%s%s%s",
		*p.title ? ", titled '" : "", p.title, *p.title ? "'" : "");
	return err_hint(err, p.form ? "it asks for a login: give one in the URL or in ~/.netrc"
				    : "check the index: cudaenv config set index URL");
}

static bool is_json(const struct pypage *page)
{
	size_t i = 0;
	if (strcasestr(page->content_type, "html"))
		return false;
	while (i < page->len && isspace((unsigned char)page->text[i]))
		i++;
	return strcasestr(page->content_type, "json") || (i < page->len && page->text[i] == '{');
}

bool pypage_parse(const struct pypage *page, const char *project, const char *arch,
		  struct pyfiles *out, struct err *err)
{
	struct reader r = {.page = page, .project = project, .arch = arch};
	bool ok = is_json(page) ? read_json(&r, err) : read_html(&r, err);
	if (ok && r.too_many)
		ok = err_set(err, ERR_NETWORK, "more than %d files", PYPAGE_FILES_MAX);
	for (size_t i = 0; ok && i < r.files.n; i++) {
		pyfiles_add(out, r.files.files[i]);
		r.files.files[i] = (struct pyfile){0};
	}
	pyfiles_clear(&r.files);
	return ok;
}
