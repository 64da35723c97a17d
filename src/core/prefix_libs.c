#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/merge.h"
#include "core/prefix_parts.h"

/* Length of "libX.so" in "libX.so.13.0.96"; 0 for another name. */
static size_t stem_of(const char *name)
{
	const char *so = strstr(name, ".so.");
	if (!so || strspn(so + 4, "0123456789.") != strlen(so + 4) || !so[4])
		return 0;
	return (size_t)(so - name) + 3;
}

/*
 * NVIDIA's chain is libX.so -> libX.so.13 -> libX.so.13.0.96. names are sorted, so the last one of
 * a stem is the newest; "libX.so.13" comes before it and is taken when it belongs to it.
 */
static bool link_versionless(int dir, struct err *err)
{
	autostrlist struct strlist names = {0};
	prefix_names(dir, "lib", "", &names);
	for (size_t i = 0; i < names.n; i++) {
		const char *newest = names.items[i];
		size_t stem = stem_of(newest);
		if (!stem)
			continue;
		bool last = i + 1 == names.n || stem_of(names.items[i + 1]) != stem ||
			    strncmp(names.items[i + 1], newest, stem);
		if (!last)
			continue;
		autofree char *so = xstrndup(newest, stem);
		size_t major_len = stem + 1 + strcspn(newest + stem + 1, ".");
		autofree char *major = xstrndup(newest, major_len);
		if (newest[major_len] && !strlist_has(&names, major) &&
		    !prefix_link(dir, newest, major, err))
			return false;
		if (!prefix_has(dir, so)) {
			if (unlinkat(dir, so, 0) < 0 && errno != ENOENT)
				return err_sys(err, ERR_FILESYSTEM, "cannot replace '%s'", so);
			if (!prefix_link(dir, major, so, err))
				return false;
		}
	}
	return true;
}

static bool also_in(const struct prefix *p, int from, const char *name, const char *folder,
		    struct err *err)
{
	autoclose int to = prefix_folder(p, folder, err);
	if (to < 0)
		return false;
	if (!merge_file(from, name, to, name) && errno != EEXIST)
		return err_sys(err, ERR_FILESYSTEM, "cannot put '%s' into '%s'", name, folder);
	return true;
}

/* Wheels bring libnvvm and its header among the others; NVIDIA's place for them is nvvm/. */
static bool place_nvvm(const struct prefix *p, struct err *err)
{
	autostrlist struct strlist names = {0};
	prefix_names(p->lib, "libnvvm.so.", "", &names);
	for (size_t i = 0; i < names.n; i++)
		if (!also_in(p, p->lib, names.items[i], "nvvm/lib64", err))
			return false;
	if (prefix_has(p->include, "nvvm.h") &&
	    !also_in(p, p->include, "nvvm.h", "nvvm/include", err))
		return false;
	autoclose int dir = prefix_open(p, "nvvm/lib64");
	return dir < 0 || link_versionless(dir, err);
}

/* Builds look for CUPTI here; wheels bring it among the other headers and libraries. */
static bool place_cupti(const struct prefix *p, struct err *err)
{
	if (!prefix_has(p->include, "cupti.h") || prefix_has(p->root, "extras/CUPTI"))
		return true;
	autoclose int dir = prefix_folder(p, "extras/CUPTI", err);
	return dir >= 0 && prefix_link(dir, "../../include", "include", err) &&
	       prefix_link(dir, "../../lib64", "lib64", err);
}

bool prefix_libs(const struct prefix *p, struct err *err)
{
	return link_versionless(p->lib, err) && place_nvvm(p, err) && place_cupti(p, err);
}
