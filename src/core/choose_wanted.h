#pragma once
/* Inside of choose: which releases answer a SPEC, as far as that can be said without asking a source. */
#include <stdbool.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/version.h"
#include "core/catalog.h"
#include "core/host.h"

struct wanted {
	struct spec spec;
	/* Best first. Empty: the catalog has none, but one newer than it may be meant; `unknown` says so then. */
	struct strlist labels;
	struct err unknown; /* what the catalog says of a release that it does not know */
};

/*
 * ERR_NO_VERSION for what no source could have: no number, or one that is not newer than what the catalog knows
 * beside it. ERR_HOST as host_supported.
 */
must_check bool wanted_find(const struct catalog *c, const struct host *h, const char *spec,
			    const char *where, struct wanted *out, struct err *err);
/* The best of a source's own list that spec means; NULL: none. Borrowed from the list. */
const char *wanted_newest(const struct wanted *w, const struct strlist *labels);
/* Whether spec names one release alone. */
bool wanted_exact(const struct wanted *w);
void wanted_clear(struct wanted *w);
