#include "base/cmakecache.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/path.h"
#include "base/scan.h"

enum { NAMES_MAX = 4096 }; /* entries of one folder */

/* A cache while it is read. */
struct cache {
	const struct layout *l;
	const struct selection *s;
	bool unclear; /* the compiler is a shim, a clang or a bare word */
	struct cmakecache *out;
};

size_t cmakecache_version(const struct layout *l, const char *path, const char **name, size_t *len)
{
	char versions[PATH_MAX];
	for (int i = 0; layout_root_path(l, i, "versions", "x", versions, sizeof versions); i++) {
		size_t n = strlen(versions) - 1;
		if (strncmp(path, versions, n) != 0 || !path[n])
			continue;
		*name = path + n;
		*len = strcspn(*name, "/");
		return n + *len;
	}
	return 0;
}

static bool is_shim(const struct layout *l, const char *path)
{
	char shim[PATH_MAX];
	for (int i = 0; layout_root_path(l, i, "shims", path_base(path), shim, sizeof shim); i++)
		if (!strcmp(shim, path))
			return true;
	return false;
}

static bool is_part(const char *at, const char *end, const char *name)
{
	size_t n = strlen(name);
	return (size_t)(end - at) == n && !memcmp(at, name, n);
}

/* Cuts a path into a toolkit ("P/bin/nvcc", "P/targets/x86_64-linux/include") down to P. */
static void cut_to_tree(char *path)
{
	static const char *const folders[] = {"bin", "lib", "lib64", "include"};
	for (char *end = path + strlen(path); end > path;) {
		char *at = end;
		while (at > path && at[-1] != '/')
			at--;
		for (size_t i = 0; i < ARRAY_LEN(folders); i++)
			if (is_part(at, end, folders[i])) {
				char *targets = strstr(path, "/targets/");
				at = targets && targets < at ? targets + 1 : at;
				at[at - 1 > path ? -1 : 0] = '\0';
				return;
			}
		end = at > path ? at - 1 : path;
	}
}

/* A path that the cache names: where it leads into another toolkit than the selected one. */
static void judge(struct cache *c, const char *value, bool is_tree)
{
	const char *name;
	char tree[PATH_MAX];
	size_t len, n = strlen(value);
	if (value[0] != '/' || n >= sizeof tree || c->out->foreign[0])
		return;
	memcpy(tree, value, n + 1);
	size_t ours = cmakecache_version(c->l, tree, &name, &len);
	if (ours)
		tree[ours] = '\0';
	else if (!is_tree && !realpath(value, tree))
		memcpy(tree, value, n + 1);
	if (!ours && !is_tree)
		cut_to_tree(tree);
	/* With the system's selected any of its own is right. */
	if (c->s->prefix[0] ? scan_same(tree, c->s->prefix)
			    : !cmakecache_version(c->l, tree, &name, &len))
		return;
	memcpy(c->out->foreign, tree, strlen(tree) + 1);
}

static void copy(char *out, size_t cap, const char *s)
{
	size_t n = strlen(s);
	if (n < cap)
		memcpy(out, s, n + 1);
}

/* libcublas.so and its like; the driver's own libraries are no toolkit's. */
static bool is_toolkit_library(const char *file)
{
	static const char *const begin[] = {"libcu", "libnv", "libnpp"};
	for (size_t i = 0; i < ARRAY_LEN(begin); i++)
		if (!strncmp(file, begin[i], strlen(begin[i])))
			return strncmp(file, "libcuda.", 8) != 0 &&
			       strncmp(file, "libnvidia-", 10) != 0 &&
			       strncmp(file, "libcudnn", 8) != 0;
	return false;
}

/* CUDA_<name>_LIBRARY: CMake looks in /usr/local and the like for what the toolkit has not. */
static void judge_library(struct cache *c, const char *line, const char *value)
{
	static const char key[] = "_LIBRARY:FILEPATH=";
	char own[PATH_MAX], real[PATH_MAX], prefix[PATH_MAX];
	size_t n = strlen(c->s->prefix);
	bool is_library = !strncmp(line, "CUDA_", 5) && strstr(line, key) && value[0] == '/' &&
			  is_toolkit_library(path_base(value));
	if (!is_library || !n || c->out->filler[0])
		return;
	/* A word in place of a library, see core/lacks.h. */
	if (strstr(value, "/.cudaenv/lacks/"))
		copy(c->out->filler, sizeof c->out->filler, value);
	if (c->out->filler[0] || (!strncmp(value, c->s->prefix, n) && value[n] == '/') ||
	    !realpath(value, real) || !realpath(c->s->prefix, prefix))
		return;
	n = strlen(prefix);
	bool has = path_join(own, sizeof own, c->s->prefix, "lib64") &&
		   path_join(own, sizeof own, own, path_base(value)) && access(own, F_OK) == 0;
	if (!has && (strncmp(real, prefix, n) != 0 || real[n] != '/'))
		copy(c->out->filler, sizeof c->out->filler, value);
}

