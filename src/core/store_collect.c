#include "core/store.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/tree.h"
#include "core/products.h"
#include "core/record.h"
#include "ext/digest.h"

/* The components of all versions of this root. A folder without a record is none of ours and names
 * none. */
static bool add_version(const char *folder, const char *name, struct strlist *used, struct err *err)
{
	autofree char *prefix = xasprintf("%s/%s", folder, name);
	struct record r = {0};
	if (!record_read(prefix, &r, err)) {
		err_hint(err,
			 "nothing is removed as long as it is not known what %s uses: "
			 "install it anew with --force, or uninstall it",
			 name);
		return err->sys == ENOENT || err->sys == ENOTDIR;
	}
	for (size_t i = 0; i < r.release.n; i++)
		strlist_add(used, r.release.components[i].sha256);
	record_clear(&r);
	return true;
}

static bool add_folder(const struct layout *l, const char *sub, struct strlist *used,
		       struct err *err)
{
	autofree char *folder = xasprintf("%s/%s", l->root, sub);
	autodir DIR *d = opendir(folder);
	if (!d && errno != ENOENT)
		return err_sys(err, ERR_FILESYSTEM, "cannot open folder '%s'", folder);
	for (struct dirent *e; d && (e = readdir(d));)
		if (e->d_name[0] != '.' && !add_version(folder, e->d_name, used, err))
			return false;
	return true;
}

static bool find_used(const struct layout *l, struct strlist *used, struct err *err)
{
	for (size_t i = 0; products[i].name; i++)
		if (!add_folder(l, products[i].name, used, err))
			return false;
	return add_folder(l, "versions", used, err);
}

/* Without its component.json it is no entry, however much of it is left. */
bool store_remove(const struct layout *l, const char *sha256, uint64_t *freed, struct err *err)
{
	autofree char *from = xasprintf("%s/store/%s", l->root, sha256);
	autofree char *record = xasprintf("%s/component.json", from);
	autofree char *staging = xasprintf("%s/staging", l->root);
	autofree char *to = xasprintf("%s/gone-%s", staging, sha256);
	struct tree_use use;
	if (!tree_usage(from, &use, err) || !tree_mkdirs(staging, err) || !tree_remove(to, err))
		return false;
	if (unlink(record) < 0 && errno != ENOENT)
		return err_sys(err, ERR_FILESYSTEM, "cannot remove '%s'", record);
	if (!atomic_remove(from, to, err))
		return false;
	*freed += use.bytes - use.shared;
	return true;
}

bool store_unused(const struct layout *l, struct strlist *out, struct err *err)
{
	autostrlist struct strlist used = {0};
	autofree char *store = xasprintf("%s/store", l->root);
	if (!find_used(l, &used, err))
		return false;
	autodir DIR *d = opendir(store);
	if (!d && errno != ENOENT)
		return err_sys(err, ERR_FILESYSTEM, "cannot open folder '%s'", store);
	for (struct dirent *e; d && (e = readdir(d));)
		if (digest_is_sha256(e->d_name) && !strlist_has(&used, e->d_name))
			strlist_add(out, e->d_name);
	return true;
}

bool store_collect(const struct layout *l, uint64_t *freed, struct err *err)
{
	autostrlist struct strlist unused = {0};
	uint64_t bytes = 0;
	if (!store_unused(l, &unused, err))
		return false;
	for (size_t i = 0; i < unused.n; i++)
		if (!store_remove(l, unused.items[i], &bytes, err))
			return false;
	*freed = bytes;
	return true;
}
