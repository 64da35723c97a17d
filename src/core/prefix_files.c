#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "core/prefix_parts.h"

enum { FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

/* One step down; makes the folder when asked to. */
static int step(int at, const char *name, bool make)
{
	bool made = make && mkdirat(at, name, 0755) == 0;
	int fd = make && !made && errno != EEXIST ? -1 : openat(at, name, FOLDER);
	if (fd >= 0 && made && fchmod(fd, 0755) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static int walk(int root, const char *rel, bool make)
{
	char name[NAME_MAX + 1];
	autoclose int at = fcntl(root, F_DUPFD_CLOEXEC, 0);
	while (at >= 0 && *rel) {
		size_t n = strcspn(rel, "/");
		if (n == 0 || n > NAME_MAX) {
			errno = ENAMETOOLONG;
			return -1;
		}
		memcpy(name, rel, n);
		name[n] = '\0';
		int next = step(at, name, make);
		if (next < 0)
			return -1;
		close(at);
		at = next;
		rel += n + (rel[n] == '/');
	}
	return take_fd(&at);
}

int prefix_folder(const struct prefix *p, const char *rel, struct err *err)
{
	int fd = walk(p->root, rel, true);
	if (fd < 0 && (errno == ENOTDIR || errno == ELOOP))
		err_set(err, ERR_INTEGRITY, "'%s' of the toolkit is not a folder", rel);
	else if (fd < 0)
		err_sys(err, ERR_FILESYSTEM, "cannot create folder '%s/%s'", p->staging, rel);
	return fd;
}

int prefix_open(const struct prefix *p, const char *rel)
{
	return walk(p->root, rel, false);
}

static int by_version(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

void prefix_names(int dir, const char *start, const char *end, struct strlist *out)
{
	int fd = openat(dir, ".", FOLDER);
	autodir DIR *d = fd < 0 ? NULL : fdopendir(fd);
	for (struct dirent *e; d && (e = readdir(d));) {
		size_t n = strlen(e->d_name), ns = strlen(start), ne = strlen(end);
		if (e->d_name[0] != '.' && n >= ns + ne && !strncmp(e->d_name, start, ns) &&
		    !strcmp(e->d_name + n - ne, end))
			strlist_add(out, e->d_name);
	}
	if (out->n)
		qsort(out->items, out->n, sizeof *out->items, by_version);
}

bool prefix_has(int dir, const char *rel)
{
	return faccessat(dir, rel, F_OK, 0) == 0;
}

bool prefix_link(int dir, const char *target, const char *name, struct err *err)
{
	struct stat a, b;
	if (symlinkat(target, dir, name) == 0)
		return true;
	if (errno != EEXIST)
		return err_sys(err, ERR_FILESYSTEM, "cannot create link '%s'", name);
	if (fstatat(dir, name, &a, 0) == 0 && fstatat(dir, target, &b, 0) == 0 &&
	    a.st_dev == b.st_dev && a.st_ino == b.st_ino)
		return true;
	return err_set(err, ERR_INTEGRITY, "'%s' of the toolkit is not a link to '%s'", name,
		       target);
}

bool prefix_write(int dir, const char *name, const void *data, size_t len, mode_t mode,
		  struct err *err)
{
	if (unlinkat(dir, name, 0) < 0 && errno != ENOENT)
		return err_sys(err, ERR_FILESYSTEM, "cannot replace '%s'", name);
	autoclose int fd =
		openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0 || !io_write_all(fd, data, len) || fchmod(fd, mode) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot write '%s'", name);
	return true;
}

bool prefix_read(int dir, const char *name, struct buf *out, struct err *err)
{
	struct stat st;
	char chunk[16384];
	autoclose int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool is_link = fd < 0 && errno == ELOOP;
	if (!is_link && (fd < 0 || fstat(fd, &st) < 0))
		return err_sys(err, ERR_FILESYSTEM, "cannot read '%s'", name);
	if (is_link || !S_ISREG(st.st_mode))
		return err_set(err, ERR_INTEGRITY, "'%s' of the toolkit is not a file", name);
	for (;;) {
		ssize_t n = read(fd, chunk, sizeof chunk);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, ERR_FILESYSTEM, "cannot read '%s'", name);
		if (n == 0)
			return true;
		if (!buf_add(out, chunk, (size_t)n))
			return err_set(err, ERR_INTEGRITY, "'%s' is longer than %zu bytes", name,
				       out->max);
	}
}
