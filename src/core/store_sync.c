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

bool store_sync_file(int dirfd, const char *path)
{
	const unsigned flags =
		SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
	autoclose int fd = openat(dirfd, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	return fd >= 0 && sync_file_range(fd, 0, 0, flags) == 0;
}

bool store_sync_last(int fd)
{
	return has_ordered_log(fd) ? fsync(fd) == 0 : syncfs(fd) == 0;
}
