#pragma once
/*
 * More or fewer components of a version that is installed. What is made here is the release that it becomes;
 * install_release builds and publishes that from the store. The caller holds the lock.
 */
#include <stdbool.h>

#include "base/err.h"
#include "core/record.h"
#include "core/source.h"

/*
 * The whole release that a record belongs to, installed or not, from what earlier runs kept of its source, else from
 * the source itself.
 */
must_check bool component_all(const struct source_ctx *ctx, const struct release *r,
			      struct release *out, struct err *err);

/*
 * Adds to r, the release of a record: names (and what nvcc needs, if nvcc is one of them), or without names what a
 * profile has. Nothing is asked of anybody when all names are there. r->n tells whether anything was added.
 * ERR_INTEGRITY when the source has another manifest now than the record names.
 */
must_check bool component_add(const struct source_ctx *ctx, struct release *r,
			      const struct strlist *names, enum profile profile, struct err *err);
/*
 * Takes names out of r. ERR_USAGE for one that it does not have, for all of them, and without force for what the
 * nvcc that stays needs.
 */
must_check bool component_remove(struct release *r, const struct strlist *names, bool force,
				 struct err *err);
/* Gives URLs to those that the store has lost, from the source. Asks nobody when it has all. */
must_check bool component_restore(const struct source_ctx *ctx, struct release *r, struct err *err);
