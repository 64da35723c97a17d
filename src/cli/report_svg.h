#pragma once
/* The charts of a report. */
#include <stdbool.h>

#include "base/buf.h"
#include "core/results.h"

/* Figures that belong in one chart: of this kind, memory and method (the latter NULL: any). */
struct chart {
	const char *kind, *memory, *method, *title;
};
extern const struct chart charts[]; /* ends with a zero entry */

/* Whether any result has figures for it. */
bool chart_used(const struct results *r, const struct chart *c);

/*
 * Bandwidth by size: up to six results each have a line in a colour of their own; of more, each has a thin line,
 * the medians a bold one, and those with a figure that stands out a marked one.
 */
void svg_by_size(struct buf *out, const struct results *r, const struct chart *c);

/* The best rates by version, or by host: a bar to the median of each, and a line from lowest to highest. */
enum svg_group { SVG_BY_VERSION, SVG_BY_HOST };
void svg_groups(struct buf *out, const struct results *r, const struct chart *c, enum svg_group by);

/* Text from outside, into HTML or an attribute. */
void html_text(struct buf *out, const char *s);
