#pragma once
/*
 * What goes on, for whoever shows it. Core and ext never print: they report here, and a reporter in cli
 * renders (bars, plain lines, JSON). Called from any thread, one call at a time (event_emit locks).
 * Strings in an event are borrowed for the length of the call.
 */
#include <stdbool.h>
#include <stdint.h>

enum event_kind {
	EVENT_STEP,    /* text: a step of the whole begins ("resolve 13.0.2 from wheels") */
	EVENT_TOTAL,   /* total: bytes that will be fetched in all; count: archives */
	EVENT_FETCH,   /* name, done of total bytes arrived; done == total: fetched and verified */
	EVENT_RETRY,   /* name, text: why, and what happens now */
	EVENT_UNPACK,  /* name, done of total bytes written; done == total: finished */
	EVENT_REUSE,   /* name, text: "in the store", "in the cache" */
	EVENT_DONE,    /* name: the version; text: path; a version is published */
	EVENT_VERDICT, /* name: the version; text: verdict; detail */
	EVENT_NOTE,    /* text: worth knowing */
	EVENT_WARNING, /* text, hint: something is not as it should be, work goes on */
	EVENT_DEBUG,   /* text: only shown with --debug */
};

struct event {
	enum event_kind kind;
	const char *name;   /* component, version or file; may be NULL */
	const char *text;   /* may be NULL */
	const char *detail; /* hint or further words; may be NULL */
	uint64_t done, total;
	uint64_t count;
};

typedef void event_fn(void *ctx, const struct event *ev);

struct events {
	event_fn *fn; /* NULL: nobody listens */
	void *ctx;
};

void event_emit(const struct events *to, const struct event *ev);
void event_note(const struct events *to, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void event_warn(const struct events *to, const char *hint, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void event_debug(const struct events *to, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void event_step(const struct events *to, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
