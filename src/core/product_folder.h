#pragma once
/*
 * A product that lies in a folder of this machine, maybe among other things: /usr, a toolkit that
 * somebody copied it into, site-packages/nvidia/cudnn of a Python environment. By names of files:
 * its headers and its libraries.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "core/products.h"

struct product_file {
	char *from;   /* absolute */
	char *to;     /* "include/cudnn.h", "lib/libcudnn.so.9" */
	char *target; /* of a link to another of these files; NULL: a file */
	uint64_t size;
	bool executable;
};
struct product_folder {
	struct product_file *files; /* by `to` */
	size_t n;
	uint64_t bytes;
};

/* ERR_INTEGRITY where it has none. Links that lead elsewhere count as what they lead to. */
must_check bool product_folder_read(struct product_folder *f, const struct product *p,
				    const char *path, struct err *err);
void product_folder_clear(struct product_folder *f);
#define autofolder __attribute__((cleanup(product_folder_clear)))
/* One digest of all names and contents. Reads everything. */
must_check bool product_folder_digest(const struct product_folder *f, char sha256[65],
				      struct err *err);
