#pragma once
/* The versions that are here: those installed below a root, and existing trees that were linked. */
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/layout.h"
#include "base/version.h"

struct toolkit {
	char *name;
	char *prefix; /* <root>/versions/<name> */
	char *target; /* text of the link, or the tree that a prefix of links is for; NULL: installed */
	bool dangling;	  /* the link leads nowhere */
	bool shared;	  /* below one of CUDAENV_SHARED_ROOTS */
	struct version v; /* of the name; n 0: it is no number */
};
struct toolkits {
	struct toolkit *items; /* numbers first, newest first, then names */
	size_t n;
};

/* Of two roots that have the same name the first one counts. A root without versions/ holds none. */
must_check bool toolkits_read(struct toolkits *t, const struct layout *l, struct err *err);
void toolkits_clear(struct toolkits *t);
#define autotoolkits __attribute__((cleanup(toolkits_clear)))

/* The CUDA release of a tree, which for a linked one is not its name, as its files tell; see identify.h. */
bool toolkit_release(const char *prefix, char out[VERSION_TEXT]);
/* The tree that a prefix of links below versions/ was made for (adopt_prefix.h); the caller frees. NULL: it is
 * none of these. */
char *toolkit_adopted(const char *prefix);
/* nvcc's own number, from the record or version.json. false: neither says. */
bool toolkit_nvcc(const char *prefix, char out[VERSION_TEXT]);
