#pragma once
/*
 * What a tree with include/ and lib/ says of itself: names of files and archives are not
 * believed.
 */
#include <stdbool.h>

#include "base/err.h"
#include "base/version.h"
#include "core/products.h"

struct product_facts {
	struct version v; /* of the header; n 0: this product's is not read */
	struct version
		cuda; /* that its libraries ask for; n 0: they do not say, or were not asked */
};

/*
 * where: what the tree is from, for messages. Headers and a shared library must both be there,
 * agree on the version, and be for arch. ERR_INTEGRITY names what is missing or differs;
 * ERR_HOST: made for another processor. scan: nothing else tells what it is, so its header must
 * say the version; also read which CUDA the libraries ask for, which takes all of their bytes.
 */
must_check bool product_inspect(const struct product *p, const char *tree, const char *arch,
				const char *where, bool scan, struct product_facts *out,
				struct err *err);
