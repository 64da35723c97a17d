#pragma once
/*
 * The repositories that apt is set to: sources.list and sources.list.d/ (*.list, one a line; *.sources, deb822). Only
 * binary packages over http, https and file; others (cdrom:, mirror+..., tor+...) are passed over. A line that apt
 * would not understand is told with file and line, and the rest is read.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/event.h"
#include "core/aptconf.h"

enum aptsource_flag { APTSOURCE_UNSET, APTSOURCE_NO, APTSOURCE_YES };

struct aptsource {
	char *uri; /* no '/' at its end; file:///... for a folder */
	char *suite; /* "bookworm"; ends in '/' (or is "/"): a flat repository, whose files lie there */
	struct strlist components;
	struct strlist archs; /* Debian's names; none: any */
	struct strlist keys;  /* signed-by: paths, and fingerprints with an optional '!' */
	char *key_block;      /* signed-by: the key itself, in ASCII armor; NULL */
	enum aptsource_flag trusted, check_valid_until;
	char *where; /* "'/etc/apt/sources.list' line 3" */
};

struct aptsources {
	struct aptsource *items;
	size_t n;
};

void aptsources_load(struct aptsources *s, const struct aptconf *conf, const struct events *ev);
/* One file's text; its name decides on the form. Added to what is there. */
void aptsources_parse(struct aptsources *s, const char *path, const char *text, size_t len,
		      const struct events *ev);
void aptsources_clear(struct aptsources *s);

/* Takes *x over, unless its URI is one that cannot be read. aptsources.c and aptline.c */
void aptsources_take(struct aptsources *s, struct aptsource *x, const struct events *ev);
void aptsource_clear(struct aptsource *x);
enum aptsource_flag aptsource_flag(const char *s, size_t n);
/* Words between blanks, or another byte. */
void aptsources_split(struct strlist *out, const char *s, size_t n, const char *between);
/* aptline.c: a .list file */
void aptline_parse(struct aptsources *s, const char *path, const char *text, size_t len,
		   const struct events *ev);
