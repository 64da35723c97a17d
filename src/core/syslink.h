#pragma once
/*
 * The machine's link to one toolkit, /usr/local/cuda or another path: who owns it, and leading it to a
 * version of ours and back.
 *
 * What was there before is kept in <root>/system-link/<path, '/' as %2F>.json, written before the link
 * changes, so that a stop at any instant leaves either the old state or the new one with its way back.
 */
#include <stdbool.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/layout.h"
#include "core/alternatives.h"

enum syslink_owner {
	SYSLINK_ABSENT,
	SYSLINK_OURS,	      /* a link into versions/ of a root, or the one that was set last */
	SYSLINK_ALTERNATIVES, /* update-alternatives has a group for this link */
	SYSLINK_FOLDER,
	SYSLINK_FILE,
	SYSLINK_FOREIGN, /* a link that somebody else made */
	SYSLINK_DANGLING,
	SYSLINK_PACKAGE, /* a link that belongs to a package */
};
const char *syslink_owner_word(enum syslink_owner o); /* "absent", "ours", "alternatives", ... */

/* What --restore brings back. */
struct syslink_former {
	bool kept;
	char *set;    /* where cudaenv led the link to */
	char *target; /* text of the link; NULL: none, or a group */
	char *group;  /* of update-alternatives; NULL: none */
	char *choice; /* of the group; NULL: none */
	bool manual;
};

struct syslink {
	char *path;
	char *root; /* of the file system: "" */
	enum syslink_owner owner;
	char *target;  /* text of the link; NULL: it is none */
	char *leads;   /* where it leads in the end; NULL: nowhere */
	char *version; /* of ours, that it leads to, be it there or not; NULL: none */
	char *package; /* of the link or folder; NULL: none */
	bool ours;     /* it leads to a version of ours, or to what was set last */
	bool writable;
	struct alternatives group; /* with SYSLINK_ALTERNATIVES */
	struct syslink_former former;
};

/*
 * Looks, and starts no program but rpm. path: absolute. root: folder that stands for "/" where packages and
 * alternatives are looked up, "" but in tests. ERR_USAGE: the path is relative, or below the root of ours.
 */
must_check bool syslink_look(const struct layout *l, const char *root, const char *path,
			     struct syslink *out, struct err *err);
void syslink_clear(struct syslink *s);
#define autosyslink __attribute__((cleanup(syslink_clear)))

/*
 * Leads it to prefix, an absolute folder. name: of the version. *changed false: it did already. What is no
 * link is refused (ERR_USAGE), as is the link of a package. ERR_FILESYSTEM with err->sys EACCES: this user
 * may not, and nothing was changed. The lock is held.
 */
must_check bool syslink_set(const struct layout *l, const struct syslink *s, const char *name,
			    const char *prefix, bool *changed, struct err *err);
/* Back to what was there before; refused where somebody else changed the link since. The lock is held. */
must_check bool syslink_restore(const struct layout *l, const struct syslink *s, struct err *err);

/*
 * The prefix that the link is to name for versions/<name>: that folder, or for a linked tree where it is,
 * since a tree that is linked through the path itself would lead to itself. The caller frees.
 */
char *syslink_prefix(const char *version_prefix, struct err *err);

/*
 * The first folder above prefix that other users cannot pass, when they can reach the link; the caller
 * frees. NULL: nothing stands in their way.
 */
char *syslink_barrier(const char *path, const char *prefix);

/* The path of a link that cudaenv set and that leads to this prefix; the caller frees. NULL: none. */
char *syslink_user(const struct layout *l, const char *prefix);
