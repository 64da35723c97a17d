#pragma once
/* The URLs that have the same file: which one is asked next, and what each one said. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Failures of a server in a row, counted over all files of a run. */
struct hosts {
	struct host *items;
	size_t n;
};
void hosts_clear(struct hosts *h);

struct mirror {
	const char *url; /* borrowed */
	char *origin;
	uint64_t not_before; /* ms */
	unsigned failures;
	bool dead, suspect; /* will not serve; sent wrong bytes */
	struct err err;	    /* its last failure */
};
struct mirrors {
	struct mirror *items;
	size_t n, at;	     /* at: the one in use */
	struct hosts *hosts; /* borrowed */
};
void mirrors_add(struct mirrors *m, const char *url);
void mirrors_clear(struct mirrors *m);

/* The one in use. */
struct mirror *mirrors_now(const struct mirrors *m);
size_t mirrors_alive(const struct mirrors *m);

/*
 * Sets `at` to the one to ask next, beginning the search at `from`: one that sent no wrong bytes and whose
 * server does not only fail; among those the one that may be asked first. false: all are dead.
 */
bool mirrors_choose(struct mirrors *m, size_t from);

/* The one in use failed in a way that may pass: it is left alone for a while, longer each time. */
void mirrors_failed(struct mirrors *m, const struct err *err, uint64_t now, uint64_t first_wait_ms,
		    uint64_t told_wait_ms);
/* The one in use sent wrong bytes: it is asked again only when no other is left. */
void mirrors_lied(struct mirrors *m, const struct err *err);
/* Its server is fine. */
void mirrors_served(struct mirrors *m);

/* What all of them said; name: of the file. */
void mirrors_error(const struct mirrors *m, const char *name, struct err *err);
