#include "core/shimdir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/buf.h"
#include "base/io.h"
#include "base/path.h"
#include "base/scan.h"
#include "base/tree.h"
#include "core/place.h"
#include "core/shimnames.h"
#include "core/toolkits.h"

enum { SHIM_MAX = 8 << 20 };

static const char base_name[] = ".cudaenv-shim";

/* A rebuild: what is wanted, and how to tell our files from those of others. */
struct shims {
	char dir[PATH_MAX];
	char *base;	      /* the private copy */
	struct buf program;   /* what a shim has to be now */
	struct buf former;    /* what the private copy was until now; empty: there was none */
	struct stat old, now; /* of the private copy, before and after; st_ino 0: none */
	struct strlist wanted;
	const struct events *ev;
};

static void shims_clear(struct shims *s)
{
	free(s->base);
	buf_clear(&s->program);
	buf_clear(&s->former);
	strlist_clear(&s->wanted);
}

static bool same_inode(const struct stat *a, const struct stat *b)
{
	return b->st_ino && a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}

static bool has_content(const char *path, const struct buf *want)
{
	struct err ignored;
	autobuf struct buf b = BUF_INIT(SHIM_MAX);
	return want->len && io_read_file(path, &b, &ignored) && b.len == want->len &&
	       !memcmp(b.data, want->data, b.len);
}

static bool is_ours(const struct shims *s, const char *path, const struct stat *st)
{
	return same_inode(st, &s->now) || same_inode(st, &s->old) ||
	       (S_ISREG(st->st_mode) &&
		(has_content(path, &s->program) || has_content(path, &s->former)));
}

/* A program or script, not a text that happens to have mode 0755. */
static bool is_program(const char *path)
{
	char magic[4];
	struct stat st;
	autoclose int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_mode & 0111 &&
	       io_pread_all(fd, magic, sizeof magic, 0) >= 2 &&
	       (!memcmp(magic, "#!", 2) || !memcmp(magic, "\177ELF", 4));
}

/* Whether a link in bin stays in its prefix (both resolved): others are the system's own programs.
 */
static bool stays_inside(const char *prefix, const char *path)
{
	autofree char *real = realpath(path, NULL), *top = realpath(prefix, NULL);
	size_t n = top ? strlen(top) : 0;
	return real && top && !strncmp(real, top, n) && real[n] == '/';
}

struct collect {
	struct shims *s;
	const struct toolkit *t;
};

static bool collect(void *ctx, const char *name, unsigned char type)
{
	struct collect *c = ctx;
	autofree char *path = xasprintf("%s/bin/%s", c->t->prefix, name);
	if (strlist_has(&c->s->wanted, name) || !path_safe_component(name) || !is_program(path) ||
	    !stays_inside(c->t->prefix, path))
		return true;
	if (shimnames_want(name, !c->t->target))
		strlist_add(&c->s->wanted, name);
	else if (!c->t->target)
		event_note(c->s->ev, "'%s' of %s gets no shim: builds need the system's", name,
			   c->t->name);
	return true;
}

static bool collect_tools(struct shims *s, const struct layout *l, struct err *err)
{
	autotoolkits struct toolkits all = {0};
	if (!toolkits_read(&all, l, err))
		return false;
	for (size_t i = 0; i < all.n; i++) {
		struct collect c = {s, &all.items[i]};
		autofree char *bin = xasprintf("%s/bin", all.items[i].prefix);
		if (!scan_folder(bin, collect, &c) && errno != ENOENT)
			event_warn(s->ev, NULL, "cannot read '%s': %s", bin, strerror(errno));
	}
	return true;
}

char *shimdir_program(void)
{
	return place_find("CUDAENV_SHIM", LIBEXECDIR "/cudaenv-shim");
}

static bool read_program(struct shims *s, const char *shim, struct err *err)
{
	autofree char *found = shim ? NULL : shimdir_program();
	const char *path = shim ? shim : found;
	if (!io_read_file(path, &s->program, err))
		err_prefix(err, "no shim program");
	else if (s->program.len)
		return true;
	else
		err_set(err, ERR_FAILED, "the shim program '%s' is empty", path);
	return err_hint(err, "install cudaenv again, or set CUDAENV_SHIM to its cudaenv-shim");
}

