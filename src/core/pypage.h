#pragma once
/* One answer of a package index, or one page of links: JSON (PEP 691) or HTML (PEP 503). */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "core/wheelname.h"

enum { PYPAGE_MAX = 64 << 20, PYPAGE_FILES_MAX = 200000 };

struct pyfile {
	char *file;
	struct wheelname name;
	bool fits; /* for the platform that is asked for */
	bool yanked;
	char *url;	 /* may carry a login: never show */
	char *path;	 /* in a local folder; else NULL */
	char sha256[65]; /* lower case; "": not given */
	uint64_t size;	 /* 0: not given */
};

struct pyfiles {
	struct pyfile *files;
	size_t n;
};
/* Takes f's strings over. */
void pyfiles_add(struct pyfiles *list, struct pyfile f);
void pyfiles_add_copy(struct pyfiles *list, const struct pyfile *f);
void pyfiles_clear(struct pyfiles *list);

struct pypage {
	const char *text;
	size_t len;
	const char *content_type; /* "": judged by its first bytes */
	const char *url;	  /* of the page, after redirects, without a login */
	const char *login;	  /* URL whose login the files on its host get; NULL: none */
};

/*
 * Adds the wheels of `project` (normalised; NULL: all) in the page's order, those of other
 * platforms than arch too; other files are left out. A link from the network never leads to a local
 * file. ERR_NETWORK says what the answer is instead: an HTML page that is no index (login), JSON of
 * a wrong shape.
 */
must_check bool pypage_parse(const struct pypage *page, const char *project, const char *arch,
			     struct pyfiles *out, struct err *err);
