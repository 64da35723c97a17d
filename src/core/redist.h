#pragma once
/*
 * NVIDIA's redist folders, the place of a product's manifests and archives:
 *   <base>/<product>/redist/redistrib_<label>.json
 * base is https://developer.download.nvidia.com/compute or a mirror of it (setting `mirror`, several tried
 * in order). A mirror may also be the redist folder of one product itself.
 */
#include <stdbool.h>

#include "base/attr.h"
#include "base/err.h"
#include "core/manifest.h"
#include "core/source.h"

struct redist_manifest {
	struct manifest m;
	char *file;	 /* "redistrib_12.4.1.json" */
	char sha256[65]; /* of the file */
	bool cached;	 /* from an earlier run; no mirror was asked */
	struct strlist
		bases; /* folders of the archives, the one that served first, each with a last '/' */
};

/*
 * The manifest of a product's release. pin: its sha256 or NULL. With a pin, or offline, one that an earlier run
 * kept is as good as the mirrors'; else it serves where no mirror answers. ERR_NO_VERSION when every mirror
 * answers that it has none; ERR_INTEGRITY when the digest or the label is another one's; ERR_NETWORK.
 */
must_check bool redist_manifest(const struct source_ctx *ctx, const char *product,
				const char *label, const char *pin, struct redist_manifest *out,
				struct err *err);
/* Asks the mirrors after all, so that one that serves is known. *m stays as it is on failure. */
must_check bool redist_ask(const struct source_ctx *ctx, const char *product, const char *label,
			   const char *pin, struct redist_manifest *m, struct err *err);
void redist_manifest_clear(struct redist_manifest *m);

/* Labels that the index page of the product names, in no order; of the first mirror that has such a page. */
must_check bool redist_labels(const struct source_ctx *ctx, const char *product,
			      struct strlist *out, struct err *err);
