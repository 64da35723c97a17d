#pragma once
/*
 * A bundle: what another machine needs to install releases offline, in one file. Inside (see bundle_tar.h for the
 * form) it is a mirror in NVIDIA's layout, <product>/redist/redistrib_<version>.json and the archives under their
 * relative paths, and bundle.json, which says what it is for. The digests are those of the manifests. Wheels lie in
 * wheels/, and bundle.json has the digests that the package index gave.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"
#include "core/bundle_tar.h"
#include "core/source.h"

struct bundle_file {
	char *component; /* "cuda_nvcc" */
	char *name;	 /* of the member */
	/* What a manifest says otherwise; of wheels alone. */
	char *package, *version;
	char sha256[65];
	uint64_t size, unpacked;
};
struct bundle_release {
	char *product;	/* "cuda", "cudnn" */
	char *version;	/* of the manifest: "12.4.1"; of a wheel of a product: "9.3.0-cuda12" */
	char *source;	/* "redist" or "wheels" */
	char *manifest; /* member; of wheels: file name of the metapackage, which is none */
	char manifest_sha256[65]; /* of wheels */
	char *profile;		  /* "minimal", ... or "custom" */
	struct bundle_file *files;
	size_t n;
};
struct bundle {
	char arch[16]; /* "x86_64", "sbsa" */
	struct bundle_release *releases;
	size_t n;
	struct bundle_index index;
};

/* Also ERR_INTEGRITY: bundle.json is not there or not right. That the members are there is not looked at. */
must_check bool bundle_open(const char *path, struct bundle *out, struct err *err);
void bundle_clear(struct bundle *b);
bool bundle_is_wheels(const struct bundle_release *r);
/* Those of them that rq wants, as the source itself would give them. ERR_NO_VERSION names what is not there. */
must_check bool bundle_wheels(const char *path, const struct bundle_release *r,
			      const struct request *rq, struct release *out, struct err *err);
/* "cuda/redist/" in front of a path of that product's manifests. The caller frees. */
char *bundle_member_name(const char *product, const char *path);
/* The content of bundle.json. The caller frees. */
char *bundle_text(const struct bundle *b);

/* One release to put into a bundle, found in the source redist or wheels. */
struct bundle_want {
	const char *product;
	struct release release;
	const char *profile; /* word for bundle.json */
};
struct bundle_made {
	uint64_t bytes;
	size_t files;
};
/*
 * Writes them to path, where it appears when it is whole; the same wants make the same bytes. What neither this
 * machine nor the cache has is fetched into the cache. Every archive's digest is checked on the way. force: in place
 * of a file that is there, else ERR_USAGE.
 */
must_check bool bundle_create(const struct source_ctx *ctx, const struct bundle_want *wants,
			      size_t n, const char *arch, const char *path, bool force,
			      struct bundle_made *out, struct err *err);

struct catalog;
struct bundle_report {
	struct strlist faults; /* one line each */
	struct strlist extras; /* members that no manifest has; nothing reads them */
	uint64_t bytes;	       /* of the archives */
	size_t files;
};
/*
 * Every member against the manifests inside, and these against the digests that the catalog knows. false: it could
 * not be read, or its form is wrong.
 */
must_check bool bundle_verify(const struct catalog *catalog, const char *path,
			      const struct bundle *b, struct bundle_report *out, struct err *err);
void bundle_report_clear(struct bundle_report *r);
