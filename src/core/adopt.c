#include "core/adopt.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/path.h"
#include "base/tree.h"
#include "core/adopt_places.h"
#include "core/adopt_prefix.h"
#include "core/probe.h"
#include "core/toolkits.h"

const char *adopt_kind_word(enum adopt_kind k)
{
	static const char *const words[] = {
		[ADOPT_SYSTEM] = "system", [ADOPT_HPC] = "hpc",	      [ADOPT_CONDA] = "conda",
		[ADOPT_WHEELS] = "wheels", [ADOPT_DEBIAN] = "debian",
	};
	return words[k];
}

static bool is_there(const char *folder, const char *sub)
{
	autofree char *path = xasprintf("%s/%s", folder, sub);
	return access(path, F_OK) == 0;
}

static bool is_file(const char *folder, const char *sub)
{
	struct stat st;
	autofree char *path = xasprintf("%s/%s", folder, sub);
	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static void up(char *path)
{
	char *slash = strrchr(path, '/');
	slash[slash == path] = '\0';
}

/* nvcc itself or its bin will do as well: the folder above. The caller frees. */
static char *folder_of(const char *path)
{
	struct stat st;
	char *real = realpath(path, NULL);
	if (!real || stat(real, &st) < 0)
		return real;
	if (S_ISREG(st.st_mode))
		up(real);
	if (!strcmp(path_base(real), "bin") && is_file(real, "nvcc"))
		up(real);
	return real;
}

/* /usr, and what the packages of Debian and Ubuntu have for programs that look for NVIDIA's layout. */
static bool is_debian(const char *root, const char *folder)
{
	static const char *const ways[] = {"/usr", "/usr/lib/cuda", "/usr/lib/nvidia-cuda-toolkit"};
	size_t n = strlen(root);
	if (strncmp(folder, root, n) != 0)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(ways); i++)
		if (!strcmp(folder + n, ways[i])) {
			autofree char *usr = xasprintf("%s/usr", root);
			return is_file(usr, "lib/nvidia-cuda-toolkit/bin/nvcc");
		}
	return false;
}

static enum adopt_kind kind_of(const char *folder)
{
	const char *base = path_base(folder);
	if (is_there(folder, "conda-meta"))
		return ADOPT_CONDA;
	if (strstr(folder, "-packages/nvidia/") && !strncmp(base, "cu", 2) &&
	    isdigit((unsigned char)base[2]))
		return ADOPT_WHEELS;
	return strstr(folder, "/hpc_sdk/") ? ADOPT_HPC : ADOPT_SYSTEM;
}

static bool is_ours(const struct layout *l, const char *folder)
{
	char root[PATH_MAX];
	for (int i = 0; layout_root(l, i, root, sizeof root); i++) {
		autofree char *versions = xasprintf("%s/versions", root);
		autofree char *real = realpath(versions, NULL);
		size_t n = real ? strlen(real) : 0;
		if (n && !strncmp(folder, real, n) && folder[n] == '/')
			return true;
	}
	return false;
}

/* The name under which the tree is there already. */
static const char *known_as(const struct toolkits *all, const char *folder)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct toolkit *t = &all->items[i];
		autofree char *leads = t->target ? realpath(t->prefix, NULL) : NULL;
		if (leads && (!strcmp(leads, folder) || !strcmp(t->target, folder)))
			return t->name;
	}
	return NULL;
}

static bool name_is_free(const struct layout *l, const struct adopt *a, const char *name)
{
	char path[PATH_MAX];
	struct stat st;
	for (size_t i = 0; i < a->n; i++)
		if (!strcmp(a->items[i].name, name))
			return false;
	for (int i = 0; layout_root_path(l, i, "versions", name, path, sizeof path); i++)
		if (lstat(path, &st) == 0)
			return false;
	return !layout_root_path(l, 0, "aliases", name, path, sizeof path) || lstat(path, &st) < 0;
}

/* <kind>-<release>, with -2, -3 ... where that is taken. */
static void choose_name(const struct layout *l, const struct adopt *a, struct adopt_tree *t)
{
	char stem[VERSION_TEXT - 8];
	snprintf(stem, sizeof stem, "%s-%.40s", adopt_kind_word(t->kind),
		 t->id.by ? t->id.release : path_base(t->path));
	for (char *p = stem; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("._-", *p))
			*p = '-';
	snprintf(t->name, sizeof t->name, "%s", stem);
	for (int i = 2; i < 1000 && !name_is_free(l, a, t->name); i++)
		snprintf(t->name, sizeof t->name, "%s-%d", stem, i);
}

