#pragma once
/* From "cuDNN 9.3 for CUDA 12" to one archive of NVIDIA's redist or one wheel. */
#include <stdbool.h>

#include "base/err.h"
#include "base/version.h"
#include "core/products.h"
#include "core/source.h"

struct product_wish {
	const struct product *product;
	struct spec spec;
	struct version cuda; /* of the toolkit that it is for */
	const char *arch;    /* "x86_64", "sbsa" */
	const char *source;  /* "auto", "redist", "wheels" */
};

/*
 * *out has one component and the label that is the folder's name ("9.3.0-cuda12"). "auto" asks
 * NVIDIA's archives, then the index, and says why the first did not serve. Of several releases
 * that the spec means the newest for that CUDA is taken. ERR_NO_VERSION where there is none, or
 * none for that CUDA: then the right ones are named.
 */
must_check bool product_find_release(const struct source_ctx *ctx,
				     const struct product_catalog *known,
				     const struct product_wish *w, struct release *out,
				     struct err *err);

/* Label for a folder, "9.3.0-cuda12"; a whole number of four parts stands for its first three. */
void product_label(char out[32], const char *version, const struct version *cuda);

/* One source each, see product_find_release. */
must_check bool product_from_redist(const struct source_ctx *ctx,
				    const struct product_catalog *known,
				    const struct product_wish *w, struct release *out,
				    struct err *err);
must_check bool product_from_wheels(const struct source_ctx *ctx,
				    const struct product_catalog *known,
				    const struct product_wish *w, struct release *out,
				    struct err *err);
