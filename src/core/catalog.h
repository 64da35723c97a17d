#pragma once
/*
 * Every CUDA release that is known: share/versions.ini, read strictly (an unknown key or a bad value is an
 * error with file and line). The file is made by tools/gen-versions.py; versions.ini(5) describes it.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/version.h"

struct catalog_runfile {
	char *arch, *file, *path, *sha256, *md5; /* sha256, md5: NULL when not known */
};

struct catalog_release {
	char label[16];          /* "12.4.1"; "9.0" stands as 9.0.176 */
	struct version v;
	char date[11];           /* "2024-04-03"; "" unknown */
	struct strlist platforms; /* redist platforms: "linux-x86_64" */
	char *manifest_sha256;   /* NULL: not known */
	char *driver_min;        /* Linux x86_64 driver of the release notes: "550.54.15"; NULL */
	char *driver_floor;      /* minor-version compatibility floor; NULL */
	char *wheels;            /* version of the cuda-toolkit metapackage: "13.4.1.0"; NULL: none known */
	char *gcc_min, *gcc_max, *clang_min, *clang_max; /* host compiler majors; NULL: no such limit known */
	struct catalog_runfile *runfiles;
	size_t n_runfiles;
};

struct catalog {
	struct catalog_release *releases; /* oldest first */
	size_t n;
};

/* path NULL: CUDAENV_CATALOG if set, else the installed share/versions.ini. */
must_check bool catalog_load(struct catalog *c, const char *path, struct err *err);
void catalog_clear(struct catalog *c);

const struct catalog_release *catalog_find(const struct catalog *c, const char *label);

/*
 * The newest release that answers spec (installing: "known"). source: NULL or one that must offer it.
 * ERR_NO_VERSION names the nearest ones; for a number that is the driver's CUDA number but no toolkit
 * (12.7) it says so.
 */
must_check bool catalog_select(const struct catalog *c, const struct spec *spec, const char *source,
			       const struct catalog_release **out, struct err *err);
