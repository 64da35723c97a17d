#pragma once
/*
 * Pages of an index, kept so that what was installed once can be installed offline. Always asked
 * anew where there is a network: an index changes. They stand in the cache folder among the
 * archives, under the digest of their URL.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "ext/fetch.h"

/* As fetch_pages; offline, the answers that were kept. dir NULL: nothing is kept. */
must_check bool pagecache_fetch(const char *dir, struct fetch_page *pages, size_t n,
				const struct fetch_opts *o, struct err *err);
