#include "base/layout.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"

/* An empty variable is what people write to take a setting away. */
static const char *env(const char *name)
{
	const char *v = getenv(name);
	return v && *v ? v : NULL;
}

/* The i-th non-empty part of a list with ':' between; its length in *len. NULL: no such one. */
static const char *list_part(const char *list, int i, size_t *len)
{
	for (const char *p = list; p && *p; p += *len + (p[*len] == ':')) {
		*len = strcspn(p, ":");
		if (*len && i-- == 0)
			return p;
	}
	return NULL;
}

static bool check_shared(const char *list, struct err *err)
{
	const char *part;
	size_t n;
	for (int i = 0; (part = list_part(list, i, &n)); i++)
		if (*part != '/')
			return err_set(
				err, ERR_USAGE,
				"CUDAENV_SHARED_ROOTS has '%.*s', which is not an absolute path",
				(int)n, part);
	return true;
}

/* Of "name:x:uid:gid:gecos:home:shell" the home, when the uid is ours. */
static bool passwd_line(const char *line, size_t len, char *out, size_t cap)
{
	const char *field[7];
	const char *end = line + len;
	int n = 0;
	for (const char *p = line; p && n < 7; n++) {
		field[n] = p;
		p = memchr(p, ':', (size_t)(end - p));
		p = p ? p + 1 : NULL;
	}
	if (n < 7 || strtoul(field[2], NULL, 10) != getuid() || *field[5] != '/')
		return false;
	size_t size = (size_t)(field[6] - 1 - field[5]);
	if (size >= cap)
		return false;
	memcpy(out, field[5], size);
	out[size] = '\0';
	return true;
}

/* getpwuid would bring malloc, stdio and (in glibc) shared objects into the shim. */
static bool passwd_home(char *out, size_t cap)
{
	char buf[4096];
	size_t have = 0;
	autoclose int fd = openat(AT_FDCWD, "/etc/passwd", O_RDONLY | O_CLOEXEC);
	for (;;) {
		ssize_t n = read(fd, buf + have, sizeof buf - have);
		if (n <= 0)
			return false;
		have += (size_t)n;
		for (char *nl; (nl = memchr(buf, '\n', have));) {
			if (passwd_line(buf, (size_t)(nl - buf), out, cap))
				return true;
			have -= (size_t)(nl + 1 - buf);
			memmove(buf, nl + 1, have);
		}
		if (have == sizeof buf)
			return false;
	}
}

static bool set_root(struct layout *l, const char *var, const char *base, const char *sub,
		     struct err *err)
{
	if (base[0] != '/')
		return err_set(err, ERR_USAGE, "%s is '%s', which is not an absolute path", var,
			       base);
	if (strchr(base, ':')) {
		err_set(err, ERR_USAGE, "%s is '%s': a folder with ':' cannot stand on PATH", var,
			base);
		return err_hint(err, "set CUDAENV_ROOT to a folder without ':'");
	}
	if (!path_join(l->root, sizeof l->root, base, sub))
		return err_set(err, ERR_USAGE, "%s is too long", var);
	size_t n = strlen(l->root);
	while (n > 1 && l->root[n - 1] == '/')
		l->root[--n] = '\0';
	return true;
}

bool layout_init(struct layout *l, struct err *err)
{
	char home[1024];
	const char *root = env("CUDAENV_ROOT"), *h = env("HOME");
	l->shared = env("CUDAENV_SHARED_ROOTS");
	if (!check_shared(l->shared, err))
		return false;
	if (root)
		return set_root(l, "CUDAENV_ROOT", root, "", err);
	if (h)
		return set_root(l, "HOME", h, ".cudaenv", err);
	if (passwd_home(home, sizeof home))
		return set_root(l, "the home in '/etc/passwd'", home, ".cudaenv", err);
	err_set(err, ERR_USAGE, "neither CUDAENV_ROOT nor HOME is set");
	return err_hint(err, "set HOME, or CUDAENV_ROOT to the folder that holds the toolkits");
}

/* Of "ROOT/shims/NAME" the length of ROOT; 0: it is something else. */
static size_t own_root(const char *self)
{
	static const char shims[] = "/shims";
	const size_t len = sizeof shims - 1;
	size_t n = self && *self == '/' ? (size_t)(path_base(self) - self) : 0;
	while (n && self[n - 1] == '/')
		n--;
	return n > len && !memcmp(self + n - len, shims, len) ? n - len : 0;
}

static bool is_shared(const struct layout *l)
{
	char root[PATH_MAX];
	for (int i = 1; layout_root(l, i, root, sizeof root); i++)
		if (!strcmp(root, l->root))
			return true;
	return false;
}

bool layout_is_default(const char *root)
{
	char path[PATH_MAX];
	const char *home = env("HOME");
	return home && path_join(path, sizeof path, home, ".cudaenv") && !strcmp(path, root);
}

/* HOME's is one without a look at the disk; a link to a folder of shims has no versions beside it. */
static bool is_root(const struct layout *l)
{
	char path[PATH_MAX];
	return layout_is_default(l->root) ||
	       (layout_path(l, path, sizeof path, "versions") && access(path, F_OK) == 0);
}

bool layout_init_shim(struct layout *l, const char *self, struct err *err)
{
	char root[PATH_MAX];
	struct err ignored;
	size_t n = own_root(self);
	l->shared = env("CUDAENV_SHARED_ROOTS");
	if (!n || n >= sizeof root || env("CUDAENV_ROOT") || !check_shared(l->shared, &ignored))
		return layout_init(l, err);
	memcpy(root, self, n);
	root[n] = '\0';
	if (set_root(l, "the shim's root", root, "", &ignored) && !is_shared(l) && is_root(l))
		return true;
	return layout_init(l, err);
}

bool layout_path(const struct layout *l, char *out, size_t cap, const char *sub)
{
	return path_join(out, cap, l->root, sub);
}

bool layout_root(const struct layout *l, int i, char *out, size_t cap)
{
	size_t n = strlen(l->root);
	const char *root = i ? list_part(l->shared, i - 1, &n) : l->root;
	while (root && n > 1 && root[n - 1] == '/')
		n--;
	if (!root || n >= cap)
		return false;
	memcpy(out, root, n);
	out[n] = '\0';
	return true;
}

bool layout_root_path(const struct layout *l, int i, const char *sub, const char *name, char *out,
		      size_t cap)
{
	return layout_root(l, i, out, cap) && path_join(out, cap, out, sub) &&
	       path_join(out, cap, out, name);
}
