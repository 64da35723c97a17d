#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/prefix_parts.h"

/* Length of "libX.so" in "libX.so.13.0.96"; 0 for another name. */
static size_t stem_of(const char *name)
{
	const char *so = strstr(name, ".so.");
	if (!so || strspn(so + 4, "0123456789.") != strlen(so + 4) || !so[4])
		return 0;
	return (size_t)(so - name) + 3;
}

/* Links libX.so, and libX.so.13 where only libX.so.13.0.96 is there, as NVIDIA's archives have
 * them. */
static bool link_chain(int dir, const struct strlist *names, const char *newest, size_t stem,
		       struct err *err)
{
	autofree char *so = xstrndup(newest, stem);
	size_t len = stem + 1 + strcspn(newest + stem + 1, ".");
	autofree char *major = xstrndup(newest, len);
	bool has_major = strlist_has(names, major);
	if (!has_major && newest[len] && strchr(newest + len + 1, '.')) {
		if (!prefix_link(dir, newest, major, err))
			return false;
		has_major = true;
	}
	if (prefix_has(dir, so))
		return true;
	/* A link to a version that is not there. */
	if (unlinkat(dir, so, 0) < 0 && errno != ENOENT)
		return err_sys(err, ERR_FILESYSTEM, "cannot replace '%s'", so);
	return prefix_link(dir, has_major ? major : newest, so, err);
}

bool prefix_link_libs(int dir, struct err *err)
{
	autostrlist struct strlist names = {0};
	prefix_names(dir, "lib", "", &names);
	for (size_t i = 0; i < names.n; i++) {
		const char *name = names.items[i],
			   *next = i + 1 < names.n ? names.items[i + 1] : "";
		size_t stem = stem_of(name);
		/* Sorted by number: the last one of a stem is the newest. */
		if (stem && (stem_of(next) != stem || strncmp(next, name, stem) != 0) &&
		    !link_chain(dir, &names, name, stem, err))
			return false;
	}
	return true;
}

/* Builds look for CUPTI here; archives bring it among the other headers and libraries. */
static bool place_cupti(const struct prefix *p, struct err *err)
{
	if (!prefix_has(p->include, "cupti.h"))
		return true;
	autoclose int dir = prefix_folder(p, "extras/CUPTI", err);
	return dir >= 0 &&
	       (prefix_has(dir, "include") || prefix_link(dir, "../../include", "include", err)) &&
	       (prefix_has(dir, "lib64") || prefix_link(dir, "../../lib64", "lib64", err));
}

bool prefix_libs(const struct prefix *p, struct err *err)
{
	autoclose int nvvm = prefix_open(p, "nvvm/lib64");
	return prefix_link_libs(p->lib, err) && (nvvm < 0 || prefix_link_libs(nvvm, err)) &&
	       place_cupti(p, err);
}
