#include "core/uninstall.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/attr.h"
#include "base/path.h"
#include "base/tree.h"
#include "core/store.h"
#include "core/toolkits.h"

bool uninstall_version(const struct layout *l, const char *name, uint64_t *freed, struct err *err)
{
	struct stat st;
	struct tree_use use = {0};
	uint64_t collected = 0;
	if (!path_safe_component(name))
		return err_set(err, ERR_USAGE, "'%s' is no version's name", name);
	autofree char *prefix = xasprintf("%s/versions/%s", l->root, name);
	autofree char *staging = xasprintf("%s/staging", l->root);
	autofree char *trash = xasprintf("%s/remove.%ld.%s", staging, (long)getpid(), name);
	if (lstat(prefix, &st) < 0) {
		if (errno != ENOENT)
			return err_sys(err, ERR_FILESYSTEM, "cannot stat '%s'", prefix);
		err_set(err, ERR_NOT_INSTALLED, "version '%s' is not installed", name);
		return err_hint(err, "see 'cudaenv versions'");
	}
	autofree char *adopted = toolkit_adopted(prefix);
	if (S_ISLNK(st.st_mode) || adopted) {
		err_set(err, ERR_USAGE, "'%s' is a linked toolkit, not one installed here", name);
		return err_hint(err, "run 'cudaenv unlink %s'; the toolkit itself stays", name);
	}
	if (!tree_usage(prefix, &use, err) || !tree_mkdirs(staging, err))
		return false;
	/* Once it has left its name a stop leaves only what the next run cleans up. */
	if (!atomic_remove(prefix, trash, err) || !store_collect(l, &collected, err))
		return false;
	*freed = use.bytes - use.shared + collected;
	return true;
}
