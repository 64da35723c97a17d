#pragma once
/*
 * Version files (.cuda-version, <root>/version). No allocation: the shim uses it.
 *
 *   # comment
 *   12.4 12.3 system     the first line: a SPEC and fallbacks, tried in order
 *   cudnn=9.3            further lines: cudnn, profile, components, ccbin
 *
 * BOM, CRLF, blanks and a missing final newline are accepted. A '#' begins a comment at the start of a
 * word only: inside a word ("12.4.1#x") it belongs to the word, which is then refused.
 */
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/version.h"

enum { PINFILE_MAX = 4096, PINFILE_VERSIONS = 4, WHERE_TEXT = 512 };

struct pinfile {
	char version[PINFILE_VERSIONS][VERSION_TEXT]; /* first word and fallbacks, raw */
	int versions;
	char cudnn[VERSION_TEXT], profile[VERSION_TEXT];
	char unknown_key[VERSION_TEXT]; /* first one, "" if none */
	char components[1024], ccbin[PATH_MAX];
};

/*
 * ERR_USAGE with path and reason for control characters (NUL too), over PINFILE_MAX, not a regular file, no version in it;
 * ERR_FILESYSTEM when unreadable. err->sys == ENOENT when it is not there. Opening never blocks.
 * Values are raw text: versions are checked by spec_parse, the others by who uses them. *out is
 * undefined on failure.
 */
must_check bool pinfile_read(const char *path, struct pinfile *out, struct err *err);
/* The same for text that is already here; `where` names it in messages ("'/p/.cuda-version'"). */
must_check bool pinfile_parse(const char *text, size_t len, const char *where, struct pinfile *out,
			      struct err *err);
/* The path in quotes, for `where`; cut when it is very long. */
void pinfile_where(const char *path, char out[WHERE_TEXT]);
/* One line of words with blanks between into out->version, as in CUDAENV_VERSION. */
must_check bool pinfile_words(const char *s, size_t len, const char *where, struct pinfile *out,
			      struct err *err);

/*
 * Nearest .cuda-version from the physical working directory (not $PWD) upward: true and its path. What
 * is there but cannot be read, also a dangling link, counts as found; a folder that cannot be searched
 * counts as holding none. false: none, errno 0; or errno says why the working directory is not known
 * (ENOENT: it was deleted).
 */
bool pinfile_find(char *path, size_t cap);
