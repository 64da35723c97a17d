#pragma once
/*
 * Every CUDA release that is known: share/versions.ini, read strictly (an unknown section or key, a
 * bad value or anything that stands twice is an error with file and line). tools/gen-versions.py
 * makes the file from tools/data; versions.ini(5) describes it.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/version.h"
#include "core/gpuarch.h"

enum { CATALOG_MAX = 1 << 20 }; /* bytes of a catalog file */

struct catalog_runfile {
	char arch[16];
	char *path;	    /* below NVIDIA's download host, or a whole https URL */
	const char *file;   /* its last part, inside path */
	char *sha256, *md5; /* lower-case hex; NULL when not known */
};

struct catalog_release {
	char label[16]; /* "12.4.1"; "9.0" stands as 9.0.176 */
	struct version v;
	char date[11]; /* "2024-04-03"; "" unknown */
	struct strlist
		platforms;     /* of the redist manifest: "linux-x86_64"; none: no manifest known */
	char *manifest_sha256; /* of the published manifest; NULL: not known */
	char *driver_min;      /* Linux driver of the release notes: "550.54.15"; NULL */
	char *driver_floor;    /* minor-version compatibility floor; NULL: there is none */
	char *wheels;	       /* version of the cuda-toolkit metapackage: "13.4.1.0"; NULL: none */
	char *gcc_min, *gcc_max, *clang_min, *clang_max; /* NULL: no such limit known */
	char *sm; /* GPUs whose machine code its nvcc makes: "75 80 86 90" (7.5, ...); NULL unknown */
	struct catalog_runfile *runfiles;
	size_t n_runfiles;
};

struct catalog {
	struct catalog_release *releases; /* oldest first */
	size_t n;
	struct version wheels_nvcc; /* wheels bring nvcc itself from this release on; n 0: never */
	struct version driver_only[8]; /* numbers that drivers report and no toolkit has: 12.7 */
	size_t n_driver_only;
};

/* path NULL: CUDAENV_CATALOG if set, else the installed one. ERR_FILESYSTEM or ERR_USAGE. */
must_check bool catalog_load(struct catalog *c, const char *path, struct err *err);
/* The same from memory; `file` is the name for messages. */
must_check bool catalog_parse(struct catalog *c, const char *file, const char *text, size_t len,
			      struct err *err);
void catalog_clear(struct catalog *c);

/* NULL: no such label. */
const struct catalog_release *catalog_find(const struct catalog *c, const char *label);

/* NULL-ended: "redist", "wheels", "runfile". */
extern const char *const catalog_sources[];
/*
 * Whether that source has a toolkit of r that can compile, for arch ("x86_64", "sbsa", "aarch64",
 * "ppc64le"; NULL: any). Wheels without nvcc do not count.
 */
bool catalog_offers(const struct catalog *c, const struct catalog_release *r, const char *source,
		    const char *arch);
/* The sources that do, ", " between; "none" if there is none. */
const char *catalog_offer_words(const struct catalog *c, const struct catalog_release *r,
				const char *arch, char *out, size_t cap);

/*
 * The newest release that answers spec (installing: "known"). source: NULL or one that must offer
 * it. ERR_NO_VERSION names the nearest ones; for a number that is the driver's CUDA number but no
 * toolkit (12.7) it says so; for one that only other sources have, it names these. SPEC_NAME and
 * SPEC_SYSTEM are ERR_NO_VERSION; SPEC_SUPPORTED is for host_supported.
 */
must_check bool catalog_select(const struct catalog *c, const struct spec *spec, const char *source,
			       const struct catalog_release **out, struct err *err);

/* A GPU of compute capability cc (90 is 9.0) and what a release's nvcc can make for it. */
enum catalog_gpu {
	CATALOG_GPU_UNKNOWN,
	CATALOG_GPU_SERVED,  /* its own machine code, or that of an older one of the same major */
	CATALOG_GPU_DROPPED, /* all that the release serves is newer */
	CATALOG_GPU_TOO_NEW, /* the release is older than the GPU */
};
enum catalog_gpu catalog_gpu(const struct catalog_release *r, int cc);
/* What it makes machine code for; false: not known. */
bool catalog_gpu_list(const struct catalog_release *r, struct gpuarch_list *out);
/* The first and last release that serve it; false: none is known. */
bool catalog_gpu_range(const struct catalog *c, int cc, const struct catalog_release **first,
		       const struct catalog_release **last);
