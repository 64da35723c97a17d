#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/prefix_parts.h"

/* Tools that live in a folder of their own, with or without a version in between, and their
 * program. */
static const struct tool {
	const char *name, *folder, *program;
} tools[] = {
	{"compute-sanitizer", "compute-sanitizer", "compute-sanitizer"},
	{"ncu", "nsight-compute", "ncu"},
	{"ncu-ui", "nsight-compute", "ncu-ui"},
	{"nsys", "nsight-systems", "bin/nsys"},
	{"nsys", "nsight-systems", "nsys"},
};

static bool is_program(int dir, const char *rel)
{
	struct stat st;
	return fstatat(dir, rel, &st, 0) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 0100);
}

/* The path becomes text of a shell script, so a name with other characters is passed over. */
static bool is_plain(const char *name)
{
	return strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-") ==
	       strlen(name);
}

/* Looks into the folder and those in it: path relative to the prefix, NULL: not there. */
static char *find_in(const struct prefix *p, const char *folder, const char *program)
{
	char *best = NULL;
	autostrlist struct strlist subs = {0};
	autoclose int dir = prefix_open(p, folder);
	if (dir < 0 || !is_plain(folder))
		return NULL;
	if (is_program(dir, program))
		return xasprintf("%s/%s", folder, program);
	prefix_names(dir, "", "", &subs);
	for (size_t i = 0; i < subs.n; i++) {
		autofree char *rel = xasprintf("%s/%s", subs.items[i], program);
		if (!is_plain(subs.items[i]) || !is_program(dir, rel))
			continue;
		attr_free(&best);
		best = xasprintf("%s/%s", folder, rel);
	}
	return best;
}

/* The newest of <folder>*: path relative to the prefix, NULL: none. */
static char *find_program(const struct prefix *p, const struct tool *t)
{
	autostrlist struct strlist folders = {0};
	char *best = NULL;
	prefix_names(p->root, t->folder, "", &folders);
	for (size_t i = 0; i < folders.n; i++) {
		char *found = find_in(p, folders.items[i], t->program);
		if (!found)
			continue;
		attr_free(&best);
		best = found;
	}
	return best;
}

/*
 * A script, not a link: some of these programs are scripts themselves that look for their folder by
 * the name they were called with.
 */
static bool add_tool(const struct prefix *p, int bin, const struct tool *t, struct err *err)
{
	if (prefix_has(bin, t->name))
		return true;
	autofree char *program = find_program(p, t);
	if (!program)
		return true;
	autofree char *text = xasprintf("#!/bin/sh\n"
					"here=$(readlink -f -- \"$0\")\n"
					"exec \"${here%%/*}/../%s\" \"$@\"\n",
					program);
	return prefix_write(bin, t->name, text, strlen(text), 0755, err);
}

bool prefix_tools(const struct prefix *p, struct err *err)
{
	autoclose int bin = prefix_folder(p, "bin", err);
	if (bin < 0)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(tools); i++)
		if (!add_tool(p, bin, &tools[i], err))
			return false;
	return true;
}
