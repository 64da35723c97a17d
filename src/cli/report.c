#include "cli/report.h"

#include <string.h>
#include <unistd.h>

#include "cli/print.h"
#include "cli/reporter.h"
#include "cli/term.h"
#include "core/record.h"

static const struct reporter *reporter;

void report_open(struct app *app)
{
	reporter = &report_plain;
	if (app->json)
		reporter = &report_json;
	else if (!app->quiet && term_fancy(STDERR_FILENO))
		reporter = &report_tty;
	app->events = (struct events){reporter->event, app};
}

void report_close(struct app *app)
{
	app->events = (struct events){0};
	if (reporter && reporter->close)
		reporter->close();
	reporter = NULL;
}

/* Text may come from servers, files and archives: what would move the cursor is taken out. */
static void print_text(const char *text)
{
	autofree char *s = xstrdup(text);
	err_sanitize(s);
	fputs(s, stderr);
}

/* "<colour><label><plain> <text>" and a newline. */
static void print_labelled(const char *colour, const char *label, const char *text)
{
	bool on = term_color(STDERR_FILENO);
	fprintf(stderr, "%s%s%s ", on ? colour : "", label, on ? "\033[0m" : "");
	print_text(text);
	fputc('\n', stderr);
}

#define RED "\033[1;31m"
#define YELLOW "\033[1;33m"
#define GREEN "\033[1;32m"
#define CYAN "\033[36m"
#define DIM "\033[2m"

bool report_shows(const struct app *app, const struct event *ev)
{
	switch (ev->kind) {
	case EVENT_WARNING:
		return true;
	case EVENT_DEBUG:
		return app->debug;
	case EVENT_REUSE:
		return app->verbose && !app->quiet;
	case EVENT_STEP:
	case EVENT_RETRY:
	case EVENT_DONE:
	case EVENT_VERDICT:
	case EVENT_NOTE:
		return !app->quiet;
	case EVENT_TOTAL:
	case EVENT_FETCH:
	case EVENT_UNPACK:
		break;
	}
	return false;
}

/* "name: text", or the one of them that is there. */
static void print_named(const char *colour, const char *label, const struct event *ev)
{
	autofree char *text = xasprintf("%s%s%s", ev->name ? ev->name : "",
					ev->name && ev->text ? ": " : "", ev->text ? ev->text : "");
	print_labelled(colour, label, text);
}

static void print_verdict(const struct event *ev)
{
	struct verdict v = {0};
	snprintf(v.word, sizeof v.word, "%s", ev->text ? ev->text : "");
	if (verdict_good(&v))
		print_named(GREEN, "verified", ev);
	else
		print_named(YELLOW, "not verified", ev);
}

void report_line(const struct app *app, const struct event *ev)
{
	if (!report_shows(app, ev))
		return;
	if (ev->kind == EVENT_WARNING)
		print_named(YELLOW, "warning:", ev);
	else if (ev->kind == EVENT_RETRY)
		print_named(YELLOW, "retry:", ev);
	else if (ev->kind == EVENT_NOTE)
		print_named(CYAN, "note:", ev);
	else if (ev->kind == EVENT_DONE)
		print_named(GREEN, "installed", ev);
	else if (ev->kind == EVENT_VERDICT)
		print_verdict(ev);
	else if (ev->kind == EVENT_DEBUG)
		print_named(DIM, "debug:", ev);
	else
		print_named(CYAN, "==>", ev);
	if (ev->detail && ev->detail[0])
		print_labelled(CYAN, ev->kind == EVENT_WARNING ? "hint:" : "   ", ev->detail);
}

void report_error(const struct app *app, const struct err *err)
{
	if (app->json) {
		print_json_line(stderr,
				json_pack("{so so* si}", "error", print_json_text(err->msg), "hint",
					  err->hint[0] ? print_json_text(err->hint) : NULL,
					  "status", (int)err->code));
		return;
	}
	print_labelled(RED, "cudaenv:", err->msg);
	if (err->hint[0])
		print_labelled(CYAN, "hint:", err->hint);
}
