#pragma once
/*
 * The libraries that NVIDIA ships beside the toolkit, one row of a table each, and their known
 * releases (share/products.tsv, made by tools/gen-products.py). Nothing else in this program knows
 * one of them by name but cuDNN, which is a part of the environment.
 */
#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/version.h"

struct product {
	const char *name;      /* folder below the root and in NVIDIA's redist: "cudnn" */
	const char *title;     /* "cuDNN" */
	const char *component; /* in manifests; NULL: NVIDIA has no archives of it */
	const char *wheel;     /* package name without the CUDA major; NULL: there are none */
	const char *library;   /* "libcudnn": its libraries' names begin so */
	/* Headers that may hold its number, below include/, the first one first; and the macros. */
	const char *headers[2];
	const char *macros[3]; /* all NULL: it is not read */
};
extern const struct product products[]; /* ends with a zero entry */

/* ERR_USAGE names the nearest one. */
must_check bool product_by_name(const char *name, const struct product **out, struct err *err);

struct product_release {
	char label[32]; /* "9.3.0" */
	struct version v;
	char version[32];    /* whole: "9.3.0.75"; "": not known */
	struct strlist cuda; /* "12", "10.2": what packages are built for; none: one for all */
	bool redist, wheels;
	char sha256[65]; /* of the published manifest; "": not known */
};
struct product_catalog {
	struct product_release *releases; /* newest first */
	size_t n;
};

enum { PRODUCTS_MAX = 1 << 20 }; /* bytes of the file */

/* path NULL: CUDAENV_PRODUCTS, else the installed one. One product's rows. */
must_check bool product_catalog_load(struct product_catalog *c, const struct product *p,
				     const char *path, struct err *err);
must_check bool product_catalog_parse(struct product_catalog *c, const struct product *p,
				      const char *file, const char *text, size_t len,
				      struct err *err);
void product_catalog_clear(struct product_catalog *c);
#define autoproducts __attribute__((cleanup(product_catalog_clear)))

/* Whether a spec means a release; also one with more numbers (8.9.2.26). */
bool product_release_matches(const struct product_release *r, const struct spec *spec);
/* Whether one of its packages is for a toolkit of cuda. */
bool product_release_fits(const struct product_release *r, const struct version *cuda);
/* "12 and 13" */
const char *product_release_cuda(const struct product_release *r, char *out, size_t cap);
/*
 * ERR_NO_VERSION where the catalog knows what spec means and none of it is for cuda: says what
 * they are for, and which one is. What it does not know may be right.
 */
must_check bool product_check_pair(const struct product_catalog *c, const struct product *p,
				   const struct spec *spec, const struct version *cuda,
				   struct err *err);
