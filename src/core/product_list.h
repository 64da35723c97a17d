#pragma once
/* The products that are installed. */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/layout.h"
#include "base/product.h"
#include "core/products.h"

struct product_entry {
	const struct product *product;
	char *name;   /* "9.3.0-cuda12" */
	char *prefix; /* its folder */
	struct product_name numbers;
	char *version;	    /* whole, "9.3.0.75"; as far as the record says */
	const char *source; /* "redist", ...; "unknown" */
	bool shared;	    /* below one of CUDAENV_SHARED_ROOTS */
};
struct product_entries {
	struct product_entry *items; /* by product, newest first */
	size_t n;
};

/* Those of one product; NULL: of all. Of two roots that have the same the first one counts. */
must_check bool product_entries_read(struct product_entries *e, const struct layout *l,
				     const struct product *p, struct err *err);
void product_entries_clear(struct product_entries *e);
#define autoentries __attribute__((cleanup(product_entries_clear)))
