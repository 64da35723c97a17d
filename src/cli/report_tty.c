/*
 * Bars on a terminal: one for each component at work, one for the download in all. They are redrawn
 * at most ten times a second, on an event, and only while this process is in the foreground.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "cli/print.h"
#include "cli/reporter.h"
#include "cli/term.h"

enum { REDRAW_MS = 100, BAR = 24, NAME_MAX_WIDTH = 26, FRAME_MAX = 65536 };

struct item {
	char *name;
	enum event_kind kind; /* EVENT_FETCH or EVENT_UNPACK */
	uint64_t done, total;
};

static struct {
	struct item *items; /* those at work, oldest first */
	size_t n;
	uint64_t arrived, total; /* bytes in this run, of all that must come */
	uint64_t measured;	 /* `arrived` when the rate was last reckoned */
	double rate;		 /* bytes a second, smoothed */
	long long drawn_ms, measured_ms;
	int lines; /* of the drawing that is on the terminal now */
} view;

static long long now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (long long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void erase(void)
{
	if (view.lines)
		fprintf(stderr, "\033[%dA\033[J", view.lines);
	fflush(stderr);
	view.lines = 0;
}

/* The next drawing: written in one piece over the last one, so that nothing flickers. */
struct frame {
	struct buf text;
	int width, lines;
};

/* One line that never wraps: what is wider than the terminal is cut. */
static void draw_line(struct frame *f, const char *text)
{
	buf_add(&f->text, text, term_text_fit(text, f->width - 1, NULL));
	buf_adds(&f->text, "\033[K\n");
	f->lines++;
}

/* "[======>     ]" for `width` columns in all, "" where that is too narrow to say anything. */
static void bar(char *out, size_t cap, uint64_t done, uint64_t total, int width)
{
	int inner = width - 2, full;
	if (inner > BAR)
		inner = BAR;
	out[0] = '\0';
	if (inner < 5 || (size_t)inner + 4 > cap || !total)
		return;
	full = (int)((double)inner * (double)done / (double)total);
	if (full > inner)
		full = inner;
	out[0] = '[';
	memset(out + 1, '=', (size_t)full);
	memset(out + 1 + full, ' ', (size_t)(inner - full));
	if (full < inner)
		out[1 + full] = '>';
	snprintf(out + 1 + inner, 4, "] ");
}

static void draw_bar(struct frame *f, const char *name, const char *word, uint64_t done,
		     uint64_t total, const char *more)
{
	char line[512], graph[BAR + 8], have[PRINT_TEXT], all[PRINT_TEXT];
	int name_width = f->width / 3 < NAME_MAX_WIDTH ? f->width / 3 : NAME_MAX_WIDTH, used;
	size_t cut = term_text_fit(name, name_width, &used);
	bar(graph, sizeof graph, done, total, f->width - name_width - 42);
	print_size(done, have);
	if (total)
		snprintf(line, sizeof line, "%.*s%*s %-6s %s%3d%% %s of %s%s", (int)cut, name,
			 name_width - used, "", word, graph,
			 (int)(100.0 * (double)done / (double)total), have, print_size(total, all),
			 more);
	else
		snprintf(line, sizeof line, "%.*s%*s %-6s %s%s", (int)cut, name, name_width - used,
			 "", word, have, more);
	draw_line(f, line);
}

static void measure(long long now)
{
	double seconds = (double)(now - view.measured_ms) / 1000;
	if (seconds < 0.2)
		return;
	double rate = (double)(view.arrived - view.measured) / seconds;
	/* About three seconds' worth of memory, so that the time left does not jump. */
	double weight = seconds < 3 ? seconds / 3 : 1;
	view.rate = view.rate > 0 ? view.rate + weight * (rate - view.rate) : rate;
	view.measured = view.arrived;
	view.measured_ms = now;
}

static void draw_total(struct frame *f)
{
	char more[2 * PRINT_TEXT + 16] = "", rate[PRINT_TEXT], left[PRINT_TEXT];
	if (view.rate >= 1)
		snprintf(more, sizeof more, "  %s/s  %s left",
			 print_size((uint64_t)view.rate, rate),
			 print_time((uint64_t)((double)(view.total - view.arrived) / view.rate),
				    left));
	draw_bar(f, "in all", "fetch", view.arrived, view.total, more);
}

static void draw(bool at_once)
{
	long long now = now_ms();
	if (!at_once && now - view.drawn_ms < REDRAW_MS)
		return;
	if (!term_foreground(STDERR_FILENO)) {
		view.lines = 0; /* somebody else writes there now */
		return;
	}
	struct frame f = {.text = BUF_INIT(FRAME_MAX), .width = term_width(STDERR_FILENO)};
	int room = term_height(STDERR_FILENO) - 3;
	view.drawn_ms = now;
	measure(now);
	if (view.lines)
		buf_addf(&f.text, "\033[%dA", view.lines);
	for (size_t i = 0; i < view.n && f.lines < room; i++) {
		const struct item *it = &view.items[i];
		draw_bar(&f, it->name, it->kind == EVENT_FETCH ? "fetch" : "unpack", it->done,
			 it->total, "");
	}
	if (view.total > view.arrived)
		draw_total(&f);
	buf_adds(&f.text, "\033[J");
	fwrite(buf_str(&f.text), 1, f.text.len, stderr);
	fflush(stderr);
	view.lines = f.lines;
	buf_clear(&f.text);
}

static struct item *find(const struct event *ev, const char *name)
{
	for (size_t i = 0; i < view.n; i++)
		if (view.items[i].kind == ev->kind && strcmp(view.items[i].name, name) == 0)
			return &view.items[i];
	return NULL;
}

static void drop(struct item *it)
{
	free(it->name);
	view.n--;
	memmove(it, it + 1, (size_t)(view.items + view.n - it) * sizeof *it);
}

static void progress(const struct event *ev)
{
	autofree char *name = xstrdup(ev->name ? ev->name : "");
	err_sanitize(name);
	struct item *it = find(ev, name);
	bool begins = !it, ends = ev->total && ev->done >= ev->total;
	if (begins) {
		view.items = array_grow(view.items, view.n, sizeof *view.items);
		it = &view.items[view.n++];
		/* What a part file already had did not arrive now. */
		*it = (struct item){take_ptr(name), ev->kind, ev->done, ev->total};
	}
	if (ev->kind == EVENT_FETCH && ev->done > it->done)
		view.arrived += ev->done - it->done;
	it->done = ev->done;
	it->total = ev->total;
	if (ends)
		drop(it);
	draw(begins || ends);
}

static void on_event(void *ctx, const struct event *ev)
{
	const struct app *app = ctx;
	if (ev->kind == EVENT_FETCH || ev->kind == EVENT_UNPACK) {
		progress(ev);
	} else if (ev->kind == EVENT_TOTAL) {
		view.total = ev->total;
		view.measured_ms = now_ms();
	} else if (report_shows(app, ev)) {
		erase();
		report_line(app, ev);
		if (view.n)
			draw(true);
	}
}

static void on_close(void)
{
	erase();
	while (view.n)
		drop(&view.items[view.n - 1]);
	free(view.items);
	memset(&view, 0, sizeof view);
}

const struct reporter report_tty = {on_event, on_close};
