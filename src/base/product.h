#pragma once
/*
 * Libraries that NVIDIA ships beside the toolkit (cuDNN, cuTENSOR, ...), each version in a folder of
 * its own, never inside a toolkit:
 *   <root>/<product>/<version>-cuda<N>/     include, lib, lib64 -> lib
 * N is what it was built for: a CUDA major from 11 on, before that maybe "10.2". Which one applies
 * goes by the selected toolkit. No allocation, no stdio streams: the hook's launcher uses it.
 */
#include <limits.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/layout.h"
#include "base/resolve.h"
#include "base/version.h"

struct product_name {
	struct version v, cuda;
};
/* "9.3.0-cuda12". false: no such name. */
bool product_name_parse(const char *name, struct product_name *out);

/* The CUDA number of a toolkit: its name's, else that of its libcudart (a major from 11 on). */
bool product_cuda_of(const char *prefix, const char *name, struct version *out);
/* What was built for `built` works with a toolkit of `cuda`: from 11 on with all of that major. */
bool product_fits(const struct version *built, const struct version *cuda);

struct product_selection {
	char spec[VERSION_TEXT]; /* as asked for, normalised; "": none is asked for */
	char name[VERSION_TEXT]; /* "9.3.0-cuda12"; "": none */
	char prefix[PATH_MAX];	 /* "": none */
	bool by_env;		 /* CUDAENV_CUDNN_VERSION said so, not the version file */
};

/*
 * The newest one that spec names and that is built for cuda (NULL: for any). spec is the text of a
 * SPEC, or a whole name; where: its origin for messages. ERR_NOT_INSTALLED names what there is.
 */
must_check bool product_find(const struct layout *l, const char *product, const char *spec,
			     const char *where, const struct version *cuda,
			     struct product_selection *out, struct err *err);

/*
 * The cuDNN for selection s: CUDAENV_CUDNN_VERSION, else the `cudnn` line of the file that selects
 * the toolkit. None for `system`, with "system" or "none" as its version, or where nothing asks for
 * one.
 */
must_check bool product_cudnn(const struct layout *l, const struct selection *s,
			      struct product_selection *out, struct err *err);
