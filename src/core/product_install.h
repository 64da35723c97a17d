#pragma once
/*
 * Products into <root>/<product>/<label>, out again, and into a toolkit of their own. The caller
 * holds the lock.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/event.h"
#include "base/layout.h"
#include "core/config.h"
#include "core/products.h"
#include "core/source.h"

/*
 * From a release that product_find_release made, or product_local: fetched, checked and unpacked
 * into the store, looked into (headers and library say the version that the label says),
 * assembled in staging/, published by one rename. All of it or nothing. r->label "": set from
 * what is found; cuda: for which CUDA where the libraries do not say, NULL: unknown, then that is
 * an error.
 */
must_check bool product_install(const struct layout *l, const struct config *cfg,
				const struct product *p, struct release *r,
				const struct version *cuda, const struct events *ev,
				struct err *err);

/*
 * A release with an empty label for an archive or wheel that somebody downloaded, or a folder
 * that has it among other things. *cuda (n 0: not told) comes from its name, as what its
 * libraries do not say. A page of HTML is refused in plain words (ERR_INTEGRITY).
 */
must_check bool product_local(const struct product *p, const char *path, const char *arch,
			      struct release *out, struct version *cuda, struct err *err);

/* name: "9.3.0-cuda12". *freed: bytes that came back. */
must_check bool product_uninstall(const struct layout *l, const struct product *p, const char *name,
				  uint64_t *freed, struct err *err);