static const char *value_of(char *line, const char *key)
{
	size_t n = strlen(key);
	char *value = line[n] == ':' && !memcmp(line, key, n) ? strchr(line + n, '=') : NULL;
	return value ? value + 1 : NULL;
}

static void cache_line(void *ctx, char *line)
{
	/* FindCUDAToolkit and the older FindCUDA; without the language these are all there is. */
	static const struct {
		const char *key;
		bool is_tree;
	} paths[] = {
		{"CUDAToolkit_ROOT", true},
		{"CUDA_TOOLKIT_ROOT_DIR", true},
		{"CUDAToolkit_NVCC_EXECUTABLE", false},
		{"CUDAToolkit_BIN_DIR", false},
		{"CUDA_CUDART", false},
		{"CUDA_cudart_LIBRARY", false},
	};
	static const char *const numbers[] = {"CMAKE_CACHE_MAJOR_VERSION",
					      "CMAKE_CACHE_MINOR_VERSION",
					      "CMAKE_CACHE_PATCH_VERSION"};
	struct cache *c = ctx;
	const char *value, *name;
	size_t len;
	/* pkg_check_modules: no key tells whose these are, their place does. */
	if (!strncmp(line, "pkgcfg_lib_", 11) && (value = strchr(line, '=')) &&
	    cmakecache_version(c->l, value + 1, &name, &len))
		judge(c, value + 1, false);
	if (line[0] != 'C')
		return;
	if ((value = value_of(line, "CMAKE_CUDA_COMPILER"))) {
		c->unclear = value[0] != '/' || strcmp(path_base(value), "nvcc") != 0 ||
			     is_shim(c->l, value);
		if (!c->unclear)
			judge(c, value, false);
	}
	for (size_t i = 0; i < ARRAY_LEN(paths); i++)
		if ((value = value_of(line, paths[i].key)) && !is_shim(c->l, value))
			judge(c, value, paths[i].is_tree);
	if (line[1] == 'U' && (value = strchr(line, '=')))
		judge_library(c, line, value + 1);
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		if ((value = value_of(line, numbers[i])))
			c->out->cmake[i] = (int)strtol(value, NULL, 10);
	if ((value = value_of(line, "CMAKE_GENERATOR")))
		copy(c->out->generator, sizeof c->out->generator, value);
	if ((value = value_of(line, "CMAKE_HOME_DIRECTORY")))
		copy(c->out->home, sizeof c->out->home, value);
}

/* set(CMAKE_CUDA_COMPILER_TOOLKIT_ROOT "/p"); before CMake 3.20 only the folder of headers tells. */
static void compiler_line(void *ctx, char *line)
{
	static const char root[] = "set(CMAKE_CUDA_COMPILER_TOOLKIT_ROOT \"";
	static const char headers[] = "set(CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES \"";
	bool is_tree = !strncmp(line, root, sizeof root - 1);
	if (!is_tree && strncmp(line, headers, sizeof headers - 1) != 0)
		return;
	char *value = line + (is_tree ? sizeof root : sizeof headers) - 1;
	value[strcspn(value, "\";")] = '\0';
	judge(ctx, value, is_tree);
}

struct names {
	struct cache *cache;
	const char *folder;
	int left;
};

static bool compiler_file(void *ctx, const char *name, unsigned char type)
{
	struct names *n = ctx;
	char path[PATH_MAX];
	if (name[0] >= '0' && name[0] <= '9' && path_join(path, sizeof path, n->folder, name) &&
	    path_join(path, sizeof path, path, "CMakeCUDACompiler.cmake"))
		scan_lines(path, compiler_line, n->cache);
	return --n->left > 0;
}

bool cmakecache_read(struct cmakecache *out, const struct layout *l, const struct selection *s,
		     const char *folder)
{
	struct cache c = {.l = l, .s = s, .out = out};
	char path[PATH_MAX];
	*out = (struct cmakecache){0};
	if (!path_join(path, sizeof path, folder, "CMakeCache.txt") ||
	    !scan_lines(path, cache_line, &c))
		return false;
	if (c.unclear && !out->foreign[0] && path_join(path, sizeof path, folder, "CMakeFiles"))
		scan_folder(path, compiler_file,
			    &(struct names){.cache = &c, .folder = path, .left = NAMES_MAX});
	return true;
}
