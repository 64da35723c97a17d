#include "ext/fetch_part.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/io.h"
#include "base/tree.h"
#include "ext/digest.h"

enum {
	PART_BUFFER = 256 * 1024,
	PART_SLICE = 4 * 1024 * 1024,	  /* hashed between two looks at the network */
	PART_WRITEBACK = 8 * 1024 * 1024, /* so that the fsync at the end has little left to do */
};

static void release(struct part *p)
{
	if (p->fd >= 0)
		close(p->fd);
	digest_free(p->digest);
	free(p->path);
	free(p->buf);
	*p = PART_INIT;
}

static bool no_digest(const char *path, struct err *err)
{
	return err_set(err, ERR_HOST, "cannot hash '%s': OpenSSL offers no SHA-256", path);
}

bool part_open_whole(struct part *p, const char *dest)
{
	struct stat st;
	*p = PART_INIT;
	p->fd = open(dest, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (p->fd < 0)
		return false;
	p->path = xstrdup(dest);
	p->digest = digest_new(DIGEST_SHA256);
	if (p->digest && fstat(p->fd, &st) == 0 && S_ISREG(st.st_mode)) {
		p->disk = (uint64_t)st.st_size;
		return true;
	}
	release(p);
	return false;
}

static int open_part(const char *path)
{
	return open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0644);
}

static bool make_parent(const char *path, struct err *err)
{
	const char *slash = strrchr(path, '/');
	autofree char *dir = xstrndup(path, slash ? (size_t)(slash - path) : 0);
	return !*dir || tree_mkdirs(dir, err);
}

/* Takes the lock; also busy when the file got another name while we were waiting for the lock. */
static bool lock_part(struct part *p, bool *busy, struct err *err)
{
	struct stat st, now;
	*busy = flock(p->fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
	if (*busy)
		return true;
	if (fstat(p->fd, &st) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot stat '%s'", p->path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_FILESYSTEM, "'%s' is not a regular file", p->path);
	*busy = lstat(p->path, &now) < 0 || now.st_dev != st.st_dev || now.st_ino != st.st_ino;
	p->disk = (uint64_t)st.st_size;
	return true;
}

bool part_open(struct part *p, const char *dest, bool *busy, struct err *err)
{
	*p = (struct part){.dest = dest, .path = xasprintf("%s.part", dest)};
	p->fd = open_part(p->path);
	if (p->fd < 0 && errno == ENOENT) {
		if (!make_parent(p->path, err)) {
			release(p);
			return false;
		}
		p->fd = open_part(p->path);
	}
	bool ok = true;
	if (p->fd < 0)
		ok = err_sys(err, ERR_FILESYSTEM, "cannot write '%s'", p->path);
	else if (!(p->digest = digest_new(DIGEST_SHA256)))
		ok = no_digest(p->path, err);
	ok = ok && lock_part(p, busy, err);
	if (!ok || *busy)
		release(p);
	else
		p->buf = xmalloc(PART_BUFFER);
	return ok;
}

bool part_feed(struct part *p, bool *more, struct err *err)
{
	autofree unsigned char *slice = xmalloc(PART_BUFFER);
	for (uint64_t end = p->len + PART_SLICE; p->len < p->disk && p->len < end;) {
		uint64_t left = p->disk - p->len;
		ptrdiff_t n = io_pread_all(p->fd, slice, left < PART_BUFFER ? left : PART_BUFFER,
					   (long long)p->len);
		if (n < 0)
			return err_sys(err, ERR_FILESYSTEM, "cannot read '%s'", p->path);
		if (n == 0)
			p->disk = p->len; /* somebody cut it */
		digest_update(p->digest, slice, (size_t)n);
		p->len += (uint64_t)n;
	}
	*more = p->len < p->disk;
	p->sync = p->len;
	return true;
}

bool part_reset(struct part *p, struct err *err)
{
	char hex[65];
	if (ftruncate(p->fd, 0) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot write '%s'", p->path);
	digest_hex(p->digest, hex);
	p->len = p->disk = p->sync = 0;
	p->fill = 0;
	p->resets++;
	return true;
}

static bool write_error(const struct part *p, struct err *err)
{
	err_sys(err, ERR_FILESYSTEM, "cannot write '%s'", p->path);
	if (err->sys != ENOSPC && err->sys != EDQUOT)
		return false;
	if (p->expect > p->disk)
		return err_hint(err, "%llu more bytes are needed there; what has arrived is kept",
				(unsigned long long)(p->expect - p->disk));
	return err_hint(err, "free some space there; what has arrived is kept");
}

static bool flush(struct part *p, struct err *err)
{
	size_t done = 0;
	while (done < p->fill) {
		ssize_t n = pwrite(p->fd, p->buf + done, p->fill - done, (off_t)p->disk);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			memmove(p->buf, p->buf + done, p->fill -= done);
			return write_error(p, err);
		}
		done += (size_t)n;
		p->disk += (uint64_t)n;
	}
	p->fill = 0;
	if (p->disk - p->sync >= PART_WRITEBACK) {
		sync_file_range(p->fd, (off_t)p->sync, (off_t)(p->disk - p->sync),
				SYNC_FILE_RANGE_WRITE);
		p->sync = p->disk;
	}
	return true;
}

bool part_write(struct part *p, const void *data, size_t n, struct err *err)
{
	const unsigned char *s = data;
	while (n) {
		size_t room = PART_BUFFER - p->fill, now = n < room ? n : room;
		memcpy(p->buf + p->fill, s, now);
		digest_update(p->digest, s, now);
		p->fill += now;
		p->len += now;
		s += now;
		n -= now;
		if (p->fill == PART_BUFFER && !flush(p, err))
			return false;
	}
	return true;
}

void part_hex(const struct part *p, char *hex)
{
	digest_peek(p->digest, hex);
}

bool part_publish(struct part *p, struct err *err)
{
	if (!flush(p, err))
		return false;
	if (fsync(p->fd) < 0)
		return write_error(p, err);
	if (rename(p->path, p->dest) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot move '%s' to '%s'", p->path, p->dest);
	release(p);
	return true;
}

void part_close(struct part *p)
{
	struct err ignored;
	/* p->dest: opened for writing. The lock is still held, so the name is ours. */
	if (p->fd >= 0 && p->dest) {
		(void)!flush(p, &ignored);
		if (p->disk == 0)
			unlink(p->path);
	}
	release(p);
}
