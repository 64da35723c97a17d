#pragma once
/*
 * Debian's control files (Packages, Release, *.sources): paragraphs of "Field: value" with continuation lines, fed
 * piece by piece. Comments and CRLF are accepted; NUL, a line that is neither, and a paragraph above the maximum
 * are refused with file and line.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

enum { DEB822_PARAGRAPH_MAX = 1 << 20 };

/* Borrowed for the length of the call. */
struct deb822_paragraph {
	const char *text; /* its lines, each with '\n' */
	int line;	  /* of the first one in the file */
};
/* false with *err set ends the reading. */
typedef bool deb822_fn(void *ctx, const struct deb822_paragraph *p, struct err *err);

struct deb822 {
	const char *file;   /* for messages */
	enum err_code code; /* of what is wrong with the file */
	deb822_fn *fn;
	void *ctx;
	/* its own */
	int line, first;
	struct buf text, part;
};

void deb822_init(struct deb822 *d, const char *file, enum err_code code, deb822_fn *fn, void *ctx);
must_check bool deb822_feed(struct deb822 *d, const char *data, size_t n, struct err *err);
must_check bool deb822_end(struct deb822 *d, struct err *err);
void deb822_clear(struct deb822 *d);

/* All of it at once. */
must_check bool deb822_parse(const char *file, enum err_code code, const char *text, size_t len,
			     deb822_fn *fn, void *ctx, struct err *err);

/* The first line of a field without blanks around it (any case of the name); false: not there. */
bool deb822_line(const struct deb822_paragraph *p, const char *field, const char **value,
		 size_t *len);
/*
 * The whole field: continuation lines behind '\n', without blanks around them, "." for an empty one. NULL: not
 * there. The caller frees.
 */
char *deb822_text(const struct deb822_paragraph *p, const char *field);
