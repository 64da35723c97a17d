#include "cli/report_html.h"

#include <stdio.h>
#include <string.h>

#include "cli/report_svg.h"

static const char style[] =
#include "report_css.inc"
	;

static void cell(struct buf *out, const char *class, const char *text)
{
	buf_addf(out, "<td%s%s%s>", class[0] ? " class=\"" : "", class, class[0] ? "\"" : "");
	html_text(out, text);
	buf_adds(out, "</td>");
}

static void rate_cell(struct buf *out, const struct result *r, const char *kind, double gbps)
{
	char text[32] = "";
	if (gbps > 0)
		snprintf(text, sizeof text, "%.1f", gbps);
	cell(out, result_marked(r, kind) ? "n odd" : "n", text);
}

static void row(struct buf *out, const struct result *r)
{
	char remark[1024], code[64] = "";
	if (r->code[0])
		snprintf(code, sizeof code, "%s%s%s", r->code,
			 !strcmp(r->ptx, "ok") ? " and PTX"
			 : r->ptx[0]	       ? ", PTX: "
					       : "",
			 strcmp(r->ptx, "ok") ? r->ptx : "");
	buf_adds(out, "<tr>");
	cell(out, "", r->host);
	cell(out, "", r->version);
	cell(out, r->good ? "good" : "bad", r->verdict);
	cell(out, "", r->gpu);
	cell(out, "", r->driver);
	cell(out, "", code);
	rate_cell(out, r, "h2d", r->h2d);
	rate_cell(out, r, "d2h", r->d2h);
	rate_cell(out, r, "d2d", r->d2d);
	cell(out, "", r->date);
	cell(out, r->slow || result_worst(r) ? "remark odd" : "remark",
	     result_remark(r, remark, sizeof remark));
	buf_adds(out, "</tr>\n");
}

static void list(struct buf *out, const struct results *r)
{
	buf_adds(out, "<h2>Verdicts</h2>\n<div class=\"scroll\"><table>\n<thead><tr><th>Host</th>"
		      "<th>Version</th><th>Verdict</th><th>GPU</th><th>Driver</th><th>Code</th>"
		      "<th class=\"n\">To GPU</th><th class=\"n\">From GPU</th>"
		      "<th class=\"n\">On GPU</th><th>Date</th><th>Remark</th></tr></thead>\n"
		      "<tbody>\n");
	for (size_t i = 0; i < r->n; i++)
		row(out, &r->items[i]);
	buf_adds(out, "</tbody></table></div>\n<p>Rates in GB/s (1e9 bytes a second): the best of "
		      "pinned copies; on the GPU bytes read and written.</p>\n");
}

/* How many different hosts, or versions, have figures. */
static size_t count(const struct results *r, enum svg_group by)
{
	size_t n = 0;
	for (size_t i = 0; i < r->n; i++) {
		size_t j = 0;
		const struct result *x = &r->items[i];
		for (; j < i; j++)
			if (r->items[j].n &&
			    !strcmp(by == SVG_BY_HOST ? r->items[j].host : r->items[j].version,
				    by == SVG_BY_HOST ? x->host : x->version))
				break;
		n += x->n && j == i;
	}
	return n;
}

static void bars(struct buf *out, const struct results *r, enum svg_group by)
{
	static const struct chart best[] = {
		{"h2d", "pinned", NULL, "To the GPU"},
		{"d2h", "pinned", NULL, "From the GPU"},
		{"d2d", "device", NULL, "On the GPU"},
		{"p2p", "device", NULL, "From GPU to GPU"},
	};
	buf_addf(out, "<h2>By %s</h2>\n<div class=\"charts\">\n",
		 by == SVG_BY_HOST ? "host" : "version");
	for (size_t i = 0; i < ARRAY_LEN(best); i++)
		svg_groups(out, r, &best[i], by);
	buf_adds(out, "</div>\n");
}

static void lines(struct buf *out, const struct results *r)
{
	buf_adds(out, "<h2>By size</h2>\n<div class=\"charts\">\n");
	for (const struct chart *c = charts; c->kind; c++)
		if (chart_used(r, c))
			svg_by_size(out, r, c);
	buf_adds(out, "</div>\n");
}

static void summary(struct buf *out, const struct results *r, const char *now)
{
	size_t bad = 0, odd = 0;
	for (size_t i = 0; i < r->n; i++) {
		bad += !r->items[i].good;
		odd += result_worst(&r->items[i]) != NULL;
	}
	buf_addf(out, "<p>%zu result%s, ", r->n, r->n == 1 ? "" : "s");
	buf_addf(out, "%zu not good, %zu with figures that stand out. ", bad, odd);
	html_text(out, now);
	buf_adds(out, "</p>\n");
}

bool html_page(struct buf *out, const struct results *r, const char *now)
{
	buf_adds(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		      "<meta name=\"color-scheme\" content=\"light dark\">\n"
		      "<title>cudaenv report</title>\n<style>\n");
	buf_adds(out, style);
	buf_adds(out, "</style>\n</head>\n<body>\n<h1>cudaenv report</h1>\n");
	summary(out, r, now);
	list(out, r);
	if (count(r, SVG_BY_VERSION))
		bars(out, r, SVG_BY_VERSION);
	if (count(r, SVG_BY_HOST) > 1)
		bars(out, r, SVG_BY_HOST);
	if (count(r, SVG_BY_VERSION))
		lines(out, r);
	buf_adds(out, "</body>\n</html>\n");
	return !out->full;
}
