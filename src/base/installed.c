#include "base/installed.h"

#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "base/scan.h"

struct collect {
	struct installed *out;
	const char *root, *tool;
};

static bool has_tool(const char *root, const char *name, const char *tool)
{
	char path[PATH_MAX];
	return path_join(path, sizeof path, root, name) &&
	       path_join(path, sizeof path, path, "bin") &&
	       path_join(path, sizeof path, path, tool) && access(path, X_OK) == 0;
}

/* Numbers before names, newest first. */
static int order(const char *a, const char *b)
{
	struct version va, vb;
	bool na = version_parse(a, strlen(a), &va), nb = version_parse(b, strlen(b), &vb);
	if (na != nb)
		return na ? -1 : 1;
	int c = na ? version_compare(&vb, &va) : 0;
	return c ? c : strcmp(a, b);
}

static void insert(struct installed *v, const char *name)
{
	int at = 0;
	while (at < v->n && order(v->name[at], name) < 0)
		at++;
	if (at < v->n && !strcmp(v->name[at], name))
		return;
	if (v->n == INSTALLED_MAX)
		v->more = true;
	if (at == INSTALLED_MAX)
		return;
	v->n += v->n < INSTALLED_MAX;
	memmove(v->name[at + 1], v->name[at], (size_t)(v->n - 1 - at) * VERSION_TEXT);
	memcpy(v->name[at], name, strlen(name) + 1);
}

static bool collect(void *ctx, const char *name, unsigned char type)
{
	struct collect *c = ctx;
	if (name[0] != '.' && (type == DT_DIR || type == DT_LNK || type == DT_UNKNOWN) &&
	    strlen(name) < VERSION_TEXT && (!c->tool || has_tool(c->root, name, c->tool)))
		insert(c->out, name);
	return true;
}

void installed_list(const struct layout *l, const char *tool, struct installed *out)
{
	char root[PATH_MAX];
	struct collect c = {.out = out, .root = root, .tool = tool};
	out->n = 0;
	out->more = false;
	for (int i = 0; layout_root(l, i, root, sizeof root); i++)
		if (path_join(root, sizeof root, root, "versions"))
			scan_folder(root, collect, &c);
}

const char *installed_words(const struct installed *v, char *out, size_t cap)
{
	static const char none[] = "none", rest[] = ", ...";
	size_t len = 0;
	bool cut = v->more;
	for (int i = 0; i < v->n; i++) {
		size_t n = strlen(v->name[i]), sep = i ? 2 : 0;
		if (len + sep + n + sizeof rest > cap) {
			cut = true;
			break;
		}
		memcpy(out + len, ", ", sep);
		memcpy(out + len + sep, v->name[i], n);
		len += sep + n;
	}
	out[len] = '\0';
	if (v->n == 0)
		memcpy(out, none, sizeof none);
	else if (cut)
		memcpy(out + len, rest, sizeof rest);
	return out;
}
