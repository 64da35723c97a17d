#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/path.h"
#include "ext/unpack_priv.h"

enum { TARGET_MAX = 4096 };

static bool bad(const struct unpack *u, const char *name, const char *why, const char *target,
		struct err *err)
{
	return err_set(err, ERR_INTEGRITY, "'%s': entry '%.300s' %s '%.300s'", u->name, name, why,
		       target);
}

/* One step of a relative path: b is the folder so far, "" for the top. false: it leaves the
 * archive. */
static bool step(struct buf *b, const char *part, size_t n)
{
	if (n == 0 || (n == 1 && part[0] == '.'))
		return true;
	if (n != 2 || memcmp(part, "..", 2) != 0)
		return (!b->len || buf_addc(b, '/')) && buf_add(b, part, n);
	if (!b->len)
		return false;
	const char *up = strrchr(buf_str(b), '/');
	buf_cut(b, up ? (size_t)(up - b->data) : 0);
	return true;
}

/* The name that `target` means for a link called `name`; NULL: outside, or no usable name. */
static char *resolve(const char *name, const char *target)
{
	struct buf b = BUF_INIT(2 * TARGET_MAX);
	const char *slash = strrchr(name, '/');
	bool inside = target[0] && target[0] != '/' &&
		      buf_add(&b, name, slash ? (size_t)(slash - name) : 0);
	while (inside && *target) {
		size_t n = strcspn(target, "/");
		inside = step(&b, target, n);
		target += n + (target[n] == '/');
	}
	if (inside && path_safe_relative(buf_str(&b)))
		return buf_take(&b);
	buf_clear(&b);
	return NULL;
}

/* The text of a link at `from` that leads to `to`, both below one folder. */
static char *relative(const char *from, const char *to)
{
	struct buf b = BUF_INIT(4 * TARGET_MAX);
	size_t same = 0;
	for (size_t i = 0; from[i] && from[i] == to[i]; i++)
		if (from[i] == '/')
			same = i + 1;
	for (const char *s = from + same; (s = strchr(s, '/')); s++)
		buf_adds(&b, "../");
	buf_adds(&b, to + same);
	return buf_take(&b);
}

bool unpack_links_add(struct unpack_links *l, const struct unpack *u, const char *path,
		      const char *name, const char *target, bool hard, struct err *err)
{
	mode_t mode = 0644;
	if (strlen(target) > TARGET_MAX)
		return unpack_bad(u, name, err, "is a link with a target that is too long");
	autofree char *inner = hard ? xstrdup(target) : resolve(name, target);
	if (!inner)
		return bad(u, name, "is a link that leads out of the archive:", target, err);
	char *mapped = u->map(u->ctx, inner, &mode);
	/* A file that was moved and the link in its old place may come together again. */
	if (mapped && !hard && !strcmp(mapped, path))
		free(take_ptr(mapped));
	if (!mapped)
		return true;
	l->items = array_grow(l->items, l->n, sizeof *l->items);
	l->items[l->n++] = (struct unpack_link){
		.path = xstrdup(path),
		.target = hard ? mapped : relative(path, mapped),
		.hard = hard,
	};
	if (!hard)
		free(mapped);
	return true;
}

static bool make_link(const struct unpack_link *k, const struct unpack *u, struct err *err)
{
	struct stat st;
	int e = k->hard ? linkat(u->dirfd, k->target, u->dirfd, k->path, 0)
			: symlinkat(k->target, u->dirfd, k->path);
	if (e < 0 && errno == EEXIST)
		return bad(u, k->path, "is there twice, once as a link to", k->target, err);
	if (e < 0 && k->hard && (errno == ENOENT || errno == ENOTDIR || errno == EPERM))
		return bad(u, k->path, "is a hard link to what is no file:", k->target, err);
	if (e < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot create link '%.300s' of '%s'", k->path,
			       u->name);
	if (k->hard && u->file && fstatat(u->dirfd, k->path, &st, AT_SYMLINK_NOFOLLOW) == 0)
		u->file(u->ctx, k->path, (uint64_t)st.st_size, st.st_mode & 0111);
	return true;
}

bool unpack_links_make(struct unpack_links *l, const struct unpack *u, struct err *err)
{
	/* Hard links first: their targets are files, and no symbolic link stands in the way yet. */
	for (int hard = 1; hard >= 0; hard--)
		for (size_t i = 0; i < l->n; i++)
			if (l->items[i].hard == hard && !make_link(&l->items[i], u, err))
				return false;
	return true;
}

void unpack_links_clear(struct unpack_links *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->items[i].path);
		free(l->items[i].target);
	}
	free(l->items);
	*l = (struct unpack_links){0};
}
