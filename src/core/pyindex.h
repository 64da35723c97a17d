#pragma once
/*
 * The wheels of a project that the sites of a pyconf hold. All sites are asked, as pip does; the
 * order of sites only decides between equal files. A site that is down is left out, with one
 * warning, where another one serves.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "core/pyconf.h"
#include "core/pypage.h"
#include "core/pyspec.h"
#include "core/source.h"
#include "ext/fetch.h"

struct pyindex {
	const struct pyconf *conf;
	const char *arch;
	const struct fetch_opts *fetch;
	const char *cache_dir; /* pages are kept there, and serve offline */
	struct pyfiles *flat;  /* by site: what its folder or page of links holds */
	bool *down;	       /* by site: it failed before and is not asked again */
	bool warned;	       /* of a site that is left out */
};

/* Reads folders and pages of links. All arguments are borrowed until pyindex_clear. */
must_check bool pyindex_init(struct pyindex *ix, const struct pyconf *conf, const char *arch,
			     const struct fetch_opts *fetch, const char *cache_dir,
			     struct err *err);
void pyindex_clear(struct pyindex *ix);

struct pyquery {
	const char *project;  /* normalised name */
	struct pyfiles files; /* all its wheels, other platforms' too, in the order of the sites */
	bool ok;
	/* ERR_NETWORK: no site has it (sys == ENOENT), or none could be asked. */
	struct err err;
};
/* Several projects side by side, one request each and index. false only when interrupted. */
must_check bool pyindex_get(struct pyindex *ix, struct pyquery *queries, size_t n, struct err *err);
void pyqueries_clear(struct pyquery *queries, size_t n);

/* Opens the index that the user's settings name, and calls fn once. arch: as in pyindex. */
typedef bool pyindex_fn(struct pyindex *ix, void *arg, struct err *err);
must_check bool pyindex_ask(const struct source_ctx *ctx, const char *arch, pyindex_fn *fn,
			    void *arg, struct err *err);

/* For messages: the first index, "'https://host/simple' (from PIP_INDEX_URL)", else the first site.
 */
const char *pyindex_words(const struct pyindex *ix);

/*
 * The best wheel for the platform that is not yanked and no pre-release: the newest version, or the
 * oldest that the conditions let through. NULL: none. Borrowed from f.
 */
const struct pyfile *pyfiles_pick(const struct pyfiles *f, const struct pyspec *spec, bool newest);

/* Why nothing was picked. */
enum pyfiles_miss {
	PYFILES_NO_VERSION, /* no such version at all */
	PYFILES_OTHER_PLATFORM,
	PYFILES_YANKED,
	PYFILES_PRE, /* only a pre-release */
};
enum pyfiles_miss pyfiles_miss(const struct pyfiles *f, const struct pyspec *spec);

/*
 * The digest of a picked file: from an index, else of the local file itself. ERR_INTEGRITY when
 * neither is there. *urls: the same file at all sites that agree on it, local ones first.
 */
must_check bool pyfiles_source(const struct pyfiles *f, const struct pyfile *file, char sha256[65],
			       struct strlist *urls, struct err *err);
