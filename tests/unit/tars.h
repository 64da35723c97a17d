#pragma once
/* The archives of tests/data/mktar.py, made once a program below the folder "tars" of a scratch folder. */
#include "scratch.h"

#include <dirent.h>

#include "base/proc.h"

static inline int tars_make(void **state)
{
	struct err err;
	struct proc_result r;
	autofree char *script = xasprintf("%s/tests/data/mktar.py", getenv("SOURCE_ROOT"));
	const char *argv[] = {"python3", script, "tars", NULL};
	if (scratch_enter(state) < 0 || !proc_run(&(struct proc){.argv = argv}, &r, &err) ||
	    r.status != 0)
		return -1;
	proc_result_clear(&r);
	return 0;
}

/* The names below "tars" that begin so; at least one must be there. */
static inline void tars_named(const char *prefix, struct strlist *out)
{
	autodir DIR *d = opendir("tars");
	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));)
		if (strncmp(e->d_name, prefix, strlen(prefix)) == 0)
			strlist_add(out, e->d_name);
	assert_true(out->n > 0);
}
