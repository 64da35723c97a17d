#pragma once
/* Install whole versions. The caller holds the lock. */
#include <stdbool.h>

#include "base/err.h"
#include "base/event.h"
#include "base/layout.h"
#include "core/config.h"
#include "core/probe.h"
#include "core/source.h"

struct install_opts {
	const char *name;	/* folder below versions/; NULL: the label */
	const char *profile;	/* word for the record */
	enum probe_level level; /* how far it is proved */
	bool partial;		/* also one that cannot be whole: *v says what it lacks */
};

/*
 * Fetches, unpacks into the store, assembles in staging/, proves, and publishes by one rename (an
 * exchange where the version is there already). *v is the verdict, stored with the prefix.
 * A tree that cannot be a whole one is not published (ERR_VERIFY). One that only lacks a host compiler or
 * fitting headers on this machine is: *v then says so, and the call is a success.
 */
must_check bool install_release(const struct layout *l, const struct config *cfg,
				const struct release *r, const struct install_opts *o,
				const struct events *ev, struct verdict *v, struct err *err);

/* Creates the folders of an install root and removes what was left in staging/. */
must_check bool install_prepare(const struct layout *l, struct err *err);

/*
 * The two ends of an install, for what is no toolkit. Fetches and unpacks what the store lacks, after a look
 * at the free space; then one rename puts the finished folder `staging` at `final` (an exchange where that is
 * there).
 */
must_check bool install_fetch(const struct layout *l, const struct config *cfg,
			      const struct release *r, const struct events *ev, struct err *err);
must_check bool install_publish(const char *staging, const char *final, struct err *err);
