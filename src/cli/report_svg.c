#include "cli/report_svg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 420, HEIGHT = 260, LEFT = 44, RIGHT = 12, TOP = 10, BOTTOM = 34 };
enum { COLORS = 6, SIZES_MAX = 64 };

const struct chart charts[] = {
	{"h2d", "pinned", NULL, "To the GPU, pinned memory"},
	{"d2h", "pinned", NULL, "From the GPU, pinned memory"},
	{"both", "pinned", NULL, "Both directions at once, pinned memory"},
	{"d2d", NULL, "memcpy", "On the GPU, cudaMemcpy (read + written)"},
	{"d2d", NULL, "kernel", "On the GPU, a copying kernel (read + written)"},
	{"h2d", "pageable", NULL, "To the GPU, pageable memory"},
	{"d2h", "pageable", NULL, "From the GPU, pageable memory"},
	{"p2p", "device", NULL, "From GPU to GPU"},
	{"p2p-both", "device", NULL, "Between two GPUs, both directions at once"},
	{0},
};

static bool has(const struct chart *c, const struct rate *x)
{
	return !strcmp(c->kind, x->kind) && (!c->memory || !strcmp(c->memory, x->memory)) &&
	       (!c->method || !strcmp(c->method, x->method));
}

static bool uses(const struct result *r, const struct chart *c)
{
	for (size_t i = 0; i < r->n; i++)
		if (has(c, &r->rates[i]))
			return true;
	return false;
}

bool chart_used(const struct results *r, const struct chart *c)
{
	for (size_t i = 0; i < r->n; i++)
		if (uses(&r->items[i], c))
			return true;
	return false;
}

void html_text(struct buf *out, const char *s)
{
	for (; *s; s++) {
		const char *entity = *s == '&'	  ? "&amp;"
				     : *s == '<'  ? "&lt;"
				     : *s == '>'  ? "&gt;"
				     : *s == '"'  ? "&quot;"
				     : *s == '\'' ? "&#39;"
						  : NULL;
		if (entity)
			buf_adds(out, entity);
		else
			buf_addc(out, *s);
	}
}

static void title(struct buf *out, const struct result *r)
{
	html_text(out, r->host);
	buf_adds(out, ", ");
	html_text(out, r->version);
}

