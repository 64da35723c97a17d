#pragma once
/* What `cudnn` and `product` do; and cuDNN for `install`, `local` and `global`. */
#include <stdbool.h>

#include "base/err.h"
#include "base/version.h"
#include "cli/cmd.h"
#include "core/products.h"
#include "core/source.h"

struct product_call {
	struct app *app;
	const struct args *a;	 /* for options */
	const struct product *p; /* NULL: none was named */
	char **pos;		 /* operands behind the action and the product, NULL-ended */
	int n;
};

must_check bool product_run_install(const struct product_call *c, struct err *err);
must_check bool product_run_uninstall(const struct product_call *c, struct err *err);
must_check bool product_run_merge(const struct product_call *c, struct err *err);
must_check bool product_run_list(const struct product_call *c, struct err *err);
must_check bool product_run_list_remote(const struct product_call *c, struct err *err);
must_check bool product_run_prefix(const struct product_call *c, struct err *err);
must_check bool product_run_global(const struct product_call *c, struct err *err);
must_check bool product_run_local(const struct product_call *c, struct err *err);

/*
 * "9.3", ">=9,<10", "latest", or a whole name, which then sets *cuda (else n 0). ERR_USAGE for
 * what is no version.
 */
must_check bool product_parse_spec(const struct product *p, const char *word, const char *where,
				   struct spec *spec, struct version *cuda, struct err *err);
/* The CUDA number of a version by its SPEC; NULL: of the selected one. */
must_check bool product_toolkit_cuda(struct app *app, const char *spec, struct version *cuda,
				     struct err *err);

/*
 * For `install --cudnn`: whether it can fit, before anything is fetched; then the install of it
 * for that toolkit.
 */
must_check bool product_check_cudnn(struct app *app, const char *version, const char *toolkit,
				    struct err *err);
must_check bool product_add_cudnn(struct app *app, const struct args *a, const char *version,
				  const char *toolkit, struct err *err);

/*
 * A wheel of it in the bundle at path, the newest that spec means and that is built for cuda. *found false: path is
 * NULL or no bundle, or has none.
 */
must_check bool product_in_bundle(const char *path, const struct product *p,
				  const struct spec *spec, const struct version *cuda,
				  const char *arch, bool *found, struct release *out,
				  struct err *err);

/*
 * The line cudnn=VERSION of a version file that names a toolkit; a wrong pair is refused. NULL:
 * takes the line out.
 */
must_check bool product_pin_cudnn(struct app *app, const char *file, const char *version,
				  struct err *err);
