#pragma once
/* Take a version away. The caller holds the lock. */
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/layout.h"

/*
 * Renames versions/<name> away, deletes it, and removes from the store what no other version has.
 * *freed: bytes that came back. ERR_NOT_INSTALLED; ERR_USAGE for a link made by `cudaenv link`.
 */
must_check bool uninstall_version(const struct layout *l, const char *name, uint64_t *freed,
				  struct err *err);
