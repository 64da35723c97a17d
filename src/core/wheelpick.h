#pragma once
/* Which packages of a metapackage a request wants. Pure. */
#include <stdbool.h>

#include "base/err.h"
#include "core/source.h"
#include "core/wheelmeta.h"

struct wheelpick {
	const struct wheelneed *need; /* borrowed from the meta */
	char *component;	      /* redist name: "cuda_cudart" */
	bool optional;		      /* left out where the platform has no wheel of it */
};
struct wheelpicks {
	struct wheelpick *items; /* in the order of the metapackage */
	size_t n;
};

/*
 * The profile's packages, or those that rq->components name (package, component or extra) with what
 * they need. ERR_USAGE for a name that the release does not have; the nearest one is named.
 */
must_check bool wheelpick_select(const struct wheelmeta *meta, const struct request *rq,
				 const char *label, struct wheelpicks *out, struct err *err);
void wheelpicks_clear(struct wheelpicks *p);
