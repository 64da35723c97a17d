#pragma once
/* Results as one HTML page that needs nothing else: style and charts are in it, and there is no script. */
#include <stdbool.h>

#include "base/buf.h"
#include "core/results.h"

enum { HTML_MAX = 256 << 20 };

/* `now`: the date of the page. false: it would be larger than out's maximum. */
bool html_page(struct buf *out, const struct results *r, const char *now);
