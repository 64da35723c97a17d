#include "base/scan.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/attr.h"

enum { LINE = 8192, FILE_MAX = 16 << 20 };

/* What the kernel writes; opendir would allocate. */
struct entry {
	uint64_t ino;
	int64_t off;
	unsigned short reclen;
	unsigned char type;
	char name[];
};

static bool is_dots(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

bool scan_folder(const char *path, scan_fn *fn, void *ctx)
{
	_Alignas(struct entry) char buf[4096];
	autoclose int fd = openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	for (;;) {
		long n = syscall(SYS_getdents64, fd, buf, sizeof buf);
		if (n <= 0)
			return n == 0;
		for (long at = 0; at < n;) {
			const struct entry *e = (const void *)(buf + at);
			if (!is_dots(e->name) && !fn(ctx, e->name, e->type))
				return true;
			at += e->reclen;
		}
	}
}

bool scan_same(const char *a, const char *b)
{
	struct stat x, y;
	return !strcmp(a, b) || (stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
				 x.st_ino == y.st_ino);
}

bool scan_lines(const char *path, scan_line_fn *fn, void *ctx)
{
	char text[LINE];
	struct stat st;
	size_t have = 0;
	bool skip = false;
	autoclose int fd = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > FILE_MAX)
		return false;
	for (;;) {
		ssize_t n = read(fd, text + have, sizeof text - 1 - have);
		if (n <= 0)
			return n == 0;
		have += (size_t)n;
		char *line = text, *nl;
		for (; (nl = memchr(line, '\n', (size_t)(text + have - line))); line = nl + 1) {
			nl[nl > line && nl[-1] == '\r' ? -1 : 0] = '\0';
			if (!skip)
				fn(ctx, line);
			skip = false;
		}
		have -= (size_t)(line - text);
		memmove(text, line, have);
		if (have == sizeof text - 1) {
			skip = true;
			have = 0;
		}
	}
}
