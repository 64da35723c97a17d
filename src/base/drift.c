#include "base/drift.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/path.h"
#include "base/scan.h"

/* LINE: longer lines are skipped. NAMES: entries of one folder. */
enum { LINE = 8192, CACHE_MAX = 16 << 20, TRIES_MAX = 64, NAMES_MAX = 4096 };

struct search;

/* What one cache says. */
struct cache {
	const struct search *in;
	bool unclear;		/* the compiler is a shim, a clang or a bare word */
	char foreign[PATH_MAX]; /* a toolkit that it names and that is not the selected one */
	char filler
		[PATH_MAX]; /* a library that it took from elsewhere; the selected one lacks it */
	char generator[64], home[PATH_MAX];
	int cmake[3];
};

struct search {
	const struct layout *l;
	const struct selection *s;
	int tries, found;
	char folder[PATH_MAX]; /* the one to tell of: the first by name */
	struct cache cache;
};

typedef void line_fn(void *ctx, char *line);

static bool each_line(const char *path, line_fn *fn, void *ctx)
{
	char text[LINE];
	struct stat st;
	size_t have = 0;
	bool skip = false;
	autoclose int fd = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > CACHE_MAX)
		return false;
	for (;;) {
		ssize_t n = read(fd, text + have, sizeof text - 1 - have);
		if (n <= 0)
			return n == 0;
		have += (size_t)n;
		char *line = text, *nl;
		for (; (nl = memchr(line, '\n', (size_t)(text + have - line))); line = nl + 1) {
			nl[nl > line && nl[-1] == '\r' ? -1 : 0] = '\0';
			if (!skip)
				fn(ctx, line);
			skip = false;
		}
		have -= (size_t)(line - text);
		memmove(text, line, have);
		if (have == sizeof text - 1) {
			skip = true;
			have = 0;
		}
	}
}

/* "<root>/versions/<name>" at the start of path: its length, and the name. 0: not ours. */
static size_t in_version(const struct layout *l, const char *path, const char **name, size_t *len)
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

static bool is_same_folder(const char *a, const char *b)
{
	struct stat x, y;
	return !strcmp(a, b) || (stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
				 x.st_ino == y.st_ino);
}

/* A path that the cache names: where it leads into another toolkit than the selected one. */
static void judge(struct cache *c, const char *value, bool is_tree)
{
	const struct search *in = c->in;
	const char *name;
	char tree[PATH_MAX];
	size_t len, n = strlen(value);
	if (value[0] != '/' || n >= sizeof tree || c->foreign[0])
		return;
	memcpy(tree, value, n + 1);
	size_t ours = in_version(in->l, tree, &name, &len);
	if (ours)
		tree[ours] = '\0';
	else if (!is_tree && !realpath(value, tree))
		memcpy(tree, value, n + 1);
	if (!ours && !is_tree)
		cut_to_tree(tree);
	/* With the system's selected any of its own is right. */
	if (in->s->prefix[0] ? is_same_folder(tree, in->s->prefix)
			     : !in_version(in->l, tree, &name, &len))
		return;
	memcpy(c->foreign, tree, strlen(tree) + 1);
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
	const struct search *in = c->in;
	char own[PATH_MAX], real[PATH_MAX], prefix[PATH_MAX];
	size_t n = strlen(in->s->prefix);
	bool is_library = !strncmp(line, "CUDA_", 5) && strstr(line, key) && value[0] == '/' &&
			  is_toolkit_library(path_base(value));
	if (!is_library || !n || c->filler[0] ||
	    (!strncmp(value, in->s->prefix, n) && value[n] == '/') || !realpath(value, real) ||
	    !realpath(in->s->prefix, prefix))
		return;
	n = strlen(prefix);
	bool has = path_join(own, sizeof own, in->s->prefix, "lib64") &&
		   path_join(own, sizeof own, own, path_base(value)) && access(own, F_OK) == 0;
	if (!has && (strncmp(real, prefix, n) != 0 || real[n] != '/'))
		copy(c->filler, sizeof c->filler, value);
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
	const char *value;
	if (line[0] != 'C')
		return;
	if ((value = value_of(line, "CMAKE_CUDA_COMPILER"))) {
		c->unclear = value[0] != '/' || strcmp(path_base(value), "nvcc") != 0 ||
			     is_shim(c->in->l, value);
		if (!c->unclear)
			judge(c, value, false);
	}
	for (size_t i = 0; i < ARRAY_LEN(paths); i++)
		if ((value = value_of(line, paths[i].key)) && !is_shim(c->in->l, value))
			judge(c, value, paths[i].is_tree);
	if (line[1] == 'U' && (value = strchr(line, '=')))
		judge_library(c, line, value + 1);
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		if ((value = value_of(line, numbers[i])))
			c->cmake[i] = (int)strtol(value, NULL, 10);
	if ((value = value_of(line, "CMAKE_GENERATOR")))
		copy(c->generator, sizeof c->generator, value);
	if ((value = value_of(line, "CMAKE_HOME_DIRECTORY")))
		copy(c->home, sizeof c->home, value);
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
		each_line(path, compiler_line, n->cache);
	return --n->left > 0;
}

