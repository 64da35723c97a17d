#include "base/event.h"

#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void event_emit(const struct events *to, const struct event *ev)
{
	if (!to || !to->fn)
		return;
	pthread_mutex_lock(&mutex);
	to->fn(to->ctx, ev);
	pthread_mutex_unlock(&mutex);
}

__attribute__((format(printf, 4, 0))) static void emit_text(const struct events *to,
							    enum event_kind kind, const char *hint,
							    const char *fmt, va_list ap)
{
	char text[1024];
	vsnprintf(text, sizeof text, fmt, ap);
	event_emit(to, &(struct event){.kind = kind, .text = text, .detail = hint});
}

void event_note(const struct events *to, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	emit_text(to, EVENT_NOTE, NULL, fmt, ap);
	va_end(ap);
}

void event_warn(const struct events *to, const char *hint, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	emit_text(to, EVENT_WARNING, hint, fmt, ap);
	va_end(ap);
}

void event_debug(const struct events *to, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	emit_text(to, EVENT_DEBUG, NULL, fmt, ap);
	va_end(ap);
}

void event_step(const struct events *to, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	emit_text(to, EVENT_STEP, NULL, fmt, ap);
	va_end(ap);
}
