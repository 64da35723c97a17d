#pragma once
/*
 * Which version applies here, and why. Shim, hook and commands all ask this one function, so that they
 * always agree. Order: explicit SPEC, CUDAENV_VERSION, nearest .cuda-version from the (physical) working
 * directory upward, <root>/version, /etc/cudaenv/version, `system`. A named version that is not there is
 * an error, never replaced by another. No allocation, no stdio streams.
 */
#include <limits.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/layout.h"
#include "base/version.h"

enum origin {
	ORIGIN_ARGUMENT, /* +SPEC or the command's argument */
	ORIGIN_ENV,      /* CUDAENV_VERSION */
	ORIGIN_FILE,     /* a .cuda-version */
	ORIGIN_GLOBAL,   /* <root>/version */
	ORIGIN_SITE,     /* /etc/cudaenv/version */
	ORIGIN_DEFAULT,  /* nothing says anything: system */
};

struct selection {
	char spec[VERSION_TEXT];  /* as asked for, normalised; of a list of fallbacks the one that served */
	char name[VERSION_TEXT];  /* folder below versions/, or "system" */
	char prefix[PATH_MAX];    /* <root>/versions/<name>; "" for system */
	enum origin origin;
	char origin_path[PATH_MAX]; /* the file for FILE, GLOBAL, SITE; else "" */
};

/* What a version file says. Unknown keys are kept out and counted for one warning. */
struct pinfile {
	char version[4][VERSION_TEXT]; /* first word and fallbacks, raw */
	int versions;
	char cudnn[VERSION_TEXT], profile[VERSION_TEXT];
	char components[1024], ccbin[PATH_MAX];
	char unknown_key[VERSION_TEXT]; /* first one, "" if none */
};

enum { PINFILE_MAX = 4096 };

/*
 * Reads a version file: BOM, CRLF, blanks, '#' comments (at the start of a word), missing final newline
 * accepted. ERR_USAGE with path and reason for NUL bytes, over PINFILE_MAX, not a regular file, no
 * version in it; ERR_FILESYSTEM when unreadable. err->sys == ENOENT when it is not there.
 */
must_check bool pinfile_read(const char *path, struct pinfile *out, struct err *err);
/* Nearest .cuda-version upward from the working directory: true and its path, or false (none). A file that
 * is there but cannot be opened counts as found. */
bool pinfile_find(char *path, size_t cap);

/* spec_arg: NULL, or the SPEC given with the call. */
must_check bool resolve_select(const struct layout *l, const char *spec_arg, struct selection *out,
			       struct err *err);
/* One SPEC against what is installed (own root first, then shared ones). */
must_check bool resolve_installed(const struct layout *l, const struct spec *spec,
				  struct selection *out, struct err *err);

const char *origin_words(const struct selection *s, char *out, size_t cap); /* for messages */
