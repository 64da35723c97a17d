#pragma once
/* METADATA of the cuda-toolkit metapackage: which packages make up a release on one platform. */
#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/err.h"
#include "core/pyspec.h"

enum { WHEELMETA_MAX = 1 << 20, WHEELMETA_NEEDS_MAX = 512 };

struct wheelneed {
	char package[PEP440_TEXT]; /* normalised */
	struct pyspec spec;
};

struct wheelextra {
	char name[PEP440_TEXT];	 /* "cudart" */
	struct strlist packages; /* with what they need */
};

struct wheelmeta {
	char name[PEP440_TEXT], version[PEP440_TEXT];
	struct wheelneed *needs; /* of the extra "all", else of all extras; each package once */
	size_t n;
	struct wheelextra *extras; /* without "all" */
	size_t n_extras;
};

/* ERR_INTEGRITY: a requirement that cannot be read, no name or version, too many of them. */
must_check bool wheelmeta_parse(const char *text, size_t len, const char *arch,
				struct wheelmeta *out, struct err *err);
void wheelmeta_clear(struct wheelmeta *m);

/* NULL: not there. */
const struct wheelneed *wheelmeta_find(const struct wheelmeta *m, const char *package);
/* The extra that is there for this package: "cudart" for nvidia-cuda-runtime. NULL: none. */
const struct wheelextra *wheelmeta_extra(const struct wheelmeta *m, const char *package);
