#include "core/bundle_tar.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/path.h"

/* As it lies in the file. */
struct head {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[100],
		magic[8], owner[32], group[32], device[16], prefix[155], rest[12];
};
_Static_assert(sizeof(struct head) == BUNDLE_BLOCK, "a block");

static bool has_magic(const struct head *h)
{
	return memcmp(h->magic, "ustar", 5) == 0;
}

bool bundle_is(const char *path)
{
	struct head h = {0};
	struct stat st;
	size_t n = strlen(path);
	autoclose int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       ((n > 4 && !strcmp(path + n - 4, ".tar")) ||
		(io_pread_all(fd, &h, sizeof h, 0) == sizeof h && has_magic(&h)));
}

/* Its bytes, with its own field as blanks. */
static unsigned sum_of(const struct head *h)
{
	struct head copy = *h;
	const uint8_t *bytes = (const uint8_t *)&copy;
	unsigned sum = 0;
	memset(copy.sum, ' ', sizeof copy.sum);
	for (size_t i = 0; i < sizeof copy; i++)
		sum += bytes[i];
	return sum;
}

/* Octal digits, and blanks or zeros around them. */
static bool number(const char *s, size_t n, uint64_t *out)
{
	uint64_t v = 0;
	size_t i = 0, digits = 0;
	while (i < n && s[i] == ' ')
		i++;
	for (; i < n && s[i] >= '0' && s[i] <= '7'; i++, digits++)
		v = v << 3 | (uint64_t)(s[i] - '0');
	for (; i < n; i++)
		if (s[i] != ' ' && s[i] != '\0')
			return false;
	*out = v;
	return digits > 0;
}

struct reading {
	const char *path;
	int fd;
	uint64_t at, end;
	struct bundle_index x;
	struct err *err;
};

static bool bad(struct reading *r, const char *why)
{
	err_set(r->err, ERR_INTEGRITY, "'%s' is no bundle: %s", r->path, why);
	return err_hint(r->err, "'cudaenv bundle create' makes them; copy it once more");
}

static bool bad_member(struct reading *r, const char *name, const char *why)
{
	err_set(r->err, ERR_INTEGRITY, "'%s': member '%.300s' %s", r->path, name, why);
	return err_hint(r->err,
			"'cudaenv bundle create' makes none of that kind: copy it once more, or "
			"ask whoever made it");
}

static char *name_of(const struct head *h)
{
	int n = (int)strnlen(h->name, sizeof h->name),
	    p = (int)strnlen(h->prefix, sizeof h->prefix);
	/* GNU's own form has other things in the place of the prefix. */
	if (memcmp(h->magic, "ustar", 6) != 0)
		p = 0;
	autofree char *whole = xasprintf("%.*s%s%.*s", p, h->prefix, p ? "/" : "", n, h->name);
	const char *from = whole;
	while (from[0] == '.' && from[1] == '/')
		from += 2;
	size_t len = strlen(from);
	while (h->type == '5' && len && from[len - 1] == '/')
		len--;
	return xstrndup(from, len);
}

static bool take(struct reading *r, const struct head *h)
{
	uint64_t size;
	autofree char *name = name_of(h);
	bool folder = h->type == '5';
	if (folder && (!*name || !strcmp(name, ".")))
		return true;
	if (!path_safe_relative(name))
		return bad_member(r, name, "has a forbidden name");
	if (!folder && h->type != '0' && h->type != '\0')
		return bad_member(r, name, "is no plain file");
	if (!number(h->size, sizeof h->size, &size) || (folder && size))
		return bad_member(r, name, "has an impossible size");
	if (size > r->end - r->at)
		return bad_member(r, name, "is cut short");
	if (folder)
		return true;
	if (r->x.n == BUNDLE_MEMBERS_MAX)
		return bad(r, "it has too many members");
	struct bundle_member m = {.name = take_ptr(name), .offset = r->at, .size = size};
	r->x.members = array_grow(r->x.members, r->x.n, sizeof m);
	r->x.members[r->x.n++] = m;
	r->at += (size + BUNDLE_BLOCK - 1) / BUNDLE_BLOCK * BUNDLE_BLOCK;
	return true;
}

