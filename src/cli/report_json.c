/* One JSON object a line for each event, on stderr: results alone stand on stdout. */
#include <stdio.h>
#include <time.h>

#include "cli/print.h"
#include "cli/reporter.h"

static const char *const words[] = {
	[EVENT_STEP] = "step",	     [EVENT_TOTAL] = "total",	  [EVENT_FETCH] = "fetch",
	[EVENT_RETRY] = "retry",     [EVENT_UNPACK] = "unpack",	  [EVENT_REUSE] = "reuse",
	[EVENT_DONE] = "done",	     [EVENT_VERDICT] = "verdict", [EVENT_NOTE] = "note",
	[EVENT_WARNING] = "warning", [EVENT_DEBUG] = "debug",
};

static long long last_progress; /* milliseconds */

/* Bytes arrive thousands of times a second; a reader wants ten of them and every first and last. */
static bool too_soon(const struct event *ev)
{
	struct timespec t;
	if ((ev->kind != EVENT_FETCH && ev->kind != EVENT_UNPACK) || !ev->done ||
	    ev->done == ev->total)
		return false;
	clock_gettime(CLOCK_MONOTONIC, &t);
	long long now = (long long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
	if (now - last_progress < 100)
		return true;
	last_progress = now;
	return false;
}

static void set_text(json_t *o, const char *key, const char *text)
{
	if (text && text[0])
		json_object_set_new(o, key, print_json_text(text));
}

static void on_event(void *ctx, const struct event *ev)
{
	const struct app *app = ctx;
	if ((ev->kind == EVENT_DEBUG && !app->debug) || (app->quiet && ev->kind != EVENT_WARNING) ||
	    too_soon(ev))
		return;
	json_t *o = json_pack("{ss}", "event", words[ev->kind]);
	set_text(o, "name", ev->name);
	set_text(o, "text", ev->text);
	set_text(o, ev->kind == EVENT_WARNING ? "hint" : "detail", ev->detail);
	if (ev->kind == EVENT_FETCH || ev->kind == EVENT_UNPACK)
		json_object_set_new(o, "done", json_integer((json_int_t)ev->done));
	if (ev->kind == EVENT_FETCH || ev->kind == EVENT_UNPACK || ev->kind == EVENT_TOTAL)
		json_object_set_new(o, "total", json_integer((json_int_t)ev->total));
	if (ev->kind == EVENT_TOTAL)
		json_object_set_new(o, "count", json_integer((json_int_t)ev->count));
	print_json_line(stderr, o);
}

const struct reporter report_json = {on_event, NULL};
