#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/intr.h"
#include "base/io.h"
#include "core/bundle_item.h"
#include "ext/digest.h"

enum { PIECE = 1 << 20 };

static bool cannot_write(const struct atomic_file *f, struct err *err)
{
	return err_sys(err, ERR_FILESYSTEM, "cannot write '%s'", f->path);
}

static bool differs(const struct bundle_item *it, const char *what, struct err *err)
{
	return err_set(err, ERR_INTEGRITY, "'%s': %s is not what the manifest says of '%s'",
		       it->place.path, what, it->c->file);
}

static bool copy_bytes(struct atomic_file *f, const struct bundle_item *it, int fd,
		       struct digest *d, struct err *err)
{
	autofree char *piece = xmalloc(PIECE);
	for (uint64_t at = 0; at < it->size;) {
		size_t want = it->size - at < PIECE ? (size_t)(it->size - at) : PIECE;
		ptrdiff_t got = io_pread_all(fd, piece, want, (long long)(it->place.offset + at));
		if (!intr_check(err))
			return false;
		if (got < 0)
			return err_sys(err, ERR_FILESYSTEM, "cannot read '%s'", it->place.path);
		if ((size_t)got != want)
			return differs(it, "its length", err);
		digest_update(d, piece, want);
		if (!io_write_all(f->fd, piece, want))
			return cannot_write(f, err);
		at += want;
	}
	return true;
}

static bool copy_archive(struct atomic_file *f, const struct bundle_item *it, struct err *err)
{
	char hex[65];
	autoclose int fd = open(it->place.path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot read '%s'", it->place.path);
	struct digest *d = digest_new(DIGEST_SHA256);
	bool ok = copy_bytes(f, it, fd, d, err);
	digest_hex(d, hex);
	digest_free(d);
	return ok && (!strcmp(hex, it->c->sha256) || differs(it, "its sha256", err));
}

static bool write_item(struct atomic_file *f, const struct bundle_item *it, struct err *err)
{
	static const char zeros[BUNDLE_BLOCK];
	uint8_t head[BUNDLE_BLOCK];
	if (!bundle_head(head, it->name, it->size))
		return err_set(err, ERR_FAILED, "'%s' cannot be in a bundle: its name is too long",
			       it->name);
	if (!io_write_all(f->fd, head, sizeof head))
		return cannot_write(f, err);
	if (it->text ? !io_write_all(f->fd, it->text, it->size) : !copy_archive(f, it, err))
		return it->text ? cannot_write(f, err) : false;
	return io_write_all(f->fd, zeros, (size_t)(-it->size % BUNDLE_BLOCK)) ||
	       cannot_write(f, err);
}

bool bundle_write(struct atomic_file *f, const struct bundle_item *items, size_t n,
		  struct bundle_made *out, struct err *err)
{
	static const char end[2 * BUNDLE_BLOCK];
	uint64_t total = sizeof end;
	for (size_t i = 0; i < n; i++)
		total += 2 * BUNDLE_BLOCK + items[i].size;
	/* That the disk is full is told before all that work. */
	if (fallocate(f->fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)total) < 0 && errno == ENOSPC)
		return cannot_write(f, err);
	for (size_t i = 0; i < n; i++)
		if (!write_item(f, &items[i], err))
			return false;
	if (!io_write_all(f->fd, end, sizeof end) ||
	    ftruncate(f->fd, lseek(f->fd, 0, SEEK_CUR)) < 0)
		return cannot_write(f, err);
	*out = (struct bundle_made){.bytes = (uint64_t)lseek(f->fd, 0, SEEK_CUR), .files = n};
	return true;
}
