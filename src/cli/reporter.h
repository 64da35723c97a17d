#pragma once
/* What the reporters share; only report*.c includes this. */
#include <stdbool.h>

#include "base/event.h"
#include "cli/cmd.h"

struct reporter {
	event_fn *event;
	void (*close)(void); /* NULL: nothing is left to do */
};
extern const struct reporter report_tty, report_plain, report_json;

/*
 * One whole line for an event that does not move (step, note, warning with its hint, verdict, ...); an
 * event that the flags of the app leave out, or that is progress, prints nothing. ctx is the app.
 */
void report_line(const struct app *app, const struct event *ev);
/* Whether report_line would print something. */
bool report_shows(const struct app *app, const struct event *ev);
