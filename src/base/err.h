#pragma once
/*
 * Errors: what failed, with which exit status, and one thing the user can do.
 *
 * A function that can fail returns bool, takes `struct err *` last, and leaves its outputs alone on
 * failure. The caller owns the struct, so nothing is allocated on the way to an error.
 * Wording: lower case, no full stop, what failed first, names in single quotes.
 */
#include <stdbool.h>

#include "base/attr.h"

/* The values are the documented exit statuses. */
enum err_code {
	ERR_NONE = 0,
	ERR_FAILED = 1, /* not classified */
	ERR_USAGE = 2,
	ERR_NOT_INSTALLED = 3, /* the selected version is not installed */
	ERR_NO_VERSION = 4,    /* no such version */
	ERR_NETWORK = 5,
	ERR_INTEGRITY = 6,  /* hash, size, lock file */
	ERR_FILESYSTEM = 7, /* space, permission */
	ERR_VERIFY = 8,	    /* a toolkit failed its verification */
	ERR_HOST = 9,	    /* this host cannot: driver, GPU, compiler */
	ERR_LOCKED = 10,    /* another cudaenv holds the lock */
	ERR_NOT_EXECUTABLE = 126,
	ERR_NO_TOOL = 127, /* the tool is not in the version */
	ERR_INTERRUPTED = 130,
};

struct err {
	enum err_code code;
	int sys; /* errno where one applies, else 0 */
	char msg[1024];
	char hint[512]; /* empty: none */
};

/* All three return false, so that `return err_set(...)` is one statement. */
bool err_set(struct err *e, enum err_code code, const char *fmt, ...) printf_like(3, 4);
/* Takes errno first and adds ": <strerror>". ERR_FILESYSTEM fits most uses. */
bool err_sys(struct err *e, enum err_code code, const char *fmt, ...) printf_like(3, 4);
/* Puts "<text>: " in front, for what the level below did not know. */
bool err_prefix(struct err *e, const char *fmt, ...) printf_like(2, 3);
/* One next step, shown on its own line. An existing hint is kept: the first is nearest the cause. */
bool err_hint(struct err *e, const char *fmt, ...) printf_like(2, 3);

/* Replaces control characters (text from servers, files and archives) in place; keeps UTF-8. */
void err_sanitize(char *s);
