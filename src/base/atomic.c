#include "base/atomic.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/io.h"
#include "base/tree.h"

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE (1 << 0)
#endif
#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE (1 << 1)
#endif
#define OVERLAYFS 0x794c7630

/* A name beside path that nobody else has; a left-over from a crash never blocks. Long names are
 * cut. */
static char *temp_name(const char *path)
{
	unsigned r = 0;
	if (getrandom(&r, sizeof r, GRND_NONBLOCK) != sizeof r)
		r = (unsigned)getpid();
	const char *slash = strrchr(path, '/');
	int dir = slash ? (int)(slash - path) + 1 : 0;
	return xasprintf("%.*s.%.128s.%ld.%08x.tmp", dir, path, path + dir, (long)getpid(), r);
}

static void sync_parent(const char *path)
{
	const char *slash = strrchr(path, '/');
	autofree char *dir =
		slash ? xstrndup(path, slash == path ? 1 : (size_t)(slash - path)) : xstrdup(".");
	autoclose int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		fsync(fd);
}

bool atomic_write(const char *path, const void *data, size_t len, mode_t mode, struct err *err)
{
	autofree char *tmp = temp_name(path);
	autoclose int fd = open(tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (fd < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot write '%s'", path);
	if (!io_write_all(fd, data, len) || fsync(fd) < 0 || rename(tmp, path) < 0) {
		err_sys(err, ERR_FILESYSTEM, "cannot write '%s'", path);
		unlink(tmp);
		return false;
	}
	sync_parent(path);
	return true;
}

bool atomic_open(struct atomic_file *f, const char *path, mode_t mode, struct err *err)
{
	const char *slash = strrchr(path, '/');
	autofree char *dir =
		slash ? xstrndup(path, slash == path ? 1 : (size_t)(slash - path)) : xstrdup(".");
	struct atomic_file new = {.path = xstrdup(path), .fd = -1};
	/* It gets its name by way of /proc. */
	if (access("/proc/self/fd", X_OK) == 0)
		new.fd = open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
	if (new.fd < 0) {
		new.tmp = temp_name(path);
		new.fd = open(new.tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	}
	if (new.fd >= 0) {
		*f = new;
		return true;
	}
	err_sys(err, ERR_FILESYSTEM, "cannot write '%s'", path);
	free(new.path);
	free(new.tmp);
	return false;
}

/* Gives a file without a name one. */
static bool name_file(struct atomic_file *f, const char *name)
{
	autofree char *self = xasprintf("/proc/self/fd/%d", f->fd);
	return linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

/* A stick with FAT knows no links, and old kernels and some network file systems not this flag. */
static int rename_new(const char *from, const char *to)
{
	if (syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	if (access(to, F_OK) < 0)
		return rename(from, to);
	errno = EEXIST;
	return -1;
}

static bool put_in_place(struct atomic_file *f, bool replace)
{
	if (!f->tmp && !replace)
		return name_file(f, f->path);
	if (!f->tmp) {
		f->tmp = temp_name(f->path);
		if (!name_file(f, f->tmp))
			return false;
	}
	if (replace ? rename(f->tmp, f->path) < 0 : rename_new(f->tmp, f->path) < 0)
		return false;
	free(take_ptr(f->tmp));
	return true;
}

bool atomic_commit(struct atomic_file *f, bool replace, struct err *err)
{
	bool ok = fsync(f->fd) == 0 && put_in_place(f, replace);
	if (ok)
		sync_parent(f->path);
	else
		err_sys(err, ERR_FILESYSTEM, "cannot write '%s'", f->path);
	atomic_abandon(f);
	return ok;
}

void atomic_abandon(struct atomic_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	if (f->tmp)
		unlink(f->tmp);
	free(f->tmp);
	free(f->path);
	*f = (struct atomic_file){.fd = -1};
}

bool atomic_symlink(const char *target, const char *path, struct err *err)
{
	char old[PATH_MAX];
	ssize_t n = readlink(path, old, sizeof old);
	if (n >= 0 && (size_t)n == strlen(target) && memcmp(old, target, (size_t)n) == 0)
		return true;
	autofree char *tmp = temp_name(path);
	if (symlink(target, tmp) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot create link '%s'", path);
	if (rename(tmp, path) < 0) {
		err_sys(err, ERR_FILESYSTEM, "cannot create link '%s'", path);
		unlink(tmp);
		return false;
	}
	sync_parent(path);
	return true;
}

static int rename_exchange(const char *a, const char *b)
{
	return (int)syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE);
}

/* Some network file systems cannot exchange: there the new one follows the old one at once. */
static int rename_in_turn(const char *from, const char *to)
{
	autofree char *aside = temp_name(to);
	if (rename(to, aside) < 0)
		return -1;
	if (rename(from, to) < 0) {
		int saved = errno;
		rename(aside, to);
		errno = saved;
		return -1;
	}
	return rename(aside, from);
}

static int exchange(const char *from, const char *to)
{
	if (rename_exchange(from, to) == 0)
		return 0;
	return errno == EINVAL || errno == ENOSYS ? rename_in_turn(from, to) : -1;
}

/* After a rename failed: whether that is since path is a folder of a container image's lower layer. */
static bool cannot_be_renamed(const char *path)
{
	struct statfs s;
	int saved = errno;
	bool layered = saved == EXDEV && statfs(path, &s) == 0 && s.f_type == OVERLAYFS;
	errno = saved;
	return layered;
}

bool atomic_remove(const char *path, const char *trash, struct err *err)
{
	if (rename(path, trash) == 0)
		return tree_remove(trash, err);
	return cannot_be_renamed(path) ? tree_remove(path, err)
				       : err_sys(err, ERR_FILESYSTEM, "cannot remove '%s'", path);
}

bool atomic_publish(const char *from, const char *to, bool *exchanged, struct err *err)
{
	struct stat st;
	bool swap = lstat(to, &st) == 0;
	int failed = swap ? exchange(from, to) : rename(from, to);
	if (failed && swap && cannot_be_renamed(to)) {
		if (!tree_remove(to, err))
			return false;
		swap = false;
		failed = rename(from, to);
	}
	if (failed)
		return err_sys(err, ERR_FILESYSTEM, "cannot move '%s' to '%s'", from, to);
	sync_parent(to);
	if (exchanged)
		*exchanged = swap;
	return true;
}
