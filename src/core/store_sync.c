#include "core/store_sync.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/attr.h"

#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC 0x58465342
#endif

/*
 * One fsync a file would be a flush of the disk for each of 1,700 headers; syncfs waits for what
 * everybody else wrote too (17 s in an install of 2 s beside a busy package build). On file systems
 * with one ordered log (ext4, xfs) neither is needed: once the data of a file has been written, its
 * metadata is in the log, and the fsync of a file that is created after that pushes all of the log
 * before it.
 */
static bool has_ordered_log(int fd)
{
	struct statfs s;
	return fstatfs(fd, &s) == 0 &&
	       (s.f_type == EXT4_SUPER_MAGIC || s.f_type == XFS_SUPER_MAGIC);
}

static bool wait_for(int fd)
{
	const unsigned flags =
		SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
	autoclose int owned = fd;
	return sync_file_range(owned, 0, 0, flags) == 0;
}

/* The disk has some at a time to work on. */
bool store_sync_file(struct store_sync *s, int dirfd, const char *path)
{
	int *slot = &s->fds[s->n % ARRAY_LEN(s->fds)];
	if (s->n >= ARRAY_LEN(s->fds) && !wait_for(take_fd(slot)))
		return false;
	*slot = openat(dirfd, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (*slot < 0)
		return false;
	s->n++;
	return sync_file_range(*slot, 0, 0, SYNC_FILE_RANGE_WRITE) == 0;
}

bool store_sync_end(struct store_sync *s)
{
	bool ok = true;
	size_t n = s->n < ARRAY_LEN(s->fds) ? s->n : ARRAY_LEN(s->fds);
	for (size_t i = 0; i < n; i++)
		ok &= s->fds[i] < 0 || wait_for(take_fd(&s->fds[i]));
	s->n = 0;
	return ok;
}

bool store_sync_last(int fd)
{
	return has_ordered_log(fd) ? fsync(fd) == 0 : syncfs(fd) == 0;
}
