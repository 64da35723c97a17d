#pragma once
/*
 * A group of update-alternatives (Debian) or alternatives (RPM systems): one link that leads through
 * /etc/alternatives/<name> to one of several choices. Looking needs neither root nor that program, changes
 * go through it alone.
 *
 * Its file, in /var/lib/dpkg/alternatives or /var/lib/alternatives: the mode, the link, a name and a link for
 * each slave, an empty line, then the path, the priority and the slaves' paths of each choice.
 */
#include <stdbool.h>

#include "base/attr.h"
#include "base/err.h"

struct alternatives {
	char *name;
	char *link;
	char *admin;   /* folder of its file */
	char *current; /* what the link in altdir leads to; NULL: nothing */
	bool manual;   /* somebody chose; else the highest priority decides */
	struct strlist choices;
};

/* The group whose link this is. root: folder that stands for "/", or "". false: there is none. */
bool alternatives_find(const char *root, const char *link, struct alternatives *out);
void alternatives_clear(struct alternatives *a);
#define autoalternatives __attribute__((cleanup(alternatives_clear)))

/* Whether this user may change the group; the folder of the link itself has to be writable as well. */
bool alternatives_writable(const char *root, const struct alternatives *a);

/* Adds the choice where it is not there, and chooses it. */
must_check bool alternatives_set(const char *root, const struct alternatives *a, const char *choice,
				 int priority, struct err *err);
/* choice NULL: back to the mode auto. */
must_check bool alternatives_choose(const char *root, const struct alternatives *a,
				    const char *choice, struct err *err);
/* Takes a choice out; where it was the chosen one, the highest priority decides. */
must_check bool alternatives_drop(const char *root, const struct alternatives *a,
				  const char *choice, struct err *err);