static int by_number(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Sorts. */
static double median(double *v, size_t n)
{
	qsort(v, n, sizeof *v, by_number);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* 1, 2 or 5 times a power of ten: the step that makes at most six of them reach v. */
static double step_for(double v)
{
	double step = 0.001;
	for (int i = 0; step * 6 < v && i < 60; i++)
		step *= i % 3 == 1 ? 2.5 : 2;
	return step;
}

/* Steps of one for each doubling, straight between them. */
static double log2_of(uint64_t v)
{
	int whole = 63 - __builtin_clzll(v | 1);
	return whole + (double)v / (double)(1ull << whole) - 1;
}

/* One chart's axes. */
struct plane {
	uint64_t sizes[SIZES_MAX]; /* ascending */
	size_t n;
	double top, step;
	double limit; /* that the hardware sets; 0 not known, or not the same for all */
};

static void add_size(struct plane *p, uint64_t v)
{
	size_t at = 0;
	while (at < p->n && p->sizes[at] < v)
		at++;
	if ((at < p->n && p->sizes[at] == v) || p->n == SIZES_MAX)
		return;
	memmove(&p->sizes[at + 1], &p->sizes[at], (p->n - at) * sizeof *p->sizes);
	p->sizes[at] = v;
	p->n++;
}

static double x_of(const struct plane *p, uint64_t v)
{
	double first = log2_of(p->sizes[0]), last = log2_of(p->sizes[p->n - 1]);
	return LEFT + (last > first ? (log2_of(v) - first) / (last - first) : 0.5) *
			      (WIDTH - LEFT - RIGHT);
}

static double y_of(const struct plane *p, double v)
{
	return HEIGHT - BOTTOM - v / p->top * (HEIGHT - TOP - BOTTOM);
}

/* 0: none, or not the same for all. */
static double common_limit(const struct results *r, const struct chart *c)
{
	double limit = 0;
	bool link = !strcmp(c->kind, "h2d") || !strcmp(c->kind, "d2h");
	for (size_t i = 0; i < r->n && (link || !strcmp(c->kind, "d2d")); i++) {
		double v = link ? r->items[i].link : r->items[i].memory;
		if (!uses(&r->items[i], c))
			continue;
		if (v <= 0 || (limit > 0 && (v < limit * 0.99 || v > limit * 1.01)))
			return 0;
		limit = v;
	}
	return limit;
}

static void measure_plane(struct plane *p, const struct results *r, const struct chart *c)
{
	*p = (struct plane){.limit = common_limit(r, c)};
	double top = p->limit;
	for (size_t i = 0; i < r->n; i++)
		for (size_t j = 0; j < r->items[i].n; j++) {
			const struct rate *x = &r->items[i].rates[j];
			if (!has(c, x))
				continue;
			add_size(p, x->bytes);
			if (x->gbps > top)
				top = x->gbps;
		}
	p->step = step_for(top);
	for (p->top = p->step; p->top < top; p->top += p->step)
		;
}

static void draw_axes(struct buf *out, const struct plane *p)
{
	double until = -100;
	char size[24];
	for (double v = 0; v <= p->top * 1.0001; v += p->step) {
		buf_addf(out, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>",
			 LEFT, WIDTH - RIGHT, y_of(p, v), y_of(p, v));
		buf_addf(out, "<text class=\"y\" x=\"%d\" y=\"%.1f\">%g</text>", LEFT - 6,
			 y_of(p, v) + 4, v);
	}
	for (size_t i = 0; i < p->n; i++) {
		double x = x_of(p, p->sizes[i]);
		buf_addf(out, "<line class=\"tick\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>",
			 x, x, HEIGHT - BOTTOM, HEIGHT - BOTTOM + 4);
		/* As many as have room. */
		if (x < until || (p->n > 1 && i + 1 < p->n && x > WIDTH - RIGHT - 62))
			continue;
		until = x + 52;
		buf_addf(out, "<text class=\"%s\" x=\"%.1f\" y=\"%d\">",
			 i + 1 == p->n && i ? "last"
			 : i		    ? "x"
					    : "first",
			 x, HEIGHT - BOTTOM + 18);
		buf_addf(out, "%s</text>", rate_size(p->sizes[i], size));
	}
}

static void draw_limit(struct buf *out, const struct plane *p)
{
	if (p->limit > 0)
		buf_addf(out,
			 "<line class=\"limit\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" "
			 "y2=\"%.1f\"><title>%.1f "
			 "GB/s</title></line>",
			 LEFT, WIDTH - RIGHT, y_of(p, p->limit), y_of(p, p->limit), p->limit);
}

/* The lowest figure of this size: of several GPUs or pairs the one that is behind. */
static const struct rate *lowest(const struct result *r, const struct chart *c, uint64_t bytes)
{
	const struct rate *low = NULL;
	for (size_t i = 0; i < r->n; i++)
		if (has(c, &r->rates[i]) && r->rates[i].bytes == bytes &&
		    (!low || r->rates[i].gbps < low->gbps))
			low = &r->rates[i];
	return low;
}

static bool stands_out(const struct result *r, const struct chart *c)
{
	for (size_t i = 0; i < r->n; i++)
		if (has(c, &r->rates[i]) && r->rates[i].off != 0)
			return true;
	return false;
}

static void draw_line(struct buf *out, const struct plane *p, const struct result *r,
		      const struct chart *c, const char *class)
{
	buf_addf(out, "<g class=\"%s\"><polyline points=\"", class);
	for (size_t i = 0; i < p->n; i++) {
		const struct rate *x = lowest(r, c, p->sizes[i]);
		if (x)
			buf_addf(out, "%.1f,%.1f ", x_of(p, x->bytes), y_of(p, x->gbps));
	}
	buf_adds(out, "\"/><title>");
	title(out, r);
	buf_adds(out, "</title></g>");
	for (size_t i = 0; i < p->n; i++) {
		const struct rate *x = lowest(r, c, p->sizes[i]);
		if (!x || x->off == 0)
			continue;
		buf_addf(out, "<circle class=\"odd\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"><title>",
			 x_of(p, x->bytes), y_of(p, x->gbps));
		title(out, r);
		buf_addf(out, ": %.1f GB/s, %+.0f%% of the median</title></circle>", x->gbps,
			 100 * x->off);
	}
}

static void draw_medians(struct buf *out, const struct plane *p, const struct results *r,
			 const struct chart *c)
{
	autofree double *v = xcalloc(r->n, sizeof *v);
	buf_adds(out, "<g class=\"median\"><polyline points=\"");
	for (size_t i = 0; i < p->n; i++) {
		size_t n = 0;
		for (size_t j = 0; j < r->n; j++) {
			const struct rate *x = lowest(&r->items[j], c, p->sizes[i]);
			if (x)
				v[n++] = x->gbps;
		}
		if (n)
			buf_addf(out, "%.1f,%.1f ", x_of(p, p->sizes[i]), y_of(p, median(v, n)));
	}
	buf_adds(out, "\"/><title>median</title></g>");
}

static size_t count_lines(const struct results *r, const struct chart *c)
{
	size_t n = 0;
	for (size_t i = 0; i < r->n; i++)
		n += uses(&r->items[i], c);
	return n;
}

static void draw_legend(struct buf *out, const struct results *r, const struct chart *c,
			const struct plane *p)
{
	size_t n = count_lines(r, c);
	size_t color = 0;
	buf_adds(out, "<p class=\"legend\">");
	for (size_t i = 0; i < r->n && n <= COLORS; i++) {
		if (!uses(&r->items[i], c))
			continue;
		buf_addf(out, "<span class=\"c%zu\">", color++);
		title(out, &r->items[i]);
		buf_adds(out, "</span> ");
	}
	if (n > COLORS)
		buf_addf(out,
			 "<span class=\"median\">median</span> <span class=\"many\">each of %zu"
			 "</span> <span class=\"odd\">stands out</span>",
			 n);
	if (p->limit > 0)
		buf_addf(out, " <span class=\"limit\">%s can %.1f</span>",
			 !strcmp(c->kind, "d2d") ? "the memory" : "PCIe", p->limit);
	buf_adds(out, "</p>");
}

void svg_by_size(struct buf *out, const struct results *r, const struct chart *c)
{
	struct plane p;
	size_t color = 0, n = count_lines(r, c);
	measure_plane(&p, r, c);
	if (!p.n)
		return;
	buf_adds(out, "<figure><figcaption>");
	html_text(out, c->title);
	buf_addf(
		out,
		" <small>GB/s by size</small></figcaption><svg viewBox=\"0 0 %d %d\" role=\"img\">",
		WIDTH, HEIGHT);
	draw_axes(out, &p);
	draw_limit(out, &p);
	for (size_t i = 0; i < r->n; i++) {
		char class[16] = "many";
		if (!uses(&r->items[i], c))
			continue;
		if (n <= COLORS)
			snprintf(class, sizeof class, "c%zu", color++);
		else if (stands_out(&r->items[i], c))
			snprintf(class, sizeof class, "odd");
		draw_line(out, &p, &r->items[i], c, class);
	}
	if (n > COLORS)
		draw_medians(out, &p, r, c);
	buf_adds(out, "</svg>");
	draw_legend(out, r, c, &p);
	buf_adds(out, "</figure>\n");
}
