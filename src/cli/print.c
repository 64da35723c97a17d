#include "cli/print.h"

#include <inttypes.h>

#include "base/attr.h"
#include "base/buf.h"

const char *print_size(uint64_t bytes, char out[PRINT_TEXT])
{
	static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
	size_t u = 0;
	double v = (double)bytes / 1000;
	if (bytes < 1000) {
		snprintf(out, PRINT_TEXT, "%" PRIu64 " B", bytes);
		return out;
	}
	/* 999.5 would be shown as 1000 */
	for (; v >= 999.5 && u + 1 < ARRAY_LEN(units); u++)
		v /= 1000;
	snprintf(out, PRINT_TEXT, "%.*f %s", v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v, units[u]);
	return out;
}

const char *print_time(uint64_t seconds, char out[PRINT_TEXT])
{
	unsigned s = (unsigned)(seconds % 60), m = (unsigned)(seconds / 60 % 60);
	if (seconds >= 3600)
		snprintf(out, PRINT_TEXT, "%" PRIu64 ":%02u:%02u", seconds / 3600, m, s);
	else
		snprintf(out, PRINT_TEXT, "%u:%02u", m, s);
	return out;
}

json_t *print_json_text(const char *s)
{
	if (!s)
		return json_null();
	json_t *whole = json_string(s);
	if (whole)
		return whole;
	/* Byte by byte: jansson tells only whether all of a text is right. */
	autobuf struct buf out = BUF_INIT(SIZE_MAX / 2);
	while (*s) {
		size_t n = 1;
		json_t *part = NULL;
		for (; n <= 4 && s[n - 1] && !part; n++)
			part = json_stringn(s, n);
		if (part)
			buf_add(&out, s, n - 1);
		else
			buf_adds(&out, "\xef\xbf\xbd");
		s += part ? n - 1 : 1;
		json_decref(part);
	}
	return json_string(buf_str(&out));
}

void print_json(FILE *to, json_t *value)
{
	json_dumpf(value, to, JSON_INDENT(2) | JSON_ENCODE_ANY);
	fputc('\n', to);
	json_decref(value);
}

void print_json_line(FILE *to, json_t *value)
{
	json_dumpf(value, to, JSON_COMPACT | JSON_ENCODE_ANY);
	fputc('\n', to);
	json_decref(value);
}
