#pragma once
/* From the packages of a repository to one release. */
#include <stdbool.h>

#include "base/err.h"
#include "core/debset.h"
#include "core/source.h"

/* The releases that the set has, each once, in no order. */
void debpick_labels(const struct debset *set, struct strlist *out);

/*
 * Packages that the release needs, and that are not in the set, since Debian has them elsewhere (libthrust-dev in
 * main). all: also those that only these need. flat: NVIDIA's repository, which has all.
 */
void debpick_lacking(const struct debset *set, const char *label, bool flat, bool all,
		     struct strlist *out);

/*
 * Adds what the request wants of the release to r, with URLs below `base`, and names it after the package that
 * stands for it. ERR_NO_VERSION for a component that it does not have.
 */
must_check bool debpick_select(const struct debset *set, const struct request *rq, const char *base,
			       bool flat, struct release *r, struct err *err);
