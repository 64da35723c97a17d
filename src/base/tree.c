#include "base/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"

enum { TREE_MAX_PATH = 16384 };

bool tree_mkdirs(const char *path, struct err *err)
{
	autofree char *p = xstrdup(path);
	struct stat st;
	for (char *s = p + 1;; s++) {
		if (*s && *s != '/')
			continue;
		char c = *s;
		*s = '\0';
		if (mkdir(p, 0777) < 0 && errno != EEXIST && errno != EISDIR)
			/* A parent on a read-only or closed file system may still be there. */
			if (stat(p, &st) < 0 || !S_ISDIR(st.st_mode))
				return err_sys(err, ERR_FILESYSTEM, "cannot create folder '%s'", p);
		*s = c;
		if (!c)
			break;
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

static bool remove_at(int at, const char *name)
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
	for (struct dirent *e; (e = readdir(d));)
		if (!dots(e->d_name) && !remove_at(dirfd(d), e->d_name))
			return false;
	return unlinkat(at, name, AT_REMOVEDIR) == 0 || errno == ENOENT;
}

bool tree_remove(const char *path, struct err *err)
{
	if (!remove_at(AT_FDCWD, path))
		return err_sys(err, ERR_FILESYSTEM, "cannot remove '%s'", path);
	return true;
}

struct walk {
	tree_fn *fn;
	void *ctx;
	const char *top;
	struct buf rel;
};

static bool walk_dir(struct walk *w, DIR *d, struct err *err)
{
	for (struct dirent *e; (e = readdir(d));) {
		struct stat st;
		size_t len = w->rel.len;
		if (dots(e->d_name))
			continue;
		if (!(len == 0 || buf_addc(&w->rel, '/')) || !buf_adds(&w->rel, e->d_name))
			return err_set(err, ERR_FILESYSTEM, "path too long below '%s'", w->top);
		if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return err_sys(err, ERR_FILESYSTEM, "cannot stat '%s/%s'", w->top,
				       buf_str(&w->rel));
		if (!w->fn(w->ctx, buf_str(&w->rel), &st, err))
			return false;
		if (S_ISDIR(st.st_mode)) {
			autodir DIR *sub = open_dir(dirfd(d), e->d_name, false);
			if (!sub)
				return err_sys(err, ERR_FILESYSTEM, "cannot open folder '%s/%s'",
					       w->top, buf_str(&w->rel));
			if (!walk_dir(w, sub, err))
				return false;
		}
		w->rel.len = len;
		w->rel.data[len] = '\0';
	}
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

/* Inodes with several links inside one tree are rare, so a sorted list of them is enough. */
struct usage {
	struct tree_use use;
	struct seen {
		dev_t dev;
		ino_t ino;
		nlink_t left; /* links not met inside this tree yet */
		uint64_t bytes;
	} * seen;
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
		if (u.seen[i].left > j - i)
			u.use.shared += u.seen[i].bytes;
	}
	free(u.seen);
	if (ok)
		*use = u.use;
	return ok;
}
