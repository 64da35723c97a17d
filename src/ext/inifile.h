#pragma once
/*
 * INI files, read strictly (inih behind our own reader). A file is sections of `key = value` lines;
 * a line that begins with '#' or ';' is a comment, and so is the rest of a line behind a blank and
 * ';'. CRLF, a byte order mark and a missing final newline are accepted. Refused, with file and
 * line: a line or name that inih would cut, NUL bytes, a section or key that stands twice, an empty
 * key, text behind ']', anything that is neither.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Borrowed for the length of the call. */
struct inifile_entry {
	const char *section; /* "" before the first one */
	const char *key;     /* NULL: the section begins here */
	const char *value;   /* NULL with key */
	const char *file;
	int line;
};

/* false with *err set ends the reading. */
typedef bool inifile_fn(void *ctx, const struct inifile_entry *e, struct err *err);

/* A regular file of at most max bytes. ERR_FILESYSTEM (err->sys), or ERR_USAGE for what is in it.
 */
must_check bool inifile_read(const char *path, size_t max, inifile_fn *fn, void *ctx,
			     struct err *err);
/* The same for text in memory; `file` is the name for messages. */
must_check bool inifile_parse(const char *file, const char *text, size_t len, inifile_fn *fn,
			      void *ctx, struct err *err);

/* Sets ERR_USAGE with "'<file>' line <n>: " in front of the text; returns false. */
bool inifile_fail(const struct inifile_entry *e, struct err *err, const char *fmt, ...)
	printf_like(3, 4);
