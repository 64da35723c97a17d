#include "base/toolenv.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/buf.h"

enum { ENV_MAX = 1 << 21 }; /* no exec takes more */

static const char saved_prefix[] = "CUDAENV_SAVED_";

static void add(struct toolenv *t, const char *name, const char *value, bool bookkeeping)
{
	t->vars = array_grow(t->vars, t->n, sizeof *t->vars);
	t->vars[t->n++] = (struct toolenv_var){.name = xstrdup(name),
					       .value = value ? xstrdup(value) : NULL,
					       .bookkeeping = bookkeeping};
}

/* What stands behind "<root>/versions/<name>" or "<root>/current" in path; NULL: it is not ours. */
static const char *behind_prefix(const struct layout *l, const char *path, size_t len)
{
	char root[PATH_MAX];
	for (int i = 0; layout_root(l, i, root, sizeof root); i++) {
		static const char versions[] = "/versions/", current[] = "/current";
		size_t n = strlen(root);
		const char *p = path + n, *end = path + len;
		if (len <= n || memcmp(path, root, n) != 0)
			continue;
		if ((size_t)(end - p) >= sizeof current - 1 &&
		    !memcmp(p, current, sizeof current - 1))
			p += sizeof current - 1;
		else if ((size_t)(end - p) >= sizeof versions &&
			 !memcmp(p, versions, sizeof versions - 1))
			for (p += sizeof versions - 1; p < end && *p != '/';)
				p++;
		else
			continue;
		if (p == end || *p == '/')
			return p;
	}
	return NULL;
}

static bool is_ours(const struct layout *l, const char *value)
{
	return value && behind_prefix(l, value, strlen(value));
}

/* An element of a path list that we put there: <prefix>/bin, <prefix>/lib64 or <prefix>/lib. */
static bool our_element(const struct layout *l, const char *s, size_t len)
{
	static const char *const folders[] = {"/bin", "/lib64", "/lib"};
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
		if (!our_element(l, p, n)) {
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
	const char *name = "CUDAHOSTCXX", *saved_name = "CUDAENV_SAVED_CUDAHOSTCXX";
	bool ours = getenv(saved_name) != NULL;
	set_one(t, name, ccbin, ours);
	if (ccbin && !ours && !getenv(name))
		add(t, saved_name, "", true);
}

/* Where the prefix keeps its libraries: lib64, in a tree of other make lib; NULL: it has none. */
static char *library_folder(const char *prefix)
{
	static const char *const names[] = {"lib64", "lib"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		autofree char *path = xasprintf("%s/%s", prefix, names[i]);
		if (access(path, F_OK) == 0)
			return take_ptr(path);
	}
	return NULL;
}

static bool wants_libraries(enum ld_policy policy)
{
	const char *venv = getenv("VIRTUAL_ENV"), *conda = getenv("CONDA_PREFIX");
	if (policy == LD_AUTO)
		return !(venv && venv[0]) && !(conda && conda[0]);
	return policy == LD_ALWAYS;
}

void toolenv_build(struct toolenv *t, const struct layout *l, const struct selection *s,
		   enum ld_policy policy, const char *ccbin)
{
	static const char *const roots[] = {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT",
					    "CUDAToolkit_ROOT"};
	const char *prefix = s->prefix[0] ? s->prefix : NULL;
	autofree char *bin = prefix ? xasprintf("%s/bin", prefix) : NULL;
	autofree char *nvcc = prefix ? xasprintf("%s/bin/nvcc", prefix) : NULL;
	autofree char *lib = prefix && wants_libraries(policy) ? library_folder(prefix) : NULL;

	*t = (struct toolenv){0};
	set_list(t, l, "PATH", bin);
	for (size_t i = 0; i < ARRAY_LEN(roots); i++)
		set_one(t, roots[i], prefix, is_ours(l, getenv(roots[i])));
	set_one(t, "CUDACXX", nvcc, is_ours(l, getenv("CUDACXX")));
	set_host_compiler(t, prefix ? ccbin : NULL);
	if (lib || getenv("LD_LIBRARY_PATH"))
		set_list(t, l, "LD_LIBRARY_PATH", lib);
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
