#include "core/pyindex.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/attr.h"
#include "core/pagecache.h"
#include "core/pyurl.h"
#include "ext/digest.h"

static const char accept_index[] = "application/vnd.pypi.simple.v1+json, "
				   "application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.01";

static bool load_folder(struct pyindex *ix, size_t site, struct err *err)
{
	const char *path = ix->conf->sites[site].url;
	autodir DIR *dir = opendir(path);
	if (!dir)
		return err_sys(err, ERR_FILESYSTEM, "cannot read the folder of wheels %s",
			       ix->conf->sites[site].words);
	for (struct dirent *e; (e = readdir(dir));) {
		struct pyfile f = {0};
		struct stat st;
		if (!wheelname_parse(e->d_name, ix->arch, &f.name, &f.fits) ||
		    fstatat(dirfd(dir), e->d_name, &st, 0) < 0 || !S_ISREG(st.st_mode))
			continue;
		f.file = xstrdup(e->d_name);
		f.path = xasprintf("%s/%s", path, e->d_name);
		f.url = pyurl_from_path(f.path);
		f.size = (uint64_t)st.st_size;
		pyfiles_add(&ix->flat[site], f);
	}
	return true;
}

/* What came for a page, whose `url` still has its login. Moves its error or its wheels on. */
static bool take_page(struct pyindex *ix, size_t site, struct fetch_page *p, const char *project,
		      struct pyfiles *out, struct err *err)
{
	const struct fetch_answer *a = &p->answer;
	if (!p->ok) {
		*err = p->err;
		err_hint(err, "check the network; another index: cudaenv config set index URL");
		return err_prefix(err, "cannot ask the package index %s%s%s%s",
				  ix->conf->sites[site].words, project ? " for '" : "",
				  project ? project : "", project ? "'" : "");
	}
	autofree char *base = pyurl_without_login(*a->url ? a->url : p->url);
	struct pypage page = {.text = buf_str(&a->body),
			      .len = a->body.len,
			      .content_type = a->content_type,
			      .url = base,
			      .login = p->url};
	return pypage_parse(&page, project, ix->arch, out, err) ||
	       err_prefix(err, "the package index %s sent", ix->conf->sites[site].words);
}

static struct fetch_page page_for(const char *url)
{
	return (struct fetch_page){
		.url = url, .accept = accept_index, .answer.body = BUF_INIT(PYPAGE_MAX)};
}

static bool load_page(struct pyindex *ix, size_t site, struct err *err)
{
	struct fetch_page p = page_for(ix->conf->sites[site].url);
	bool ok = pagecache_fetch(ix->cache_dir, &p, 1, ix->fetch, err) &&
		  take_page(ix, site, &p, NULL, &ix->flat[site], err);
	fetch_answer_clear(&p.answer);
	return ok;
}

/* Its pages of links are asked once; one that fails is left out like an index that is down. */
static bool load_flat(struct pyindex *ix, size_t site, struct err *err)
{
	const struct pysite *s = &ix->conf->sites[site];
	bool ok = true;
	struct err e;
	if (s->kind == PYSITE_FOLDER)
		ok = load_folder(ix, site, &e);
	else if (s->kind == PYSITE_PAGE)
		ok = load_page(ix, site, &e);
	if (ok)
		return true;
	if (e.code == ERR_INTERRUPTED || ix->conf->n == 1) {
		*err = e;
		return false;
	}
	ix->down[site] = true;
	event_warn(ix->fetch->events, *e.hint ? e.hint : NULL, "%s is left out: %s", s->words,
		   e.msg);
	return true;
}

bool pyindex_init(struct pyindex *ix, const struct pyconf *conf, const char *arch,
		  const struct fetch_opts *fetch, const char *cache_dir, struct err *err)
{
	struct pyindex new = {.conf = conf, .arch = arch, .fetch = fetch, .cache_dir = cache_dir};
	new.flat = xcalloc(conf->n, sizeof *new.flat);
	new.down = xcalloc(conf->n, sizeof *new.down);
	for (size_t i = 0; i < conf->n; i++)
		if (!load_flat(&new, i, err)) {
			pyindex_clear(&new);
			return false;
		}
	*ix = new;
	return true;
}

void pyindex_clear(struct pyindex *ix)
{
	for (size_t i = 0; ix->flat && i < ix->conf->n; i++)
		pyfiles_clear(&ix->flat[i]);
	free(ix->flat);
	free(ix->down);
	*ix = (struct pyindex){0};
}

const char *pyindex_words(const struct pyindex *ix)
{
	for (size_t i = 0; i < ix->conf->n; i++)
		if (ix->conf->sites[i].kind == PYSITE_INDEX)
			return ix->conf->sites[i].words;
	return ix->conf->sites[0].words;
}

static void add_flat(const struct pyfiles *from, struct pyquery *q)
{
	for (size_t i = 0; i < from->n; i++)
		if (!strcmp(from->files[i].name.project, q->project))
			pyfiles_add_copy(&q->files, &from->files[i]);
}

/* Names all that were asked, and those that did not answer earlier. */
static bool not_found(struct pyindex *ix, const char *project, struct err *err)
{
	autobuf struct buf b = BUF_INIT(700);
	for (size_t i = 0; i < ix->conf->n; i++)
		buf_addf(&b, "%s%s%s", i ? ", " : "", ix->conf->sites[i].words,
			 ix->down[i] ? " which does not answer" : "");
	err_set(err, ERR_NETWORK, "package '%s' is not in the package index %s", project,
		buf_str(&b));
	err->sys = ENOENT;
	return err_hint(
		err, "the mirror may not be complete; another one: cudaenv config set index URL");
}

