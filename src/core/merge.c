#include "core/merge.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/intr.h"
#include "base/io.h"

enum { REL_MAX = 4096, CHUNK = 1 << 16, DEPTH_MAX = 64 };

struct merge {
	const struct merge_source *sources;
	size_t current;
	struct buf rel; /* of the folder at work, "" for the top */
	int depth;
};

static bool copy_data(int in, int out)
{
	if (ioctl(out, FICLONE, in) == 0)
		return true;
	autofree char *chunk = xmalloc(CHUNK);
	for (;;) {
		ssize_t n = read(in, chunk, CHUNK);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n == 0;
		if (!io_write_all(out, chunk, (size_t)n))
			return false;
	}
}

bool merge_file(int from, const char *src, int to, const char *dst)
{
	struct stat st;
	if (linkat(from, src, to, dst, 0) == 0)
		return true;
	/* Another file system, one without links, no more links, or another user's file. */
	if (errno != EXDEV && errno != EMLINK && errno != EPERM && errno != EOPNOTSUPP &&
	    errno != ENOSYS)
		return false;
	autoclose int in = openat(from, src, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (in < 0 || fstat(in, &st) < 0)
		return false;
	autoclose int out =
		openat(to, dst, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (out < 0)
		return false;
	if (copy_data(in, out) && fchmod(out, st.st_mode & 0777) == 0)
		return true;
	int saved = errno;
	unlinkat(to, dst, 0);
	errno = saved;
	return false;
}

static const char *rel_of(struct merge *m, const char *name, char *out)
{
	snprintf(out, REL_MAX, "%s%s%s", buf_str(&m->rel), m->rel.len ? "/" : "", name);
	return out;
}

/* Which earlier component brought it: looked up only when there is a quarrel. */
static const char *owner_of(struct merge *m, const char *rel)
{
	struct stat st;
	for (size_t i = 0; i < m->current; i++) {
		autofree char *path = xasprintf("%s/%s", m->sources[i].tree, rel);
		if (lstat(path, &st) == 0)
			return m->sources[i].name;
	}
	return "another component";
}

static bool conflict(struct merge *m, const char *name, const char *what, struct err *err)
{
	char rel[REL_MAX];
	rel_of(m, name, rel);
	return err_set(err, ERR_INTEGRITY, "'%s' is in '%s' and in '%s', %s", rel, owner_of(m, rel),
		       m->sources[m->current].name, what);
}

static bool failed(struct merge *m, const char *name, struct err *err)
{
	char rel[REL_MAX];
	return err_sys(err, ERR_FILESYSTEM, "cannot put '%s' of '%s' in place",
		       rel_of(m, name, rel), m->sources[m->current].name);
}

static bool same_content(int from, int to, const char *name)
{
	struct stat a, b;
	autoclose int x = openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	autoclose int y = openat(to, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (x < 0 || y < 0 || fstat(x, &a) < 0 || fstat(y, &b) < 0 || !S_ISREG(b.st_mode) ||
	    a.st_size != b.st_size)
		return false;
	if (a.st_dev == b.st_dev && a.st_ino == b.st_ino)
		return true;
	autofree char *p = xmalloc(CHUNK), *q = xmalloc(CHUNK);
	for (long long at = 0; at < a.st_size; at += CHUNK) {
		ptrdiff_t n = io_pread_all(x, p, CHUNK, at);
		if (n <= 0 || n != io_pread_all(y, q, CHUNK, at) || memcmp(p, q, (size_t)n))
			return false;
	}
	return true;
}

/* Texts that components bring under one name without meaning one file. */
static bool is_notice(const char *name)
{
	static const char *const starts[] = {"license",	  "licence",   "copying",
					     "copyright", "notice",    "eula",
					     "readme",	  "changelog", "version.txt"};
	for (size_t i = 0; i < ARRAY_LEN(starts); i++)
		if (!strncasecmp(name, starts[i], strlen(starts[i])))
			return true;
	return false;
}

static bool merge_regular(struct merge *m, int from, int to, const char *name, struct err *err)
{
	if (merge_file(from, name, to, name))
		return true;
	if (errno != EEXIST)
		return failed(m, name, err);
	if (same_content(from, to, name))
		return true;
	if (!is_notice(name))
		return conflict(m, name, "with different content", err);
	autofree char *own = xasprintf("%s.%s", name, m->sources[m->current].name);
	if (!merge_file(from, name, to, own) && errno != EEXIST)
		return failed(m, own, err);
	return true;
}

/*
 * ".." only at the beginning and at most as often as the folder is deep: all folders are real ones,
 * so such a link, and any chain of such links, ends inside the tree.
 */
static bool stays_inside(const char *target, int depth)
{
	bool down = false;
	if (*target == '/' || !*target)
		return false;
	for (const char *s = target; *s;) {
		size_t n = strcspn(s, "/");
		if (n == 2 && s[0] == '.' && s[1] == '.') {
			if (down || depth-- == 0)
				return false;
		} else if (n && !(n == 1 && *s == '.')) {
			down = true;
		}
		s += n + (s[n] == '/');
	}
	return true;
}

static bool merge_link(struct merge *m, int from, int to, const char *name, struct err *err)
{
	char target[PATH_MAX], old[PATH_MAX], rel[REL_MAX];
	ssize_t n = readlinkat(from, name, target, sizeof target - 1);
	if (n < 0)
		return failed(m, name, err);
	target[n] = '\0';
	if (!stays_inside(target, m->depth))
		return err_set(err, ERR_INTEGRITY,
			       "'%s' of '%s' is a link to '%s', out of the toolkit",
			       rel_of(m, name, rel), m->sources[m->current].name, target);
	if (symlinkat(target, to, name) == 0)
		return true;
	if (errno != EEXIST)
		return failed(m, name, err);
	if (readlinkat(to, name, old, sizeof old) != n || memcmp(old, target, (size_t)n))
		return conflict(m, name, "where it is a different link", err);
	return true;
}

static bool merge_folder(struct merge *m, int from, int to, struct err *err);

static bool enter(struct merge *m, int from, int to, const char *name, struct err *err)
{
	size_t len = m->rel.len;
	bool made = mkdirat(to, name, 0755) == 0;
	if (!made && errno != EEXIST)
		return failed(m, name, err);
	autoclose int sub = openat(to, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (sub < 0 && (errno == ENOTDIR || errno == ELOOP))
		return conflict(m, name, "where it is a folder", err);
	autoclose int in = openat(from, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (sub < 0 || in < 0 || (made && fchmod(sub, 0755) < 0))
		return failed(m, name, err);
	if (!(len == 0 || buf_addc(&m->rel, '/')) || !buf_adds(&m->rel, name) ||
	    m->depth >= DEPTH_MAX)
		return err_set(err, ERR_INTEGRITY, "folders too deep in '%s'",
			       m->sources[m->current].name);
	m->depth++;
	bool ok = merge_folder(m, in, sub, err);
	m->depth--;
	m->rel.len = len;
	m->rel.data[len] = '\0';
	return ok;
}

static bool merge_entry(struct merge *m, int from, int to, const char *name, struct err *err)
{
	struct stat st;
	if (fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return failed(m, name, err);
	if (S_ISDIR(st.st_mode))
		return enter(m, from, to, name, err);
	if (S_ISLNK(st.st_mode))
		return merge_link(m, from, to, name, err);
	if (S_ISREG(st.st_mode))
		return merge_regular(m, from, to, name, err);
	char rel[REL_MAX];
	return err_set(err, ERR_INTEGRITY, "'%s' of '%s' is neither file, folder nor link",
		       rel_of(m, name, rel), m->sources[m->current].name);
}

static bool merge_folder(struct merge *m, int from, int to, struct err *err)
{
	int fd = fcntl(from, F_DUPFD_CLOEXEC, 0);
	autodir DIR *d = fd < 0 ? NULL : fdopendir(fd);
	if (!d) {
		if (fd >= 0)
			close(fd);
		return failed(m, "", err);
	}
	for (struct dirent *e; (e = readdir(d));) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		if (!intr_check(err) || !merge_entry(m, from, to, e->d_name, err))
			return false;
	}
	return true;
}

bool merge_tree(const struct merge_source *sources, size_t i, int to, struct err *err)
{
	struct merge m = {sources, i, BUF_INIT(REL_MAX), 0};
	autoclose int from = open(sources[i].tree, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (from < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot open '%s'", sources[i].tree);
	bool ok = merge_folder(&m, from, to, err);
	buf_clear(&m.rel);
	return ok;
}
