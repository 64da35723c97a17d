/* Every nvcc on PATH, and the variables that name a toolkit. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "base/scan.h"
#include "core/facts.h"
#include "core/nvccask.h"
#include "core/toolkits.h"

enum { NVCCS_MAX = 32 };

bool facts_is_shim(const struct facts *f, const char *path)
{
	char shim[PATH_MAX], program[PATH_MAX];
	for (int i = 0; layout_root_path(f->layout, i, "shims", path_base(path), shim, sizeof shim);
	     i++)
		if (layout_root_path(f->layout, i, "shims", ".cudaenv-shim", program,
				     sizeof program) &&
		    (!strcmp(shim, path) || scan_same(program, path)))
			return true;
	return false;
}

static bool is_tree(const char *path)
{
	static const char *const signs[] = {"version.json", "version.txt", "include/cuda.h",
					    "bin/nvcc.profile"};
	for (size_t i = 0; i < ARRAY_LEN(signs); i++) {
		autofree char *sign = xasprintf("%s/%s", path, signs[i]);
		if (access(sign, F_OK) == 0)
			return true;
	}
	return false;
}

/* Cuts the last name off; false: none is left. */
static bool go_up(char *path)
{
	char *slash = strrchr(path, '/');
	if (slash)
		*slash = '\0';
	return slash && slash > path;
}

char *facts_tree_of(const char *nvcc)
{
	autofree char *tree = xstrdup(nvcc);
	return go_up(tree) && go_up(tree) && is_tree(tree) ? take_ptr(tree) : xstrdup("");
}

char *facts_tree_around(const char *folder)
{
	autofree char *tree = xstrdup(folder);
	/* targets/x86_64-linux/lib/stubs */
	for (int i = 0; i < 5; i++) {
		if (is_tree(tree))
			return take_ptr(tree);
		if (!go_up(tree))
			break;
	}
	return xstrdup("");
}

static void take_nvcc(struct facts *f, const char *path)
{
	char build[VERSION_TEXT];
	struct facts_nvcc n = {.path = xstrdup(path), .real = realpath(path, NULL)};
	n.shim = facts_is_shim(f, path);
	if (!n.real)
		n.real = xstrdup(path);
	/* The text of the path where that is a tree: a linked one may have its nvcc elsewhere. */
	n.tree = facts_tree_of(path);
	if (!n.tree[0]) {
		free(n.tree);
		n.tree = facts_tree_of(n.real);
	}
	n.right = n.shim || !f->sel.prefix[0] || (n.tree[0] && scan_same(n.tree, f->sel.prefix));
	if (n.shim)
		snprintf(n.release, sizeof n.release, "%s", f->release);
	else if ((!n.tree[0] || !toolkit_release(n.tree, n.release)) &&
		 !nvcc_ask(path, n.release, build))
		n.release[0] = '\0';
	f->nvccs = array_grow(f->nvccs, f->n_nvccs, sizeof *f->nvccs);
	f->nvccs[f->n_nvccs++] = n;
}

void facts_path(struct facts *f)
{
	const char *p = getenv("PATH");
	for (size_t n; p && *p && f->n_nvccs < NVCCS_MAX; p += n + (p[n] == ':')) {
		struct stat st;
		n = strcspn(p, ":");
		autofree char *path = n ? xasprintf("%.*s/nvcc", (int)n, p) : xstrdup("./nvcc");
		bool seen = false;
		for (size_t i = 0; i < f->n_nvccs; i++)
			seen |= !strcmp(f->nvccs[i].path, path);
		if (!seen && stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0)
			take_nvcc(f, path);
	}
}

static void take_var(struct facts *f, const char *name, bool is_compiler)
{
	const char *value = getenv(name);
	struct stat st;
	if (!value || !value[0])
		return;
	struct facts_var v = {.name = name, .value = xstrdup(value), .tree = xstrdup(value)};
	v.there = stat(value, &st) == 0;
	bool shim = is_compiler && v.there && facts_is_shim(f, value);
	if (is_compiler) {
		autofree char *real = realpath(value, NULL);
		free(v.tree);
		v.tree = shim ? xstrdup(f->sel.prefix) : facts_tree_of(real ? real : value);
	} else if (v.there) {
		autofree char *nvcc = xasprintf("%s/bin/nvcc", value);
		autofree char *header = xasprintf("%s/include/cuda.h", value);
		v.there = access(nvcc, F_OK) == 0 || access(header, F_OK) == 0;
	}
	v.right = shim || !f->sel.prefix[0] || scan_same(v.tree, f->sel.prefix);
	if (v.there && !toolkit_release(v.tree, v.release))
		v.release[0] = '\0';
	f->vars = array_grow(f->vars, f->n_vars, sizeof *f->vars);
	f->vars[f->n_vars++] = v;
}

void facts_vars(struct facts *f)
{
	static const char *const folders[] = {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT",
					      "CUDAToolkit_ROOT", "CUDA_TOOLKIT_ROOT_DIR"};
	for (size_t i = 0; i < ARRAY_LEN(folders); i++)
		take_var(f, folders[i], false);
	take_var(f, "CUDACXX", true);
}