/* One index, all projects. A failure is kept with the query: another site may have its files. */
static bool ask_index(struct pyindex *ix, size_t site, struct pyquery *queries, size_t n,
		      struct err *err)
{
	const char *root = ix->conf->sites[site].url;
	bool local = pyurl_has_scheme(root, "file"), failed = false;
	autofree struct fetch_page *pages = xcalloc(n, sizeof *pages);
	autostrlist struct strlist urls = {0};
	for (size_t i = 0; i < n; i++) {
		autofree char *url =
			xasprintf("%s/%s/%s", root, queries[i].project, local ? "index.html" : "");
		strlist_add(&urls, url);
		pages[i] = page_for(urls.items[i]);
	}
	bool ok = pagecache_fetch(ix->cache_dir, pages, n, ix->fetch, err);
	for (size_t i = 0; i < n; i++) {
		struct pyquery *q = &queries[i];
		struct err e;
		if (ok && !take_page(ix, site, &pages[i], q->project, &q->files, &e) &&
		    e.sys != ENOENT) {
			failed = true;
			if (!q->err.code)
				q->err = e;
		}
		fetch_answer_clear(&pages[i].answer);
	}
	ix->down[site] = failed;
	return ok;
}

/* With files from anywhere a query is answered; of what failed beside that one warning tells. */
static void conclude(struct pyindex *ix, struct pyquery *q)
{
	q->ok = q->files.n > 0;
	if (!q->ok && !q->err.code)
		not_found(ix, q->project, &q->err);
	if (!q->ok || !q->err.code || ix->warned)
		return;
	event_warn(ix->fetch->events, NULL, "left out: %s", q->err.msg);
	ix->warned = true;
}

bool pyindex_get(struct pyindex *ix, struct pyquery *queries, size_t n, struct err *err)
{
	for (size_t i = 0; i < n; i++)
		queries[i] = (struct pyquery){.project = queries[i].project};
	for (size_t site = 0; site < ix->conf->n; site++) {
		if (ix->conf->sites[site].kind != PYSITE_INDEX)
			for (size_t i = 0; i < n; i++)
				add_flat(&ix->flat[site], &queries[i]);
		else if (!ix->down[site] && !ask_index(ix, site, queries, n, err)) {
			pyqueries_clear(queries, n);
			return false;
		}
	}
	for (size_t i = 0; i < n; i++)
		conclude(ix, &queries[i]);
	return true;
}

void pyqueries_clear(struct pyquery *queries, size_t n)
{
	for (size_t i = 0; i < n; i++)
		pyfiles_clear(&queries[i].files);
}

/* > 0: a is the better one. */
static int compare(const struct pyfile *a, const struct pyfile *b, bool newest)
{
	int d = pep440_compare(&a->name.v, &b->name.v);
	if (d)
		return newest ? d : -d;
	bool a_sure = a->sha256[0] || a->path, b_sure = b->sha256[0] || b->path;
	if (a_sure != b_sure)
		return a_sure - b_sure;
	if (a->name.build != b->name.build)
		return a->name.build > b->name.build ? 1 : -1;
	return b->name.glibc - a->name.glibc;
}

const struct pyfile *pyfiles_pick(const struct pyfiles *f, const struct pyspec *spec, bool newest)
{
	const struct pyfile *best = NULL;
	for (size_t i = 0; i < f->n; i++) {
		const struct pyfile *c = &f->files[i];
		if (c->fits && !c->yanked && !pep440_is_pre(&c->name.v) &&
		    pyspec_holds(spec, &c->name.v) && (!best || compare(c, best, newest) > 0))
			best = c;
	}
	return best;
}

enum pyfiles_miss pyfiles_miss(const struct pyfiles *f, const struct pyspec *spec)
{
	enum pyfiles_miss why = PYFILES_NO_VERSION;
	for (size_t i = 0; i < f->n; i++) {
		const struct pyfile *c = &f->files[i];
		enum pyfiles_miss one = PYFILES_OTHER_PLATFORM;
		if (!pyspec_holds(spec, &c->name.v))
			continue;
		if (c->fits)
			one = c->yanked ? PYFILES_YANKED : PYFILES_PRE;
		why = one > why ? one : why;
	}
	return why;
}

bool pyfiles_source(const struct pyfiles *f, const struct pyfile *file, char sha256[65],
		    struct strlist *urls, struct err *err)
{
	const char *given = NULL, *path = NULL;
	char computed[65];
	for (size_t i = 0; i < f->n; i++) {
		const struct pyfile *c = &f->files[i];
		if (strcmp(c->file, file->file) != 0)
			continue;
		if (!given && c->sha256[0])
			given = c->sha256;
		if (!path && c->path)
			path = c->path;
	}
	if (!given && !path) {
		err_set(err, ERR_INTEGRITY, "the package index gives no sha256 for '%s'",
			file->file);
		return err_hint(err, "use an index that does: cudaenv config set index URL");
	}
	if (!given) {
		if (!digest_file(DIGEST_SHA256, path, computed, err))
			return false;
		given = computed;
	}
	/* A local copy that is another file fails its digest when it is read, and the next URL
	 * serves. */
	for (int local = 1; local >= 0; local--)
		for (size_t i = 0; i < f->n; i++) {
			const struct pyfile *c = &f->files[i];
			bool same = !strcmp(c->file, file->file) &&
				    (!c->sha256[0] || !strcmp(c->sha256, given));
			if (same && (c->path != NULL) == local && !strlist_has(urls, c->url))
				strlist_add(urls, c->url);
		}
	memcpy(sha256, given, strlen(given) + 1);
	return true;
}
