#include "core/local_place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/bundle_tar.h"
#include "core/pyurl.h"

bool local_place_split(const char *path, char **file)
{
	struct stat st;
	autofree char *front = xstrdup(path);
	if (stat(path, &st) == 0 || errno != ENOTDIR)
		return false;
	for (char *slash; (slash = strrchr(front, '/')) && slash != front;) {
		*slash = '\0';
		if (stat(front, &st) < 0)
			continue;
		if (!S_ISREG(st.st_mode))
			return false;
		*file = take_ptr(front);
		return true;
	}
	return false;
}

bool local_place_member(const char *path, bool *found, struct local_place *out, struct err *err)
{
	autobundle struct bundle_index x = {0};
	autofree char *file = NULL;
	*found = local_place_split(path, &file);
	if (!*found)
		return true;
	if (!bundle_index_read(file, &x, err))
		return false;
	const char *name = path + strlen(file) + 1;
	const struct bundle_member *m = bundle_index_find(&x, name);
	if (!m) {
		err_set(err, ERR_NETWORK, "'%s' has no member '%s'", file, name);
		err->sys = ENOENT;
		return false;
	}
	*out = (struct local_place){.path = take_ptr(file), .offset = m->offset, .size = m->size};
	return true;
}

static bool is_there(const struct component *c, const char *path)
{
	struct stat st;
	if (stat(path, &st) < 0)
		return false;
	if (c->kind == ARCHIVE_FOLDER)
		return S_ISDIR(st.st_mode);
	return S_ISREG(st.st_mode) && (!c->size || (uint64_t)st.st_size == c->size);
}

static bool look(const struct component *c, const char *path, struct local_place *out)
{
	struct local_place p = {0};
	struct err ignored;
	bool found = false;
	if (is_there(c, path)) {
		*out = (struct local_place){.path = xstrdup(path)};
		return true;
	}
	if (!local_place_member(path, &found, &p, &ignored) || !found)
		return false;
	/* An empty part would be taken for the whole. */
	bool ok = p.size && (!c->size || p.size == c->size);
	if (ok)
		*out = p;
	else
		local_place_clear(&p);
	return ok;
}

bool local_place_find(const struct component *c, struct local_place *out)
{
	struct local_place only = {0};
	bool one = false;
	for (size_t i = 0; i < c->urls.n; i++) {
		struct local_place p = {0};
		autofree char *path = pyurl_to_path(c->urls.items[i]);
		bool here = path && look(c, path, &p);
		if (path && !here)
			continue;
		if (!path || one) {
			local_place_clear(&p);
			local_place_clear(&only);
			return false;
		}
		only = p;
		one = true;
	}
	if (one)
		*out = only;
	return one;
}

void local_place_clear(struct local_place *p)
{
	free(p->path);
	*p = (struct local_place){0};
}
