#include "base/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/intr.h"
#include "base/io.h"

static void read_holder(int fd, char *out, size_t cap)
{
	char line[64];
	ptrdiff_t n = io_pread_all(fd, line, sizeof line - 1, 0);
	line[n > 0 ? n : 0] = '\0';
	line[strspn(line, "0123456789")] = '\0';
	if (line[0])
		snprintf(out, cap, "pid %s", line);
	else
		snprintf(out, cap, "another process");
}

bool lock_take(struct lock *l, const char *path, int wait_s, lock_notice_fn *notice, void *ctx,
	       struct err *err)
{
	char holder[80], self[32];
	/* As root in the root of somebody else it must not be a link to another file. */
	autoclose int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (fd < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot open lock file '%s'", path);
	/* Counted in steps rather than by the clock: a clock that jumps must not matter. */
	for (int step = 0; flock(fd, LOCK_EX | LOCK_NB) < 0; step++) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return err_sys(err, ERR_FILESYSTEM, "cannot lock '%s'", path);
		if (!intr_check(err))
			return false;
		read_holder(fd, holder, sizeof holder);
		if (step == 0 && wait_s > 0 && notice)
			notice(ctx, holder);
		if (step >= wait_s * 10) {
			err_set(err, ERR_LOCKED, "another cudaenv (%s) holds '%s'", holder, path);
			return err_hint(err, "wait for it to end, then run the command again");
		}
		nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
	}
	int n = snprintf(self, sizeof self, "%ld\n", (long)getpid());
	/* Only for messages: a full disk must not stop the one that frees space. */
	if (ftruncate(fd, 0) == 0 && pwrite(fd, self, (size_t)n, 0) < 0)
		errno = 0;
	l->fd = take_fd(&fd);
	return true;
}

void lock_release(struct lock *l)
{
	if (l->fd >= 0) {
		if (ftruncate(l->fd, 0) < 0)
			errno = 0;
		close(l->fd);
	}
	l->fd = -1;
}
