#include "base/toolenv.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/path.h"
#include "base/pinfile.h"

#define TOOLENV_CCBIN "CUDAHOSTCXX"
/* A tree of another make has lib/pkgconfig alone, with the files of much else. */
#define PKGCONFIG "/lib64/pkgconfig"

enum { ENV_MAX = 1 << 21 }; /* no exec takes more */

static const char saved_prefix[] = "CUDAENV_SAVED_";

static void add(struct toolenv *t, const char *name, const char *value, bool bookkeeping)
{
	t->vars = array_grow(t->vars, t->n, sizeof *t->vars);
	t->vars[t->n++] = (struct toolenv_var){.name = xstrdup(name),
					       .value = value ? xstrdup(value) : NULL,
					       .bookkeeping = bookkeeping};
}

/* What stands behind "<root>/versions/<name>", "<root>/cudnn/<name>" or "<root>/current" in path; NULL: it is
 * not ours. */
static const char *behind_prefix(const struct layout *l, const char *path, size_t len)
{
	static const struct {
		const char *start;
		bool named; /* a name follows */
	} folders[] = {{"/versions/", true}, {"/cudnn/", true}, {"/current", false}};
	char root[PATH_MAX];
	const char *end = path + len;
	for (int i = 0; layout_root(l, i, root, sizeof root); i++) {
		size_t n = strlen(root);
		if (len <= n || memcmp(path, root, n) != 0)
			continue;
		for (size_t k = 0; k < ARRAY_LEN(folders); k++) {
			const char *p = path + n;
			size_t start = strlen(folders[k].start);
			if ((size_t)(end - p) < start + folders[k].named ||
			    memcmp(p, folders[k].start, start) != 0)
				continue;
			for (p += start; folders[k].named && p < end && *p != '/';)
				p++;
			if (p == end || *p == '/')
				return p;
		}
	}
	return NULL;
}

static bool is_ours(const struct layout *l, const char *value)
{
	return value && behind_prefix(l, value, strlen(value));
}

bool toolenv_our_element(const struct layout *l, const char *s, size_t len)
{
	static const char *const folders[] = {"/bin",
					      "/lib64",
					      "/lib",
					      "/include",
					      PKGCONFIG,
					      "/.cudaenv/lacks/include",
					      "/.cudaenv/lacks/lib"};
	while (len > 1 && s[len - 1] == '/')
		len--;
	const char *rest = behind_prefix(l, s, len);
	for (size_t i = 0; rest && i < ARRAY_LEN(folders); i++)
		if ((size_t)(s + len - rest) == strlen(folders[i]) &&
		    !memcmp(rest, folders[i], strlen(folders[i])))
			return true;
	return false;
}

/* The list without our elements and with `first` (NULL: none) in front. NULL: nothing is left. */
static char *rebuild_list(const struct layout *l, const char *list, const char *first)
{
	autobuf struct buf out = BUF_INIT(ENV_MAX);
	bool any = false;
	if (first && first[0]) {
		buf_adds(&out, first);
		any = true;
	}
	/* An empty list has no elements; an empty element of the user's list stays. */
	for (const char *p = list && list[0] ? list : NULL; p;) {
		size_t n = strcspn(p, ":");
		if (!toolenv_our_element(l, p, n)) {
			if (any)
				buf_addc(&out, ':');
			buf_add(&out, p, n);
			any = true;
		}
		p = p[n] ? p + n + 1 : NULL;
	}
	return any ? buf_take(&out) : NULL;
}

static void set_list(struct toolenv *t, const struct layout *l, const char *name, const char *first)
{
	autofree char *value = rebuild_list(l, getenv(name), first);
	add(t, name, value, false);
}

/* value NULL: ours goes, and what it replaced comes back. ours: the value that is there is our own.
 */
static void set_one(struct toolenv *t, const char *name, const char *value, bool ours)
{
	autofree char *saved_name = xasprintf("%s%s", saved_prefix, name);
	const char *now = getenv(name), *saved = getenv(saved_name);
	if (value) {
		add(t, name, value, false);
		if (now && !ours && strcmp(now, value) != 0)
			add(t, saved_name, now, true);
		return;
	}
	if (ours)
		add(t, name, saved && saved[0] ? saved : NULL, false);
	if (saved)
		add(t, saved_name, NULL, true);
}

/*
 * A compiler is not below a root, so its value does not tell whose it is: while ours stands, the
 * saved one is there too, if only as an empty word.
 */
static void set_host_compiler(struct toolenv *t, const char *ccbin)
{
	const char *name = TOOLENV_CCBIN, *saved_name = "CUDAENV_SAVED_" TOOLENV_CCBIN;
	bool ours = getenv(saved_name) != NULL;
	set_one(t, name, ccbin, ours);
	if (ccbin && !ours && !getenv(name))
		add(t, saved_name, "", true);
}

static char *existing(const char *prefix, const char *sub)
{
	autofree char *path = xasprintf("%s%s", prefix, sub);
	return access(path, F_OK) == 0 ? take_ptr(path) : NULL;
}

