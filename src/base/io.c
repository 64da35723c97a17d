#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

bool io_read_file(const char *path, struct buf *out, struct err *err)
{
	char chunk[16384];
	size_t before = out->len;
	struct stat st;
	autoclose int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot open '%s'", path);
	if (fstat(fd, &st) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot stat '%s'", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_FILESYSTEM, "'%s' is not a regular file", path);
	for (;;) {
		ssize_t n = read(fd, chunk, sizeof chunk);
		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			return true;
		if (n > 0 && buf_add(out, chunk, (size_t)n))
			continue;
		if (n < 0)
			err_sys(err, ERR_FILESYSTEM, "cannot read '%s'", path);
		else
			err_set(err, ERR_FILESYSTEM, "'%s' is longer than %zu bytes", path,
				out->max);
		buf_cut(out, before);
		return false;
	}
}

bool io_write_all(int fd, const void *p, size_t n)
{
	const char *s = p;
	while (n) {
		ssize_t w = write(fd, s, n);
		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return false;
		s += w;
		n -= (size_t)w;
	}
	return true;
}

ptrdiff_t io_pread_all(int fd, void *p, size_t n, long long offset)
{
	size_t got = 0;
	while (got < n) {
		ssize_t r = pread(fd, (char *)p + got, n - got, offset + (long long)got);
		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return -1;
		if (r == 0)
			break;
		got += (size_t)r;
	}
	return (ptrdiff_t)got;
}
