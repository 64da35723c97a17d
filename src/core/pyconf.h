#pragma once
/*
 * Where this user gets Python packages from. The first of these that names an index is the primary
 * one: our own `index` (may hold several, blanks between; then nothing of the rest counts)
 *   UV_DEFAULT_INDEX UV_INDEX_URL, PIP_INDEX_URL, pip.conf, uv.toml, what uv or pip say is their
 * default Extra indexes and find-links of uv and pip are added. All are asked; of equal files that
 * of the earlier one counts: folders, then UV_INDEX and its like, the primary one, extra ones of
 * pip, pages of links.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/event.h"

struct config;

enum pysite_kind {
	PYSITE_FOLDER, /* find-links: wheels in a local folder */
	PYSITE_INDEX,  /* simple index: <url>/<project>/ */
	PYSITE_PAGE,   /* find-links: one page with links to wheels */
};

struct pysite {
	enum pysite_kind kind;
	char *url;   /* no slash at its end; may carry a login: never show. FOLDER: an absolute path
		      */
	char *words; /* for messages, login masked: "'https://host/simple' (from PIP_INDEX_URL)" */
};

struct pyconf {
	struct pysite *sites; /* in the order of trust; at least one */
	size_t n;
	char *ca_file; /* PIP_CERT, pip's `cert`, SSL_CERT_FILE, REQUESTS_CA_BUNDLE, CURL_CA_BUNDLE;
			  or NULL */
};

/*
 * ERR_USAGE names the variable or file with a bad value. ERR_NETWORK: no index at all, or all were
 * forbidden (no-index). Options that would drop certificate checks are left out with a note.
 */
must_check bool pyconf_load(struct pyconf *c, const struct config *cfg, const struct events *ev,
			    struct err *err);
void pyconf_clear(struct pyconf *c);
