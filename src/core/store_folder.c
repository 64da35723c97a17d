#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/fs.h>

#include "base/intr.h"
#include "base/io.h"
#include "core/product_folder.h"
#include "core/store_entry.h"

enum { CHUNK = 1 << 20 };

/*
 * A product's files in a folder of this machine, on their way into the store: copied, never
 * linked, since they are others'.
 */
struct folder {
	struct store_entry e; /* first */
	const char *path;
	struct product_folder list;
};

static void folder_free(struct store_entry *e)
{
	struct folder *f = (struct folder *)e;
	product_folder_clear(&f->list);
	free(f);
}

static bool copy_bytes(struct folder *f, int in, int out, struct err *err)
{
	autofree char *chunk = xmalloc(CHUNK);
	for (;;) {
		ssize_t n = read(in, chunk, CHUNK);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, ERR_FILESYSTEM, "cannot read '%s'", f->path);
		if (n == 0)
			return true;
		if (!io_write_all(out, chunk, (size_t)n))
			return err_sys(err, ERR_FILESYSTEM, "cannot write to the store");
		store_entry_progress(&f->e, (uint64_t)n);
		if (!intr_check(err))
			return false;
	}
}

/* Folders above a file, below the entry's tree. */
static bool make_parents(int tree, const char *path, struct err *err)
{
	for (const char *slash = path; (slash = strchr(slash, '/')); slash++) {
		autofree char *folder = xstrndup(path, (size_t)(slash - path));
		if (mkdirat(tree, folder, 0755) == 0) {
			if (fchmodat(tree, folder, 0755, 0) < 0)
				return err_sys(err, ERR_FILESYSTEM, "cannot create folder '%s'",
					       folder);
		} else if (errno != EEXIST) {
			return err_sys(err, ERR_FILESYSTEM, "cannot create folder '%s'", folder);
		}
	}
	return true;
}

static bool copy_file(struct folder *f, const struct product_file *file, struct err *err)
{
	autofree char *path = xasprintf("targets/%s-linux/%s", f->e.to->arch, file->to);
	if (!make_parents(f->e.treefd, path, err))
		return false;
	if (file->target)
		return symlinkat(file->target, f->e.treefd, path) == 0 ||
		       err_sys(err, ERR_FILESYSTEM, "cannot create link '%s'", path);
	mode_t mode = file->executable ? 0555 : 0444;
	autoclose int in = open(file->from, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (in < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot read '%s'", file->from);
	autoclose int out =
		openat(f->e.treefd, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (out < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot write '%s'", path);
	if (ioctl(out, FICLONE, in) < 0 && !copy_bytes(f, in, out, err))
		return false;
	if (fchmod(out, mode) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot write '%s'", path);
	store_entry_file(&f->e, path, file->size, file->executable, "");
	return true;
}

static bool copy_all(struct folder *f, struct err *err)
{
	const struct product *p;
	if (!product_by_name(f->e.c->name, &p, err) ||
	    !product_folder_read(&f->list, p, f->path, err) || !store_entry_open(&f->e, err))
		return false;
	f->e.steps = f->list.bytes;
	for (size_t i = 0; i < f->list.n; i++)
		if (!copy_file(f, &f->list.files[i], err))
			return false;
	return true;
}

static void run(struct store_entry *entry)
{
	struct err err = {0};
	bool ok = copy_all((struct folder *)entry, &err);
	store_entry_end(entry, ok, &err);
}

struct store_entry *store_folder_new(const char *path)
{
	struct folder *f = xcalloc(1, sizeof *f);
	f->path = path;
	f->e.run = run;
	f->e.free = folder_free;
	return &f->e;
}