static bool read_cache(const struct search *in, const char *folder, struct cache *c)
{
	char path[PATH_MAX];
	*c = (struct cache){.in = in};
	if (!path_join(path, sizeof path, folder, "CMakeCache.txt") ||
	    !each_line(path, cache_line, c))
		return false;
	if (c->unclear && !c->foreign[0] && path_join(path, sizeof path, folder, "CMakeFiles"))
		scan_folder(path, compiler_file,
			    &(struct names){.cache = c, .folder = path, .left = NAMES_MAX});
	return true;
}

/* Whether CMake configured this folder. */
static bool look(struct search *in, const char *folder)
{
	struct cache c;
	in->tries++;
	if (!read_cache(in, folder, &c))
		return false;
	if ((c.foreign[0] || c.filler[0]) && (!in->found++ || strcmp(folder, in->folder) < 0)) {
		copy(in->folder, sizeof in->folder, folder);
		in->cache = c;
	}
	return true;
}

struct walk {
	struct search *in;
	const char *folder; /* "": the working folder */
	int depth, left;
};

static bool is_build_folder(const char *name)
{
	return !strcmp(name, "build") || !strcmp(name, "out") || !strncmp(name, "build-", 6) ||
	       !strncmp(name, "cmake-build-", 12);
}

/* build, out/X and out/build/X. */
static bool entry(void *ctx, const char *name, unsigned char type)
{
	struct walk *w = ctx;
	char path[PATH_MAX];
	bool is_folder = type == DT_DIR || type == DT_LNK || type == DT_UNKNOWN;
	if (name[0] != '.' && is_folder && (w->depth || is_build_folder(name)) &&
	    path_join(path, sizeof path, w->folder, name) && !look(w->in, path) &&
	    (w->depth == 0 || (w->depth == 1 && !strcmp(name, "build"))))
		scan_folder(path, entry,
			    &(struct walk){w->in, path, w->depth + 1, .left = NAMES_MAX});
	return --w->left > 0 && w->in->tries < TRIES_MAX;
}

static void look_in(struct search *in, const char *folder)
{
	look(in, folder[0] ? folder : ".");
	scan_folder(folder[0] ? folder : ".", entry, &(struct walk){in, folder, .left = NAMES_MAX});
}

/* The project's folder, where that is not the working folder. */
static bool project(const struct selection *s, char out[PATH_MAX])
{
	if (s->origin != ORIGIN_FILE)
		return false;
	copy(out, PATH_MAX, s->origin_path);
	char *slash = strrchr(out, '/');
	if (!slash || slash == out)
		return false;
	*slash = '\0';
	return !is_same_folder(out, ".");
}

/* A word of a command line. */
static const char *quoted(const char *s, char *out, size_t cap)
{
	bool plain = !s[strcspn(s, " \t'\"$`\\*?[]();&|<>!#~")];
	snprintf(out, cap, plain ? "%s" : "'%s'", s);
	return out;
}

static void remedy(const struct search *in, struct err *e)
{
	const struct cache *c = &in->cache;
	char folder[sizeof e->hint], home[sizeof e->hint], gen[sizeof c->generator + 2];
	bool here = !c->home[0] || is_same_folder(c->home, ".");
	bool other_generator = c->generator[0] && strcmp(c->generator, "Unix Makefiles") != 0;
	quoted(in->folder, folder, sizeof folder);
	quoted(c->home, home, sizeof home);
	quoted(c->generator, gen, sizeof gen);
	if (c->cmake[0] > 3 || (c->cmake[0] == 3 && c->cmake[1] >= 24))
		err_hint(e, "cmake --fresh%s%s%s%s -B %s, with your own -D options",
			 other_generator ? " -G " : "", other_generator ? gen : "",
			 here ? "" : " -S ", here ? "" : home, folder);
	else
		err_hint(e, "rm -r %s/CMakeCache.txt %s/CMakeFiles, and configure it again", folder,
			 folder);
}

/* Its libraries would be of two toolkits. */
static void tell_filler(const struct search *in, struct err *e)
{
	const char *library = in->cache.filler;
	err_set(e, ERR_NONE, "'%s' takes '%s', since CUDA %s has no %s", in->folder, library,
		in->s->name, path_base(library));
	err_hint(e, "'cudaenv component which-has %s' tells what to add; then configure it anew",
		 path_base(library));
}

static void tell(const struct search *in, struct err *e)
{
	const char *name, *now = in->s->prefix[0] ? in->s->name : "the system's";
	const char *tree = in->cache.foreign;
	char more[64] = "";
	size_t len, ours = in_version(in->l, tree, &name, &len);
	if (in->found > 1)
		snprintf(more, sizeof more, " (%d more such folders)", in->found - 1);
	err_set(e, ERR_NONE, "'%s' is configured by CMake for %s%s%s, but %s is selected%s",
		in->folder, ours ? "CUDA " : "'", ours ? name : tree, ours ? "" : "'", now, more);
	remedy(in, e);
}

bool drift_find(const struct layout *l, const struct selection *s, struct err *found)
{
	struct search in = {.l = l, .s = s};
	char folder[PATH_MAX];
	if (s->origin == ORIGIN_DEFAULT)
		return false;
	look_in(&in, "");
	if (project(s, folder))
		look_in(&in, folder);
	if (in.found && in.cache.foreign[0])
		tell(&in, found);
	else if (in.found)
		tell_filler(&in, found);
	return in.found > 0;
}
