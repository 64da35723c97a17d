#include "core/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"

enum {
	CACHE_HEX = 64,
	CACHE_MAX_NAME = 160, /* with digest and ".part" still below NAME_MAX */
};

static const char part_suffix[] = ".part";

char *cache_path(const char *dir, const char *sha256, const char *file)
{
	const char *base = path_base(file);
	size_t n = strlen(base);
	/* The end of a long name is kept: it tells the kind of archive. */
	autofree char *safe = xstrdup(n > CACHE_MAX_NAME ? base + n - CACHE_MAX_NAME : base);
	for (char *s = safe; *s; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			*s = '_';
	if (*safe == '.')
		*safe = '_';
	return xasprintf("%s/%.64s.%s", dir, sha256, *safe ? safe : "_");
}

/* Only names that cache_path makes are ours; anything else in the folder is left alone. */
static bool parse_name(const char *name, struct cache_entry *e)
{
	if (strspn(name, "0123456789abcdef") != CACHE_HEX || name[CACHE_HEX] != '.')
		return false;
	const char *file = name + CACHE_HEX + 1;
	size_t n = strlen(file), suffix = sizeof part_suffix - 1;
	e->part = n > suffix && !strcmp(file + n - suffix, part_suffix);
	if (e->part)
		n -= suffix;
	if (n == 0)
		return false;
	e->file = xstrndup(file, n);
	memcpy(e->sha256, name, CACHE_HEX);
	e->sha256[CACHE_HEX] = '\0';
	return true;
}

static int by_file(const void *a, const void *b)
{
	const struct cache_entry *x = a, *y = b;
	int c = strcmp(x->file, y->file);
	if (!c)
		c = strcmp(x->sha256, y->sha256);
	return c ? c : (int)x->part - (int)y->part;
}

/* A missing folder is an empty cache. */
static bool open_cache(const char *dir, DIR **out, struct err *err)
{
	*out = opendir(dir);
	if (!*out && errno != ENOENT)
		return err_sys(err, ERR_FILESYSTEM, "cannot open cache folder '%s'", dir);
	return true;
}

bool cache_read(const char *dir, struct cache_list *out, struct err *err)
{
	struct cache_list l = {0};
	autodir DIR *d = NULL;
	if (!open_cache(dir, &d, err))
		return false;
	for (struct dirent *de; d && (de = readdir(d));) {
		struct stat st;
		struct cache_entry e = {0};
		if (fstatat(dirfd(d), de->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISREG(st.st_mode) || !parse_name(de->d_name, &e))
			continue;
		e.size = (uint64_t)st.st_size;
		l.entries = array_grow(l.entries, l.n, sizeof *l.entries);
		l.entries[l.n++] = e;
	}
	if (l.n)
		qsort(l.entries, l.n, sizeof *l.entries, by_file);
	*out = l;
	return true;
}

void cache_list_clear(struct cache_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->entries[i].file);
	free(l->entries);
	*l = (struct cache_list){0};
}

bool cache_clear(const char *dir, uint64_t *freed, struct err *err)
{
	uint64_t sum = 0;
	autodir DIR *d = NULL;
	if (!open_cache(dir, &d, err))
		return false;
	for (struct dirent *de; d && (de = readdir(d));) {
		struct stat st;
		struct cache_entry e = {0};
		if (fstatat(dirfd(d), de->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISREG(st.st_mode) || !parse_name(de->d_name, &e))
			continue;
		free(e.file);
		if (unlinkat(dirfd(d), de->d_name, 0) < 0 && errno != ENOENT)
			return err_sys(err, ERR_FILESYSTEM, "cannot remove '%s/%s'", dir,
				       de->d_name);
		sum += (uint64_t)st.st_size;
	}
	*freed = sum;
	return true;
}
