#pragma once
/* What no version needs. The caller holds the lock. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/layout.h"

enum prune_kind {
	PRUNE_STAGING, /* what an install that was killed left there */
	PRUNE_STORE,   /* a component that no version uses */
	PRUNE_PART,    /* a download that is not whole */
};

struct prune_item {
	enum prune_kind kind;
	char *path;
	char *name;	/* for people */
	uint64_t bytes; /* that would come back */
};
struct prune {
	struct prune_item *items; /* by kind, in the order of the enum */
	size_t n;
};

/* *out is empty before. */
must_check bool prune_find(const struct layout *l, const char *cache_dir, struct prune *out,
			   struct err *err);
/* *freed: bytes that came back. */
must_check bool prune_run(const struct layout *l, const struct prune *p, uint64_t *freed,
			  struct err *err);
void prune_clear(struct prune *p);
