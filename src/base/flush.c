#include "base/flush.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/attr.h"

/* Of others: a busy package build has gigabytes. */
enum { OTHERS_MAX = 32 << 20, FIRST_MAJOR = 5, FIRST_MINOR = 8 };

static uint64_t kilobytes(const char *text, const char *key)
{
	const char *at = strstr(text, key);
	return at ? strtoull(at + strlen(key), NULL, 10) : UINT64_MAX >> 20;
}

/* What is to be written, and what is being written, on the whole machine. */
static uint64_t dirty_bytes(void)
{
	char text[4096];
	autoclose int fd = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
	text[n < 0 ? 0 : n] = '\0';
	return (kilobytes(text, "\nDirty:") + kilobytes(text, "\nWriteback:")) << 10;
}

/* Linux 5.8: syncfs returns the errors of writing. */
static bool tells_errors(void)
{
	struct utsname u;
	int major = 0, minor = 0;
	return uname(&u) == 0 && sscanf(u.release, "%d.%d", &major, &minor) == 2 &&
	       (major > FIRST_MAJOR || (major == FIRST_MAJOR && minor >= FIRST_MINOR));
}

bool flush_all(int fd, uint64_t ours)
{
	if (!tells_errors())
		errno = ENOSYS;
	else if (dirty_bytes() > ours + OTHERS_MAX)
		errno = EBUSY;
	else
		return syncfs(fd) == 0;
	return false;
}
