#pragma once
/* The cuda-toolkit metapackage of a release: found in the index, fetched, checked and read. */
#include <stdbool.h>

#include "base/err.h"
#include "core/pyindex.h"
#include "core/source.h"
#include "core/wheelmeta.h"

struct metapackage {
	char label[32]; /* "13.4.1": without what is packaging only */
	char *file;
	char sha256[65];
	struct wheelmeta meta; /* for the platform of the request */
};

/*
 * ERR_NO_VERSION: not there (the nearest is named), withdrawn, a pre-release only, without nvcc
 * (and which source has it), for other platforms only. ERR_NETWORK, ERR_INTEGRITY: index and file
 * are named.
 */
must_check bool metapackage_find(struct pyindex *ix, const struct source_ctx *ctx,
				 const struct request *rq, struct metapackage *out,
				 struct err *err);
void metapackage_clear(struct metapackage *m);

/* Known without asking anybody: releases before 13.0 have no nvcc in their wheels. ERR_NO_VERSION.
 */
must_check bool metapackage_possible(const struct source_ctx *ctx, const struct request *rq,
				     struct err *err);

/* The releases with nvcc that the index has for ix->arch, neither withdrawn nor pre-releases. */
must_check bool metapackage_labels(struct pyindex *ix, struct strlist *out, struct err *err);
