#pragma once
/*
 * manifests/cuda_<arch>.xml of a runfile from 10.1 on (libxml2): which folder of it belongs where. <package>
 * elements, one in another, with <buildPath>./builds/cuda_cccl/</buildPath>, maybe <installPath>DIR</installPath>
 * (a folder of the toolkit instead of its top) and <file dir="DIR">REGEX</file> (files that go into a folder).
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum { RUNMANIFEST_MAX = 4 << 20 }; /* bytes */

struct runmanifest_rule {
	char *build;   /* "builds/cuda_cccl": no "./" in front, no '/' behind */
	char *install; /* folder of the toolkit; NULL: its top */
	char *dir;     /* folder below that for the files that pattern fits; NULL: as they lie */
	char *pattern; /* extended regular expression of the path below build; NULL: all */
};
struct runmanifest {
	struct runmanifest_rule *rules;
	size_t n;
};

/*
 * ERR_INTEGRITY: no well-formed document, or one that declares a document type (and so could declare entities).
 * A rule whose paths leave the toolkit is left out. Nothing outside of the text is loaded.
 */
must_check bool runmanifest_parse(struct runmanifest *m, const char *text, size_t len,
				  struct err *err);
void runmanifest_clear(struct runmanifest *m);