/* Makes the private copy what the program is, unless it is that already. */
static bool place_base(struct shims *s, struct err *err)
{
	struct err ignored;
	if (lstat(s->base, &s->old) < 0)
		s->old.st_ino = 0;
	else if (!io_read_file(s->base, &s->former, &ignored))
		buf_clear(&s->former);
	if (s->former.len != s->program.len ||
	    memcmp(s->former.data, s->program.data, s->program.len) ||
	    (s->old.st_mode & 07777) != 0555) {
		/* chmod: the umask must not keep a site's other users out. */
		if (!atomic_write(s->base, s->program.data, s->program.len, 0555, err))
			return false;
		if (chmod(s->base, 0555) < 0)
			return err_sys(err, ERR_FILESYSTEM, "cannot chmod '%s'", s->base);
	}
	if (lstat(s->base, &s->now) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot stat '%s'", s->base);
	return true;
}

static bool copy_shim(const struct shims *s, const char *path, struct err *err)
{
	if (!atomic_write(path, s->program.data, s->program.len, 0555, err))
		return false;
	return chmod(path, 0555) == 0 || err_sys(err, ERR_FILESYSTEM, "cannot chmod '%s'", path);
}

static bool link_shim(const struct shims *s, const char *path, struct err *err)
{
	autofree char *tmp = xasprintf("%s/.link.%ld.tmp", s->dir, (long)getpid());
	unlink(tmp);
	if (link(s->base, tmp) < 0)
		return copy_shim(s, path, err);
	if (rename(tmp, path) == 0)
		return true;
	err_sys(err, ERR_FILESYSTEM, "cannot write '%s'", path);
	unlink(tmp);
	return false;
}

static bool place_shim(const struct shims *s, const char *name, struct err *err)
{
	autofree char *path = xasprintf("%s/%s", s->dir, name);
	struct stat st;
	if (lstat(path, &st) < 0)
		return link_shim(s, path, err);
	if (same_inode(&st, &s->now) ||
	    (st.st_mode == (S_IFREG | 0555) && has_content(path, &s->program)))
		return true;
	if (S_ISDIR(st.st_mode)) {
		event_warn(s->ev, NULL, "'%s' is a folder: no shim can be there", path);
		return true;
	}
	if (!is_ours(s, path, &st))
		event_warn(s->ev, NULL, "'%s' was no shim, and is one now", path);
	return link_shim(s, path, err);
}

static bool clean_one(void *ctx, const char *name, unsigned char type)
{
	const struct shims *s = ctx;
	struct stat st;
	size_t n = strlen(name);
	autofree char *path = xasprintf("%s/%s", s->dir, name);
	if (strcmp(name, base_name) == 0 || strlist_has(&s->wanted, name) || lstat(path, &st) < 0)
		return true;
	bool left_over = name[0] == '.' && n > 4 && !strcmp(name + n - 4, ".tmp");
	if ((left_over || is_ours(s, path, &st)) && unlink(path) == 0)
		return true;
	event_warn(s->ev, "remove it, or move it to another folder", "'%s' is not a shim of ours",
		   path);
	return true;
}

static bool rebuild(struct shims *s, const char *shim, struct err *err)
{
	if (!read_program(s, shim, err) || !tree_mkdirs(s->dir, err) || !place_base(s, err))
		return false;
	for (size_t i = 0; i < s->wanted.n; i++)
		if (!place_shim(s, s->wanted.items[i], err))
			return false;
	if (!scan_folder(s->dir, clean_one, s))
		return err_sys(err, ERR_FILESYSTEM, "cannot read '%s'", s->dir);
	return true;
}

bool shimdir_rebuild(const struct layout *l, const char *shim, const struct events *ev,
		     struct err *err)
{
	struct shims s = {.program = BUF_INIT(SHIM_MAX), .former = BUF_INIT(SHIM_MAX), .ev = ev};
	if (!layout_path(l, s.dir, sizeof s.dir, "shims"))
		return err_set(err, ERR_USAGE, "the path of the root is too long");
	s.base = xasprintf("%s/%s", s.dir, base_name);
	bool ok = collect_tools(&s, l, err);
	/* Nothing to do, and no shim program needed, where there is neither a tool nor a shim. */
	if (ok && (s.wanted.n || access(s.dir, F_OK) == 0))
		ok = rebuild(&s, shim, err);
	shims_clear(&s);
	return ok;
}

static bool add_name(void *ctx, const char *name, unsigned char type)
{
	if (name[0] != '.')
		strlist_add(ctx, name);
	return true;
}

bool shimdir_list(const struct layout *l, struct strlist *out, struct err *err)
{
	char dir[PATH_MAX];
	struct strlist names = {0};
	if (!layout_path(l, dir, sizeof dir, "shims"))
		return err_set(err, ERR_USAGE, "the path of the root is too long");
	if (!scan_folder(dir, add_name, &names) && errno != ENOENT) {
		err_sys(err, ERR_FILESYSTEM, "cannot read '%s'", dir);
		strlist_clear(&names);
		return false;
	}
	strlist_sort(&names);
	*out = names;
	return true;
}