static bool read_heads(struct reading *r)
{
	static const struct head zero;
	for (bool first = true;; first = false) {
		struct head h;
		uint64_t sum;
		ptrdiff_t got = io_pread_all(r->fd, &h, sizeof h, (long long)r->at);
		if (got < 0)
			return err_sys(r->err, ERR_FILESYSTEM, "cannot read '%s'", r->path);
		if (got != sizeof h)
			return bad(r, first ? "it is no tar file" : "it is cut short");
		if (!first && !memcmp(&h, &zero, sizeof h))
			return true;
		if (!has_magic(&h) || !number(h.sum, sizeof h.sum, &sum) || sum != sum_of(&h))
			return bad(r, first ? "it is no tar file" : "it is damaged");
		r->at += sizeof h;
		if (!take(r, &h))
			return false;
	}
}

static int by_name(const void *a, const void *b)
{
	const struct bundle_member *x = a, *y = b;
	return strcmp(x->name, y->name);
}

static bool no_name_twice(struct reading *r)
{
	for (size_t i = 1; i < r->x.n; i++)
		if (!strcmp(r->x.members[i].name, r->x.members[i - 1].name))
			return bad_member(r, r->x.members[i].name, "is there twice");
	return true;
}

bool bundle_index_read(const char *path, struct bundle_index *out, struct err *err)
{
	struct stat st;
	struct reading r = {.path = path, .err = err};
	autoclose int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot read '%s'", path);
	if (!S_ISREG(st.st_mode))
		return bad(&r, "it is no file");
	r.fd = fd;
	r.end = (uint64_t)st.st_size;
	bool ok = read_heads(&r);
	if (ok && r.x.n)
		qsort(r.x.members, r.x.n, sizeof *r.x.members, by_name);
	if (ok && no_name_twice(&r)) {
		*out = r.x;
		return true;
	}
	bundle_index_clear(&r.x);
	return false;
}

const struct bundle_member *bundle_index_find(const struct bundle_index *x, const char *name)
{
	for (size_t i = 0; i < x->n; i++)
		if (!strcmp(x->members[i].name, name))
			return &x->members[i];
	return NULL;
}

void bundle_index_clear(struct bundle_index *x)
{
	for (size_t i = 0; i < x->n; i++)
		free(x->members[i].name);
	free(x->members);
	*x = (struct bundle_index){0};
}

bool bundle_part_read(const char *path, uint64_t offset, uint64_t size, struct buf *out,
		      struct err *err)
{
	if (size > out->max)
		return err_set(err, ERR_INTEGRITY, "'%s': a member of %llu bytes is too long", path,
			       (unsigned long long)size);
	size_t n = (size_t)size;
	autofree char *text = xmalloc(n + 1);
	autoclose int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || io_pread_all(fd, text, n, (long long)offset) != (ptrdiff_t)n)
		return err_sys(err, ERR_FILESYSTEM, "cannot read '%s'", path);
	buf_add(out, text, n);
	return true;
}

/* "a/b/c": as much as fits behind a '/', the rest in front of it. */
static bool set_name(struct head *h, const char *name)
{
	size_t len = strlen(name);
	const char *rest = name;
	if (len > sizeof h->name) {
		rest = strchr(name + len - sizeof h->name - 1, '/');
		if (!rest || (size_t)(rest - name) > sizeof h->prefix)
			return false;
		memcpy(h->prefix, name, (size_t)(rest - name));
		rest++;
	}
	memcpy(h->name, rest, strlen(rest));
	return true;
}

bool bundle_head(uint8_t block[BUNDLE_BLOCK], const char *name, uint64_t size)
{
	struct head h = {.type = '0'};
	if (size >= BUNDLE_MEMBER_MAX || !set_name(&h, name))
		return false;
	memcpy(h.mode, "0000644", 8);
	memcpy(h.uid, "0000000", 8);
	memcpy(h.gid, "0000000", 8);
	snprintf(h.size, sizeof h.size, "%011llo", (unsigned long long)size);
	memcpy(h.mtime, "00000000000", 12);
	memcpy(h.magic, "ustar\00000", 8);
	snprintf(h.sum, 7, "%06o", sum_of(&h));
	h.sum[7] = ' ';
	memcpy(block, &h, sizeof h);
	return true;
}
