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

/* url: of the page, with its login. */
static bool load_page(struct pyindex *ix, size_t site, const char *url, const char *project,
		      struct pyfiles *out, struct err *err)
{
	struct fetch_answer a = {.body = BUF_INIT(PYPAGE_MAX)};
	if (!pagecache_fetch(ix->cache_dir, url, accept_index, ix->fetch, &a, err))
		return false;
	autofree char *base = pyurl_without_login(*a.url ? a.url : url);
	struct pypage page = {.text = buf_str(&a.body),
			      .len = a.body.len,
			      .content_type = a.content_type,
			      .url = base,
			      .login = url};
	bool ok = pypage_parse(&page, project, ix->arch, out, err);
	if (!ok)
		err_prefix(err, "the package index %s sent", ix->conf->sites[site].words);
	fetch_answer_clear(&a);
	return ok;
}

static bool ask_index(struct pyindex *ix, size_t site, const char *project, struct pyfiles *out,
		      struct err *err)
{
	const char *root = ix->conf->sites[site].url;
	bool local = pyurl_has_scheme(root, "file");
	autofree char *url = xasprintf("%s/%s/%s", root, project, local ? "index.html" : "");
	return load_page(ix, site, url, project, out, err);
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
		ok = load_page(ix, site, s->url, NULL, &ix->flat[site], &e);
	if (ok)
		return true;
	if (e.code == ERR_INTERRUPTED || ix->conf->n == 1) {
		*err = e;
		return false;
	}
	atomic_store(&ix->down[site], true);
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

static void add_flat(const struct pyfiles *from, const char *project, struct pyfiles *to)
{
	for (size_t i = 0; i < from->n; i++)
		if (!strcmp(from->files[i].name.project, project))
			pyfiles_add_copy(to, &from->files[i]);
}

/* Names all that were asked, and those that did not answer earlier. */
static bool not_found(struct pyindex *ix, const char *project, struct err *err)
{
	autobuf struct buf b = BUF_INIT(700);
	for (size_t i = 0; i < ix->conf->n; i++)
		buf_addf(&b, "%s%s%s", i ? ", " : "", ix->conf->sites[i].words,
			 atomic_load(&ix->down[i]) ? " which does not answer" : "");
	err_set(err, ERR_NETWORK, "package '%s' is not in the package index %s", project,
		buf_str(&b));
	err->sys = ENOENT;
	return err_hint(
		err, "the mirror may not be complete; another one: cudaenv config set index URL");
}

bool pyindex_get(struct pyindex *ix, const char *project, struct pyfiles *out, struct err *err)
{
	struct pyfiles found = {0};
	struct err first = {0}; /* of the sites that should have answered */
	size_t failed = 0;
	for (size_t i = 0; i < ix->conf->n && first.code != ERR_INTERRUPTED; i++) {
		struct err e;
		if (ix->conf->sites[i].kind != PYSITE_INDEX) {
			add_flat(&ix->flat[i], project, &found);
			continue;
		}
		if (atomic_load(&ix->down[i]) || ask_index(ix, i, project, &found, &e) ||
		    e.sys == ENOENT)
			continue;
		if (!first.code) {
			first = e;
			failed = i;
		}
		atomic_store(&ix->down[i], true);
	}
	if (first.code == ERR_INTERRUPTED || (first.code && !found.n)) {
		pyfiles_clear(&found);
		*err = first;
		return err_prefix(err, "cannot ask the package index %s for '%s'",
				  ix->conf->sites[failed].words, project);
	}
	if (!found.n)
		return not_found(ix, project, err);
	if (first.code)
		event_warn(ix->fetch->events, NULL, "%s is left out: %s",
			   ix->conf->sites[failed].words, first.msg);
	*out = found;
	return true;
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