/* Where the prefix keeps its libraries: lib64, in a tree of other make lib; NULL: it has none. */
static char *library_folder(const char *prefix)
{
	char *path = existing(prefix, "/lib64");
	return path ? path : existing(prefix, "/lib");
}

static bool wants_libraries(enum ld_policy policy)
{
	const char *venv = getenv("VIRTUAL_ENV"), *conda = getenv("CONDA_PREFIX");
	if (policy == LD_AUTO)
		return !(venv && venv[0]) && !(conda && conda[0]);
	return policy == LD_ALWAYS;
}

bool toolenv_host_compiler(const struct selection *s, char out[PATH_MAX], struct err *err)
{
	struct pinfile pins;
	out[0] = '\0';
	if (s->origin_path[0]) {
		if (!pinfile_read(s->origin_path, &pins, err))
			return false;
		if (pins.ccbin[0]) {
			memcpy(out, pins.ccbin, sizeof pins.ccbin);
			return true;
		}
	}
	if (!s->prefix[0] || !path_join(out, PATH_MAX, s->prefix, ".cudaenv/ccbin/g++") ||
	    access(out, X_OK) < 0)
		out[0] = '\0';
	return true;
}

static char *below(const char *prefix, const char *sub)
{
	return prefix ? xasprintf("%s%s", prefix, sub) : NULL;
}

/* "a:b", or the one that is not NULL. Both are taken over. */
static char *both(char *a, char *b)
{
	autofree char *first = a, *second = b;
	if (!first || !second)
		return first ? take_ptr(first) : take_ptr(second);
	return xasprintf("%s:%s", first, second);
}

void toolenv_wants(struct toolenv_want w[TOOLENV_WANTS], const struct selection *s,
		   const struct toolenv_opts *o)
{
	const char *prefix = s->prefix[0] ? s->prefix : NULL;
	const char *cudnn = prefix ? o->cudnn : NULL;
	const char *loads = prefix && wants_libraries(o->policy) ? prefix : NULL;
	const char *links = o->compiler_paths ? prefix : NULL;
	/* cuDNN in front: a toolkit may have another one copied into it. lacks: see core/lacks.h. */
	const struct toolenv_want table[TOOLENV_WANTS] = {
		{"PATH", below(prefix, "/bin"), true},
		{"CUDA_HOME", below(prefix, ""), false},
		{"CUDA_PATH", below(prefix, ""), false},
		{"CUDA_ROOT", below(prefix, ""), false},
		{"CUDAToolkit_ROOT", below(prefix, ""), false},
		{"CUDACXX", below(prefix, "/bin/nvcc"), false},
		{TOOLENV_CCBIN, prefix && o->ccbin ? xstrdup(o->ccbin) : NULL, false},
		{"CUDNN_HOME", below(cudnn, ""), false},
		{"CUDNN_PATH", below(cudnn, ""), false},
		{"CUDNN_ROOT", below(cudnn, ""), false},
		{"LD_LIBRARY_PATH",
		 both(loads ? below(cudnn, "/lib") : NULL, loads ? library_folder(loads) : NULL),
		 true},
		{"CPATH",
		 both(both(links ? below(cudnn, "/include") : NULL, below(links, "/include")),
		      links ? existing(links, "/.cudaenv/lacks/include") : NULL),
		 true},
		{"LIBRARY_PATH",
		 both(both(links ? below(cudnn, "/lib") : NULL,
			   links ? library_folder(links) : NULL),
		      links ? existing(links, "/.cudaenv/lacks/lib") : NULL),
		 true},
		{"PKG_CONFIG_PATH", prefix ? existing(prefix, PKGCONFIG) : NULL, true},
		/* Where CMake looks behind CMAKE_PREFIX_PATH and in front of the machine's folders. */
		{"CMAKE_LIBRARY_PATH", prefix ? existing(prefix, "/.cudaenv/lacks/lib") : NULL,
		 true},
	};
	memcpy(w, table, sizeof table);
}

void toolenv_wants_clear(struct toolenv_want w[TOOLENV_WANTS])
{
	for (size_t i = 0; i < TOOLENV_WANTS; i++)
		free(w[i].value);
}

void toolenv_build(struct toolenv *t, const struct layout *l, const struct selection *s,
		   const struct toolenv_opts *o)
{
	struct toolenv_want wants[TOOLENV_WANTS];
	toolenv_wants(wants, s, o);
	*t = (struct toolenv){0};
	for (const struct toolenv_want *w = wants; w < wants + TOOLENV_WANTS; w++)
		if (!strcmp(w->name, TOOLENV_CCBIN))
			set_host_compiler(t, w->value);
		else if (!w->is_list)
			set_one(t, w->name, w->value, is_ours(l, getenv(w->name)));
		else if (w->value || getenv(w->name))
			set_list(t, l, w->name, w->value);
	toolenv_wants_clear(wants);
}

void toolenv_clear(struct toolenv *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->vars[i].name);
		free(t->vars[i].value);
	}
	free(t->vars);
	*t = (struct toolenv){0};
}
