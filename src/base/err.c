#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void err_sanitize(char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			*s = '?';
}

bool err_set(struct err *e, enum err_code code, const char *fmt, ...)
{
	va_list ap;
	*e = (struct err){.code = code};
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof e->msg, fmt, ap);
	va_end(ap);
	err_sanitize(e->msg);
	return false;
}

bool err_sys(struct err *e, enum err_code code, const char *fmt, ...)
{
	int sys = errno;
	va_list ap;
	*e = (struct err){.code = code, .sys = sys};
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof e->msg, fmt, ap);
	va_end(ap);
	size_t n = strlen(e->msg);
	snprintf(e->msg + n, sizeof e->msg - n, ": %s", strerror(sys));
	err_sanitize(e->msg);
	return false;
}

bool err_prefix(struct err *e, const char *fmt, ...)
{
	char old[sizeof e->msg];
	va_list ap;
	memcpy(old, e->msg, sizeof old);
	va_start(ap, fmt);
	vsnprintf(e->msg, sizeof e->msg, fmt, ap);
	va_end(ap);
	size_t n = strlen(e->msg);
	snprintf(e->msg + n, sizeof e->msg - n, ": %s", old);
	err_sanitize(e->msg);
	return false;
}

bool err_hint(struct err *e, const char *fmt, ...)
{
	va_list ap;
	if (e->hint[0])
		return false;
	va_start(ap, fmt);
	vsnprintf(e->hint, sizeof e->hint, fmt, ap);
	va_end(ap);
	err_sanitize(e->hint);
	return false;
}
