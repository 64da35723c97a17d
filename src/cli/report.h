#pragma once
/*
 * Shows events and errors on stderr: bars on a terminal, else a line where something begins or ends, else
 * (--json) one JSON object a line. One reporter a run, chosen by the flags of the app.
 */
#include <stdio.h>

#include "base/err.h"
#include "base/event.h"

struct app;

/* Connects app->events. */
void report_open(struct app *app);
/* Takes what moves off the terminal; events are no longer shown. */
void report_close(struct app *app);
/* "cudaenv: <message>" and "hint: <hint>", or {"error": ..., "hint": ..., "status": ...}. */
void report_error(const struct app *app, const struct err *err);
