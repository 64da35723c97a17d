#pragma once
/* Where a product's redist folder may be: NVIDIA's host or the mirrors in its place. */
#include "base/attr.h"
#include "base/buf.h"
#include "base/err.h"
#include "core/source.h"
#include "ext/fetch.h"

/* URLs of the setting `mirror` in its order (a path becomes file://), else NVIDIA's. */
void redist_mirrors(const struct source_ctx *ctx, struct strlist *out);
/*
 * Adds the folders in which a mirror may have the product, each with a last '/': below it in NVIDIA's layout,
 * and the mirror itself.
 */
void redist_folders(const char *mirror, const char *product, struct strlist *out);
/* For manifests and index pages. */
struct fetch_opts redist_fetch_opts(const struct source_ctx *ctx);
/* A small file into body, from a bundle as well; errors as those of fetch_memory. */
must_check bool redist_read(const struct source_ctx *ctx, const char *url, const char *accept,
			    struct buf *body, struct err *err);
