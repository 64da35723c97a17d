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
#include "base/pinfile.h"
#include "base/version.h"

enum origin {
	ORIGIN_ARGUMENT, /* +SPEC or the command's argument */
	ORIGIN_ENV,	 /* CUDAENV_VERSION */
	ORIGIN_FILE,	 /* a .cuda-version */
	ORIGIN_GLOBAL,	 /* <root>/version */
	ORIGIN_SITE,	 /* /etc/cudaenv/version */
	ORIGIN_DEFAULT,	 /* nothing says anything: system */
};

struct selection {
	char spec
		[VERSION_TEXT]; /* as asked for, normalised; of a list of fallbacks the one that served */
	char name[VERSION_TEXT]; /* folder below versions/, or "system" */
	enum origin origin;
	char prefix[PATH_MAX];	    /* <root>/versions/<name>; "" for system */
	char origin_path[PATH_MAX]; /* the file for FILE, GLOBAL, SITE; else "" */
};

/*
 * spec_arg: NULL, or the SPEC given with the call. Of a list of fallbacks ("12.4 system") the first that
 * is installed serves. ERR_NOT_INSTALLED names the version, what asked for it and what is installed; then
 * out->spec, origin and origin_path are set all the same. After other errors *out is undefined.
 */
must_check bool resolve_select(const struct layout *l, const char *spec_arg, struct selection *out,
			       struct err *err);

/*
 * One SPEC against what is installed. Numbers, ranges and `latest` take the newest folder or link below
 * versions/ of all roots whose name is a number that matches (equal ones: own root first); a number of
 * three or four parts that has a folder is taken without a look at the others. A name is a folder or link
 * below versions/, else an alias. `supported` is refused (ERR_USAGE): what a driver can use is found out
 * by `cudaenv local supported`, which writes a number. Sets spec, name and prefix of *out only.
 */
must_check bool resolve_installed(const struct layout *l, const struct spec *spec,
				  struct selection *out, struct err *err);

/* "set by '/p/.cuda-version'", "set by CUDAENV_VERSION", "asked for here", "nothing selects a version" */
const char *origin_words(const struct selection *s, char *out, size_t cap);
