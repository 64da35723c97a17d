#pragma once
/*
 * A source is a way to get the bits of a release. Each one turns a request into a list of archives with
 * sizes and digests; everything behind that (fetch, store, prefix, proof) is the same for all of them.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/event.h"

struct catalog;
struct config;

/* How an archive's entries become paths of a prefix. */
enum archive_kind {
	ARCHIVE_WHEEL,	/* zip: nvidia/cuNN/{bin,include,lib,nvvm,...} */
	ARCHIVE_REDIST, /* tar.xz: <component>-<platform>-<version>-archive/{bin,include,lib,...} */
	ARCHIVE_RUNFILE, /* .run: a whole toolkit, see runfilemap.h */
	ARCHIVE_CONDA,	 /* .conda or .tar.bz2: bin, include, lib, nvvm of an environment */
	ARCHIVE_FOLDER,	 /* a product's files in a folder of this machine, see product_folder.h */
	ARCHIVE_DEB,	 /* Debian's package: usr/{bin,include,lib/<triplet>,...}, or NVIDIA's */
};

struct component {
	char *name;	     /* redist name: "cuda_nvcc", whatever the source calls it */
	char *package;	     /* the source's own name: "nvidia-cuda-nvcc" */
	char *version;	     /* the component's own number: "13.0.88" */
	char *file;	     /* file name of the archive */
	struct strlist urls; /* tried in order; may carry credentials: never show, use `file` */
	char sha256[65];     /* lower-case hex */
	/*
	 * Set where only a part of the archive is wanted: the archive's digest, and sha256 is a name for that
	 * part in the store. "": sha256 is the archive's.
	 */
	char archive_sha256[65];
	uint64_t size;	   /* packed bytes, 0: not told */
	uint64_t unpacked; /* bytes of files, 0: not told */
	enum archive_kind kind;
	bool unverified; /* sha256 is what the file has; nobody vouches for it */
	bool hashed;	 /* a file of this machine whose sha256 was just taken or compared */
};

struct release {
	char label[32];	    /* "13.0.2": the folder below versions/ */
	const char *source; /* "wheels" */
	char arch[16];	    /* "x86_64", "sbsa": targets/<arch>-linux */
	char *manifest;	    /* file name of the manifest or metapackage */
	char manifest_sha256[65];
	bool pinned;   /* the manifest's digest is the catalog's */
	char *ca_file; /* certificates for its URLs; NULL: the usual ones */
	char *proxy;   /* as in struct fetch_opts */
	struct component *components;
	size_t n;
};
void release_clear(struct release *r);
/* Adds *c to r, which owns it from here on; *c is zeroed. */
void release_take(struct release *r, struct component *c);
/* By its own name or its package's. NULL: r has none. */
struct component *release_find(const struct release *r, const char *name);
void component_clear(struct component *c);
/* The digest of its archive. */
const char *component_archive(const struct component *c);
/* Whether nvcc cannot work without it. */
bool component_nvcc_needs(const char *component);

enum profile { PROFILE_MINIMAL, PROFILE_DEFAULT, PROFILE_FULL };
bool profile_parse(const char *s, enum profile *out);
const char *profile_name(enum profile p);
/*
 * Whether a component (redist name) belongs to the profile. minimal: what compiles and links a .cu;
 * default: the toolkit without the Nsight GUIs, documents and demos; full: all but what is no part of a
 * prefix (driver, fabric manager, imex, ...), which is in none of them.
 */
bool profile_wants(enum profile p, const char *component);

struct request {
	const char *label; /* exact: "13.0.2" */
	enum profile profile;
	struct strlist components; /* if any: exactly these (either name), instead of the profile */
	const char *arch;	   /* "x86_64", "sbsa" */
	/* of the one manifest that will do; NULL: the catalog's, if it has one */
	const char *manifest_sha256;
};

struct source_ctx {
	const struct catalog *catalog;
	const struct config *config;
	const struct layout *layout; /* for what the store has already; NULL: not looked at */
	const char *cache_dir;	     /* for metadata that has a digest */
	bool offline;
	bool quick; /* another source may serve: no long waits for a host that does not answer */
	const struct events *events;
};

struct source {
	const char *name;
	/* Known without asking anybody, with the reason (ERR_NO_VERSION) where it is not. */
	bool (*possible)(const struct source_ctx *ctx, const struct request *rq, struct err *err);
	/* Errors: ERR_NO_VERSION (with what there is), ERR_NETWORK, ERR_INTEGRITY. */
	bool (*find)(const struct source_ctx *ctx, const struct request *rq, struct release *out,
		     struct err *err);
	/* The releases that its index names, in no order, for one that the catalog does not know. arch as in a request. */
	bool (*labels)(const struct source_ctx *ctx, const char *arch, struct strlist *out,
		       struct err *err);
};

extern const struct source source_redist, source_runfile, source_wheels, source_deb;
