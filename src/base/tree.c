#include "base/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"

enum {
	TREE_MAX_PATH = 16384,
	REMOVE_DEPTH = 64, /* folders held open at once */
};

bool tree_mkdirs(const char *path, struct err *err)
{
	autofree char *p = xstrdup(path);
	struct stat st;
	for (char *s = p; *s;) {
		s += strspn(s, "/");
		s += strcspn(s, "/");
		char c = *s;
		*s = '\0';
		/* A parent on a read-only or closed file system may still be there. */
		if (mkdir(p, 0777) < 0 && errno != EEXIST && errno != EISDIR) {
			int saved = errno;
			if (stat(p, &st) < 0 || !S_ISDIR(st.st_mode)) {
				errno = saved;
				return err_sys(err, ERR_FILESYSTEM, "cannot create folder '%s'", p);
			}
		}
		*s = c;
	}
	if (stat(path, &st) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot create folder '%s'", path);
	if (!S_ISDIR(st.st_mode))
		return err_set(err, ERR_FILESYSTEM, "'%s' is in the way: not a folder", path);
	return true;
}

/* Opens a folder for removal of its entries; one without permission is opened up first. */
static DIR *open_dir(int at, const char *name, bool for_removal)
{
	int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	struct stat st;
	int fd = openat(at, name, flags);
	if (fd < 0 && errno == EACCES && for_removal && fchmodat(at, name, 0700, 0) == 0)
		fd = openat(at, name, flags);
	if (fd < 0)
		return NULL;
	if (for_removal && fstat(fd, &st) == 0 && (st.st_mode & 0300) != 0300)
		fchmod(fd, 0700);
	DIR *d = fdopendir(fd);
	if (!d)
		close(fd);
	return d;
}

static bool dots(const char *n)
{
	return n[0] == '.' && (!n[1] || (n[1] == '.' && !n[2]));
}

/* NULL with errno 0 at the end. */
static struct dirent *next_entry(DIR *d)
{
	struct dirent *e;
	do {
		errno = 0;
		e = readdir(d);
	} while (e && dots(e->d_name));
	return e;
}

struct removal {
	int top;	/* the folder that was asked for; -1 until it is open */
	unsigned moved; /* folders that were moved up into it */
};

static bool remove_at(struct removal *r, int at, const char *name, int depth);

static bool remove_entries(struct removal *r, DIR *d, int depth)
{
	for (struct dirent *e; (e = next_entry(d));)
		if (!remove_at(r, dirfd(d), e->d_name, depth + 1))
			return false;
	return errno == 0;
}

/* Archives can nest deeper than descriptors reach: what is too deep moves up and is met there
 * again. */
static bool move_up(struct removal *r, int at, const char *name)
{
	char up[64];
	snprintf(up, sizeof up, ".deep.%ld.%u", (long)getpid(), r->moved);
	if (renameat(at, name, r->top, up) < 0)
		return false;
	r->moved++;
	return true;
}

static bool remove_at(struct removal *r, int at, const char *name, int depth)
{
	if (unlinkat(at, name, 0) == 0 || errno == ENOENT)
		return true;
	if (errno != EISDIR && errno != EPERM && errno != EACCES)
		return false;
	int saved = errno;
	autodir DIR *d = open_dir(at, name, true);
	if (!d) {
		if (errno == ENOTDIR)
			errno = saved;
		return errno == ENOENT;
	}
	if (depth == REMOVE_DEPTH)
		return move_up(r, at, name);
	if (depth == 0)
		r->top = dirfd(d);
	for (unsigned before = r->moved;; before = r->moved) {
		if (!remove_entries(r, d, depth))
			return false;
		if (depth || before == r->moved)
			break;
		rewinddir(d);
	}
	return unlinkat(at, name, AT_REMOVEDIR) == 0 || errno == ENOENT;
}

bool tree_remove(const char *path, struct err *err)
{
	struct removal r = {.top = -1};
	if (!remove_at(&r, AT_FDCWD, path, 0))
		return err_sys(err, ERR_FILESYSTEM, "cannot remove '%s'", path);
	return true;
}

struct walk {
	tree_fn *fn;
	void *ctx;
	const char *top;
	struct buf rel;
};

static bool walk_dir(struct walk *w, DIR *d, struct err *err);

/* An entry that is gone by now was never there. */
static bool visit(struct walk *w, int at, const char *name, struct err *err)
{
	const char *rel = buf_str(&w->rel);
	struct stat st;
	if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ||
		       err_sys(err, ERR_FILESYSTEM, "cannot stat '%s/%s'", w->top, rel);
	if (!w->fn(w->ctx, rel, &st, err))
		return false;
	if (!S_ISDIR(st.st_mode))
		return true;
	autodir DIR *d = open_dir(at, name, false);
	if (!d)
		return errno == ENOENT ||
		       err_sys(err, ERR_FILESYSTEM, "cannot open folder '%s/%s'", w->top, rel);
	return walk_dir(w, d, err);
}

static bool walk_dir(struct walk *w, DIR *d, struct err *err)
{
	size_t len = w->rel.len;
	for (struct dirent *e; (e = next_entry(d)); buf_cut(&w->rel, len)) {
		if (!(len == 0 || buf_addc(&w->rel, '/')) || !buf_adds(&w->rel, e->d_name))
			return err_set(err, ERR_FILESYSTEM, "path too long below '%s'", w->top);
		if (!visit(w, dirfd(d), e->d_name, err))
			return false;
	}
	if (errno)
		return err_sys(err, ERR_FILESYSTEM, "cannot read folder '%s/%s'", w->top,
			       buf_str(&w->rel));
	return true;
}

bool tree_walk(const char *path, tree_fn *fn, void *ctx, struct err *err)
{
	autodir DIR *d = opendir(path);
	if (!d)
		return err_sys(err, ERR_FILESYSTEM, "cannot open folder '%s'", path);
	struct walk w = {fn, ctx, path, BUF_INIT(TREE_MAX_PATH)};
	bool ok = walk_dir(&w, d, err);
	buf_clear(&w.rel);
	return ok;
}

struct seen {
	dev_t dev;
	ino_t ino;
	nlink_t links;
	uint64_t bytes;
};

/* A list of what has several links, sorted at the end, tells which have links outside this tree. */
struct usage {
	struct tree_use use;
	struct seen *seen;
	size_t n;
};

static bool count(void *ctx, const char *rel, const struct stat *st, struct err *err)
{
	struct usage *u = ctx;
	(void)rel, (void)err;
	if (S_ISDIR(st->st_mode)) {
		u->use.bytes += (uint64_t)st->st_blocks * 512;
		return true;
	}
	u->use.files++;
	if (st->st_nlink > 1) {
		u->seen = array_grow(u->seen, u->n, sizeof *u->seen);
		u->seen[u->n++] = (struct seen){st->st_dev, st->st_ino, st->st_nlink,
						(uint64_t)st->st_blocks * 512};
		return true;
	}
	u->use.bytes += (uint64_t)st->st_blocks * 512;
	return true;
}

static int by_inode(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;
	if (x->dev != y->dev)
		return x->dev < y->dev ? -1 : 1;
	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

bool tree_usage(const char *path, struct tree_use *use, struct err *err)
{
	struct usage u = {0};
	bool ok = tree_walk(path, count, &u, err);
	if (u.n)
		qsort(u.seen, u.n, sizeof *u.seen, by_inode);
	for (size_t i = 0, j; i < u.n; i = j) {
		for (j = i + 1; j < u.n && by_inode(&u.seen[i], &u.seen[j]) == 0;)
			j++;
		u.use.bytes += u.seen[i].bytes;
		if (u.seen[i].links > j - i)
			u.use.shared += u.seen[i].bytes;
	}
	free(u.seen);
	if (ok)
		*use = u.use;
	return ok;
}
