/* An archive from anywhere: refused with a message, or all of it lies below the destination. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <fcntl.h>

#include "base/path.h"
#include "base/tree.h"
#include "core/redistmap.h"
#include "ext/unpack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	const uint8_t *data;
	size_t size;
};

static ptrdiff_t on_read(void *ctx, void *buf, size_t n, struct err *err)
{
	struct input *in = ctx;
	(void)err;
	if (n > in->size)
		n = in->size;
	if (n)
		memcpy(buf, in->data, n);
	in->data += n;
	in->size -= n;
	return (ptrdiff_t)n;
}

static char *on_entry(void *ctx, const char *name, mode_t *mode)
{
	char *path = redistmap(name, "x86_64", "fuzz");
	size_t n = path ? strlen(path) : 0;
	(void)ctx;
	if (*mode & ~(mode_t)07777)
		abort();
	autofree char *folder = n && path[n - 1] == '/' ? xstrndup(path, n - 1) : NULL;
	if (path && !path_safe_relative(folder ? folder : path))
		abort();
	return path;
}

/* Links are relative and none leads above the destination, wherever it stands. */
static bool on_there(void *ctx, const char *rel, const struct stat *st, struct err *err)
{
	char target[8192];
	autofree char *path = xasprintf("%s/%s", (const char *)ctx, rel);
	(void)err;
	if (st->st_mode & 07000 ||
	    !(S_ISREG(st->st_mode) || S_ISDIR(st->st_mode) || S_ISLNK(st->st_mode)))
		abort();
	if (!S_ISLNK(st->st_mode))
		return true;
	ssize_t n = readlink(path, target, sizeof target - 1);
	if (n < 1 || target[0] == '/')
		abort();
	target[n] = '\0';
	int depth = 0;
	for (const char *s = rel; (s = strchr(s, '/')); s++)
		depth++;
	for (const char *s = target; !strncmp(s, "../", 3); s += 3)
		if (depth-- == 0)
			abort();
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *tmp = getenv("TMPDIR");
	autofree char *dir = xasprintf("%s/cudaenv-fuzz.XXXXXX", tmp ? tmp : "/tmp");
	struct input in = {data, size};
	struct err err = {0};
	if (!mkdtemp(dir))
		abort();
	autoclose int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct unpack u = {.name = "fuzz.tar",
			   .read = on_read,
			   .map = on_entry,
			   .ctx = &in,
			   .dirfd = fd,
			   .threads = 2,
			   .max = 1 << 20};
	if (!unpack_run(&u, &err) && !err.msg[0])
		abort();
	if (!tree_walk(dir, on_there, dir, &err) || !tree_remove(dir, &err))
		abort();
	return 0;
}