/* What is missing is asked of what nvcc and others would see. */
static bool fill_lacks(const char *root, struct adopt_tree *t, struct err *err)
{
	const char *tmp = getenv("TMPDIR");
	if (!adopt_prefix_wanted(t->kind)) {
		probe_missing_all(t->path, &t->lacks);
		return true;
	}
	autofree char *into = xasprintf("%s/cudaenv-adopt.XXXXXX", tmp && tmp[0] ? tmp : "/tmp");
	if (!mkdtemp(into))
		return err_sys(err, ERR_FILESYSTEM, "cannot create '%s'", into);
	bool ok = adopt_prefix_fill(root, t->kind, t->path, "", into, err);
	if (ok)
		probe_missing_all(into, &t->lacks);
	struct err ignored;
	return tree_remove(into, ok ? err : &ignored) && ok;
}

static bool has_path(const struct adopt *a, const char *path)
{
	for (size_t i = 0; i < a->n; i++)
		if (!strcmp(a->items[i].path, path))
			return true;
	return false;
}

static bool add_tree(const struct layout *l, const char *root, const struct toolkits *all,
		     enum adopt_kind kind, const char *folder, struct adopt *a, struct err *err)
{
	struct adopt_tree t = {.kind = kind};
	if (has_path(a, folder))
		return true;
	t.path = xstrdup(folder);
	if (!identify_release(root, folder, true, &t.id))
		t.id.by = NULL;
	const char *name = known_as(all, folder);
	t.known = name;
	if (name)
		snprintf(t.name, sizeof t.name, "%s", name);
	else
		choose_name(l, a, &t);
	bool ok = fill_lacks(root, &t, err);
	a->items = array_grow(a->items, a->n, sizeof *a->items);
	a->items[a->n++] = t;
	return ok;
}

/* asked: the user named it, so that it has to be a toolkit. */
static bool look_at(const struct layout *l, const char *root, const struct toolkits *all,
		    const char *path, bool asked, struct adopt *a, struct err *err)
{
	autofree char *folder = folder_of(path);
	if (!folder)
		return !asked || err_sys(err, ERR_FILESYSTEM, "cannot adopt '%s'", path);
	if (is_debian(root, folder)) {
		autofree char *usr = xasprintf("%s/usr", root);
		return add_tree(l, root, all, ADOPT_DEBIAN, usr, a, err);
	}
	bool ours = is_ours(l, folder);
	if (!ours && is_file(folder, "bin/nvcc"))
		return add_tree(l, root, all, kind_of(folder), folder, a, err);
	if (!asked)
		return true;
	if (ours)
		return err_set(err, ERR_USAGE, "'%s' is below versions/ already", path);
	err_set(err, ERR_FILESYSTEM, "cannot adopt '%s': it has no program 'bin/nvcc'", path);
	return err_hint(err,
			"name the folder above the bin that holds nvcc, like /usr/local/cuda-12.4");
}

bool adopt_find(const struct layout *l, const char *root, char *const *paths, struct adopt *out,
		struct err *err)
{
	autoadopt struct adopt a = {0};
	autotoolkits struct toolkits all = {0};
	autostrlist struct strlist places = {0};
	bool asked = paths[0];
	if (!toolkits_read(&all, l, err))
		return false;
	for (; *paths; paths++)
		strlist_add(&places, *paths);
	if (!asked)
		adopt_places(l, root, &places);
	for (size_t i = 0; i < places.n; i++)
		if (!look_at(l, root, &all, places.items[i], asked, &a, err))
			return false;
	*out = a;
	a = (struct adopt){0};
	return true;
}

void adopt_clear(struct adopt *a)
{
	for (size_t i = 0; i < a->n; i++) {
		free(a->items[i].path);
		strlist_clear(&a->items[i].lacks);
	}
	free(a->items);
	*a = (struct adopt){0};
}

static bool link_prefix(const struct layout *l, const char *root, const struct adopt_tree *t,
			const char *link, struct err *err)
{
	autofree char *staging = xasprintf("%s/staging/adopt.%ld", l->root, (long)getpid());
	struct err ignored;
	bool ok = tree_mkdirs(staging, err) &&
		  adopt_prefix_fill(root, t->kind, t->path, t->id.by ? t->id.release : "", staging,
				    err) &&
		  atomic_publish(staging, link, NULL, err);
	return tree_remove(staging, ok ? err : &ignored) && ok;
}

bool adopt_link(const struct layout *l, const char *root, const struct adopt_tree *t,
		struct err *err)
{
	autofree char *folder = xasprintf("%s/versions", l->root);
	autofree char *link = xasprintf("%s/%s", folder, t->name);
	if (!tree_mkdirs(folder, err))
		return false;
	/* Anew also where it is there: packages change. */
	if (adopt_prefix_wanted(t->kind))
		return link_prefix(l, root, t, link, err);
	return t->known || atomic_symlink(t->path, link, err);
}
