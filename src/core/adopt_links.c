#include "core/adopt_links.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/scan.h"
#include "base/tree.h"

bool adopt_tie(const char *into, const char *rel, const char *target, struct err *err)
{
	autofree char *path = xasprintf("%s/%s", into, rel);
	autofree char *folder = xstrndup(path, (size_t)(strrchr(path, '/') - path));
	if (!tree_mkdirs(folder, err))
		return false;
	return symlink(target, path) == 0 || errno == EEXIST ||
	       err_sys(err, ERR_FILESYSTEM, "cannot create link '%s'", path);
}

struct tying {
	const char *into, *rel, *folder;
	bool (*want)(const char *name);
	struct err *err;
	bool failed;
};

static bool tie_one(void *ctx, const char *name, unsigned char type)
{
	struct tying *t = ctx;
	autofree char *rel = xasprintf("%s/%s", t->rel, name);
	autofree char *target = xasprintf("%s/%s", t->folder, name);
	if (!t->want || t->want(name))
		t->failed = !adopt_tie(t->into, rel, target, t->err);
	return !t->failed;
}

bool adopt_tie_all(const char *into, const char *rel, const char *folder,
		   bool (*want)(const char *name), struct err *err)
{
	struct tying t = {into, rel, folder, want, err, false};
	if (!scan_folder(folder, tie_one, &t) && errno != ENOENT && errno != ENOTDIR)
		return err_sys(err, ERR_FILESYSTEM, "cannot read '%s'", folder);
	return !t.failed;
}

static bool add_name(void *ctx, const char *name, unsigned char type)
{
	strlist_add(ctx, name);
	return true;
}

bool adopt_tie_plain(const char *into, const char *rel, struct err *err)
{
	autostrlist struct strlist names = {0};
	autofree char *folder = xasprintf("%s/%s", into, rel);
	scan_folder(folder, add_name, &names);
	for (size_t i = 0; i < names.n; i++) {
		const char *so = strstr(names.items[i], ".so.");
		if (!so || strncmp(names.items[i], "lib", 3) != 0)
			continue;
		autofree char *plain =
			xasprintf("%s/%.*s", rel, (int)(so - names.items[i]) + 3, names.items[i]);
		if (!adopt_tie(into, plain, names.items[i], err))
			return false;
	}
	return true;
}
