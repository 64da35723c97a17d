/* Bars by version or by host. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report_svg.h"

enum { WIDTH = 420, ROW = 22, LABEL = 130, VALUE = 56, GROUPS_MAX = 200, LABEL_MAX = 20 };

struct group {
	const char *label; /* borrowed */
	double *best;	   /* of each result, ascending */
	size_t n, odd;	   /* how many results, and how many of them stand out */
};

struct groups {
	struct group *items;
	size_t n, left_out;
	double top;
};

static bool has(const struct chart *c, const struct rate *x)
{
	return !strcmp(c->kind, x->kind) && !strcmp(c->memory, x->memory);
}

/* Of each GPU the best rate, and of these the lowest. */
static double best_of(const struct result *r, const struct chart *c, bool *odd)
{
	double low = 0;
	int last = -1;
	for (size_t i = 0; i < r->n; i++)
		if (r->rates[i].device > last)
			last = r->rates[i].device;
	for (int device = 0; device <= last; device++) {
		double top = 0;
		for (size_t i = 0; i < r->n; i++) {
			const struct rate *x = &r->rates[i];
			if (x->device != device || !has(c, x))
				continue;
			*odd = *odd || x->off != 0;
			if (x->gbps > top)
				top = x->gbps;
		}
		if (top > 0 && (low == 0 || top < low))
			low = top;
	}
	return low;
}

static struct group *group_named(struct groups *g, const char *label)
{
	for (size_t i = 0; i < g->n; i++)
		if (!strcmp(g->items[i].label, label))
			return &g->items[i];
	if (g->n == GROUPS_MAX) {
		g->left_out++;
		return NULL;
	}
	g->items = array_grow(g->items, g->n, sizeof *g->items);
	g->items[g->n].label = label;
	return &g->items[g->n++];
}

static int by_number(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static int by_label(const void *a, const void *b)
{
	return strverscmp(((const struct group *)a)->label, ((const struct group *)b)->label);
}

static void collect(struct groups *g, const struct results *r, const struct chart *c,
		    enum svg_group by)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct result *x = &r->items[i];
		bool odd = false;
		double v = best_of(x, c, &odd);
		struct group *to =
			v > 0 ? group_named(g, by == SVG_BY_HOST ? x->host : x->version) : NULL;
		if (!to)
			continue;
		to->best = array_grow(to->best, to->n, sizeof *to->best);
		to->best[to->n++] = v;
		to->odd += odd;
		if (v > g->top)
			g->top = v;
	}
	for (size_t i = 0; i < g->n; i++)
		qsort(g->items[i].best, g->items[i].n, sizeof(double), by_number);
	if (g->n)
		qsort(g->items, g->n, sizeof *g->items, by_label);
}

static double middle(const struct group *g)
{
	size_t n = g->n;
	return n % 2 ? g->best[n / 2] : (g->best[n / 2 - 1] + g->best[n / 2]) / 2;
}

/* What does not fit is in the title. */
static void put_label(struct buf *out, const char *s)
{
	char label[LABEL_MAX];
	size_t n = strlen(s);
	if (n >= sizeof label)
		for (n = sizeof label - 4; n && ((unsigned char)s[n] & 0xc0) == 0x80; n--)
			;
	snprintf(label, sizeof label, "%.*s%s", (int)n, s, s[n] ? "..." : "");
	html_text(out, label);
}

static void draw_group(struct buf *out, const struct groups *g, size_t i)
{
	const struct group *x = &g->items[i];
	const double scale = (WIDTH - LABEL - VALUE) / g->top;
	const int y = (int)i * ROW;
	buf_addf(out, "<text class=\"label\" x=\"%d\" y=\"%d\">", LABEL - 8, y + 15);
	put_label(out, x->label);
	buf_addf(out,
		 "</text><rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" "
		 "rx=\"2\"><title>",
		 2 * x->odd > x->n ? "odd" : "bar", LABEL, y + 4, middle(x) * scale, ROW - 8);
	html_text(out, x->label);
	buf_addf(out, ": %.1f GB/s", middle(x));
	if (x->n > 1)
		buf_addf(out, " (%.1f to %.1f, %zu results)", x->best[0], x->best[x->n - 1], x->n);
	buf_adds(out, "</title></rect>");
	if (x->n > 1)
		buf_addf(out, "<line class=\"range\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>",
			 LABEL + x->best[0] * scale, LABEL + x->best[x->n - 1] * scale, y + 11,
			 y + 11);
	buf_addf(out, "<text class=\"value\" x=\"%.1f\" y=\"%d\">%.1f</text>",
		 LABEL + x->best[x->n - 1] * scale + 6, y + 15, middle(x));
}

void svg_groups(struct buf *out, const struct results *r, const struct chart *c, enum svg_group by)
{
	struct groups g = {0};
	collect(&g, r, c, by);
	if (g.n) {
		buf_adds(out, "<figure><figcaption>");
		html_text(out, c->title);
		buf_addf(out,
			 " <small>best GB/s by %s</small></figcaption><svg viewBox=\"0 0 %d %zu\" "
			 "role=\"img\">",
			 by == SVG_BY_HOST ? "host" : "version", WIDTH, g.n * ROW);
		for (size_t i = 0; i < g.n; i++)
			draw_group(out, &g, i);
		buf_adds(out, "</svg>");
		if (g.left_out)
			buf_addf(out, "<p class=\"legend\">%zu more results are not drawn.</p>",
				 g.left_out);
		buf_adds(out, "</figure>\n");
	}
	for (size_t i = 0; i < g.n; i++)
		free(g.items[i].best);
	free(g.items);
}
