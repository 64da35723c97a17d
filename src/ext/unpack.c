#include "ext/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/intr.h"
#include "base/io.h"
#include "base/path.h"
#include "ext/unpack_priv.h"

enum { WRITE_BACK = 8 << 20 };

struct run {
	const struct unpack *u;
	struct unpack_input in;
	char *folder; /* the last one that was made, with all above it */
	mode_t kept;  /* bits of modes that neither umask nor ACL take away */
	struct unpack_disk disk;
	struct unpack_links links;
	size_t entries;
	uint64_t bytes;
	struct err *err;
};

bool unpack_bad(const struct unpack *u, const char *entry, struct err *err, const char *why)
{
	return err_set(err, ERR_INTEGRITY, "'%s': entry '%.300s' %s", u->name, entry, why);
}

static bool bad(struct run *r, const char *entry, const char *why)
{
	return unpack_bad(r->u, entry, r->err, why);
}

static bool cannot(struct run *r, const char *what, const char *path)
{
	return err_sys(r->err, ERR_FILESYSTEM, "cannot %s '%.300s' of '%s'", what, path,
		       r->u->name);
}

static bool make_folder(struct run *r, const char *path)
{
	struct stat st;
	if (mkdirat(r->u->dirfd, path, 0755) == 0)
		/* The umask has no say in what others may read. */
		return fchmodat(r->u->dirfd, path, 0755, 0) == 0 ||
		       cannot(r, "create folder", path);
	if (errno != EEXIST || fstatat(r->u->dirfd, path, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return cannot(r, "create folder", path);
	return S_ISDIR(st.st_mode) || bad(r, path, "is a file and a folder");
}

/* How much of path, in whole names, is a folder that is there. */
static size_t common(const struct run *r, const char *path, size_t n)
{
	size_t at = 0, i = 0;
	const char *have = r->folder ? r->folder : "";
	for (; i < n && have[i] == path[i]; i++)
		if (path[i] == '/')
			at = i;
	return (i == n || path[i] == '/') && (!have[i] || have[i] == '/') ? i : at;
}

/* path and all above it, or all above it alone. Entries of one folder follow each other mostly. */
static bool make_folders(struct run *r, char *path, bool whole)
{
	char *last = strrchr(path, '/');
	size_t n = whole ? strlen(path) : last ? (size_t)(last - path) : 0;
	size_t have = common(r, path, n);
	if (have == n)
		return true;
	for (size_t i = have + 1; i <= n; i++) {
		char c = path[i];
		if (i < n && c != '/')
			continue;
		path[i] = '\0';
		bool ok = make_folder(r, path);
		path[i] = c;
		if (!ok)
			return false;
	}
	free(r->folder);
	r->folder = xstrndup(path, n);
	return true;
}

static uint64_t limit(const struct run *r)
{
	return r->u->max ? r->u->max : UNPACK_MAX_BYTES;
}

static bool write_data(struct run *r, int fd, const char *path, uint64_t *size)
{
	const void *p;
	size_t n;
	la_int64_t at;
	uint64_t sent = 0;
	for (;;) {
		int k = archive_read_data_block(r->in.a, &p, &n, &at);
		if (k == ARCHIVE_EOF)
			return true;
		if (k != ARCHIVE_OK)
			return !r->in.failed && bad(r, path, "is damaged or cut short");
		/* A sparse entry leaves holes, which count as much as what is written. */
		if (at < 0 || (uint64_t)at + n > limit(r) - r->bytes)
			return bad(r, path, "is too long");
		if ((uint64_t)at != *size && lseek(fd, at, SEEK_SET) < 0)
			return cannot(r, "write", path);
		if (!io_write_all(fd, p, n))
			return cannot(r, "write", path);
		*size = (uint64_t)at + n;
		if (*size - sent >= WRITE_BACK) {
			sync_file_range(fd, (off64_t)sent, (off64_t)(*size - sent),
					SYNC_FILE_RANGE_WRITE);
			sent = *size;
		}
		if (!intr_check(r->err))
			return false;
	}
}

/* The umask has no say in what others may read. */
static bool set_mode(struct run *r, int fd, mode_t mode)
{
	struct stat st;
	if (!(mode & ~r->kept))
		return true;
	if (fstat(fd, &st) < 0)
		return false;
	if ((st.st_mode & 0777) != mode)
		return fchmod(fd, mode) == 0;
	r->kept |= mode;
	return true;
}

static bool write_file(struct run *r, struct archive_entry *e, const char *path, mode_t mode)
{
	uint64_t size = 0;
	autoclose int fd = openat(r->u->dirfd, path,
				  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0)
		return errno == EEXIST ? bad(r, path, "is there twice") : cannot(r, "create", path);
	if (!write_data(r, fd, path, &size))
		return false;
	/* A hole at the end of a sparse file. */
	if (size < (uint64_t)archive_entry_size(e)) {
		size = (uint64_t)archive_entry_size(e);
		if (ftruncate(fd, (off_t)size) < 0)
			return cannot(r, "write", path);
	}
	r->bytes += size;
	unpack_disk_send(&r->disk, fd, size);
	if (!set_mode(r, fd, mode) || close(take_fd(&fd)) < 0)
		return cannot(r, "write", path);
	if (r->u->file)
		r->u->file(r->u->ctx, path, size, mode & 0111);
	return true;
}

static char *map(struct run *r, const char *name, bool folder, mode_t *mode)
{
	autofree char *ending = folder ? xasprintf("%s/", name) : NULL;
	char *path = r->u->map(r->u->ctx, folder ? ending : name, mode);
	size_t n = path ? strlen(path) : 0;
	while (n > 0 && path[n - 1] == '/')
		path[--n] = '\0';
	return path;
}

static bool take_link(struct run *r, struct archive_entry *e, const char *path, const char *name)
{
	const char *hard = archive_entry_hardlink(e), *soft = archive_entry_symlink(e);
	if (!hard)
		return unpack_links_add(&r->links, r->u, path, name, soft ? soft : "", false,
					r->err);
	autofree char *target = unpack_name_clean(hard);
	return unpack_name_fault(target)
		       ? bad(r, name, "is a hard link out of the archive")
		       : unpack_links_add(&r->links, r->u, path, name, target, true, r->err);
}

/* source_read_fn of one entry's content. */
static ptrdiff_t read_entry(void *from, void *buf, size_t n, struct err *err)
{
	struct run *r = from;
	la_ssize_t got = archive_read_data(r->in.a, buf, n);
	if (got < 0 && r->in.failed)
		*err = *r->err;
	else if (got < 0)
		unpack_bad(r->u, "inside", err, "is damaged or cut short");
	return got < 0 ? -1 : got;
}

static bool take_inner(struct run *r, const char *name, bool *taken)
{
	return !r->u->inner || r->u->inner(r->u->ctx, name, read_entry, r, taken, r->err);
}

static bool take_entry(struct run *r, struct archive_entry *e, const char *raw)
{
	mode_t mode = archive_entry_perm(e) & 06777, type = archive_entry_filetype(e);
	bool link = archive_entry_hardlink(e) || type == AE_IFLNK;
	autofree char *name = unpack_name_clean(raw);
	if (type == AE_IFDIR && (!*name || !strcmp(name, ".")))
		return true;
	const char *fault = unpack_name_fault(name);
	if (fault)
		return bad(r, raw, fault);
	if (!link && type != AE_IFDIR && type != AE_IFREG)
		return bad(r, raw, "is a device, a fifo or a socket");
	bool taken = false;
	if (!link && type == AE_IFREG && !take_inner(r, name, &taken))
		return false;
	if (taken)
		return true;
	autofree char *path = map(r, name, type == AE_IFDIR && !link, &mode);
	if (!path)
		return true;
	if (link)
		return take_link(r, e, path, name);
	if (type == AE_IFDIR)
		return make_folders(r, path, true);
	return make_folders(r, path, false) && write_file(r, e, path, mode & 0777);
}

static bool take_all(struct run *r)
{
	struct archive_entry *e;
	for (;;) {
		int k = archive_read_next_header(r->in.a, &e);
		if (k == ARCHIVE_EOF)
			break;
		if (k != ARCHIVE_OK && k != ARCHIVE_WARN)
			return unpack_input_bad(&r->in);
		if (++r->entries > UNPACK_MAX_ENTRIES)
			return err_set(r->err, ERR_INTEGRITY, "'%s' has more than %d entries",
				       r->u->name, UNPACK_MAX_ENTRIES);
		const char *name = archive_entry_pathname(e);
		if (!name)
			return bad(r, "?", "has no usable name");
		if (archive_entry_size(e) < 0 ||
		    (uint64_t)archive_entry_size(e) > limit(r) - r->bytes)
			return bad(r, name, "claims an impossible size");
		if (!take_entry(r, e, name) || !intr_check(r->err))
			return false;
	}
	for (size_t i = 0; i < r->links.n; i++)
		if (!make_folders(r, r->links.items[i].path, false))
			return false;
	return unpack_links_make(&r->links, r->u, r->err);
}

bool unpack_run(const struct unpack *u, struct err *err)
{
	struct run r = {
		.u = u, .in = {.u = u, .err = err}, .err = err, .disk = {.dirfd = u->dirfd}};
	bool ok = unpack_input_open(&r.in) && take_all(&r) && unpack_input_drain(&r.in);
	unpack_input_close(&r.in);
	unpack_disk_end(&r.disk);
	unpack_links_clear(&r.links);
	free(r.folder);
	return ok;
}
