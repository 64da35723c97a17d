#pragma once
/*
 * The repositories that may hold a toolkit: those flat ones that apt is set to (NVIDIA's, or a mirror of it), the
 * suites of Debian and Ubuntu known to have CUDA on the mirrors that apt is set to, whatever suites and components
 * apt itself takes from there, and with source `deb` chosen the setting `mirror` in front of all.
 */
#include <stdbool.h>
#include <stddef.h>

#include "core/aptconf.h"
#include "core/aptsources.h"
#include "core/source.h"
#include "ext/fetch.h"

struct aptrepo {
	char *base;	       /* URL of the folder that the names in Packages are relative to */
	char *suite;	       /* "bookworm"; NULL: flat */
	const char *component; /* where CUDA is: "non-free", "multiverse"; NULL: flat */
	const char *label;     /* the release that it had when this was written; NULL */
	const struct aptsource *source; /* borrowed; NULL: from the setting `mirror` */
};

struct aptrepos {
	struct aptconf conf;
	struct aptsources sources;
	struct aptrepo *items;
	size_t n;
};

void aptrepos_load(struct aptrepos *r, const struct source_ctx *ctx, const char *arch);
void aptrepos_clear(struct aptrepos *r);

/* Debian's name of an architecture: "amd64", "arm64". */
const char *aptrepo_arch(const char *arch);
/* Of the files of a suite, with a last '/': <base>/dists/<suite>/, or the flat folder. The caller frees. */
char *aptrepo_folder(const struct aptrepo *r);
/* For messages: "http://mirror.example/debian bookworm/non-free". The caller frees. */
char *aptrepo_words(const struct aptrepo *r);
/* proxy: set to what o->proxy then points to; the caller frees. */
struct fetch_opts aptrepo_fetch_opts(const struct aptrepos *all, const struct aptrepo *r,
				     const struct source_ctx *ctx, char **proxy);
