#include "core/product_folder.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "ext/digest.h"

enum { FILES_MAX = 10000, DEPTH_MAX = 4 };

struct collect {
	const struct product *p;
	struct product_folder *out;
};

static bool is_header(const struct product *p, const char *name)
{
	return !strncasecmp(name, p->name, strlen(p->name));
}

static bool is_library(const struct product *p, const char *name)
{
	const char *so = strstr(name, ".so");
	return !strncmp(name, p->library, strlen(p->library)) && so && (!so[3] || so[3] == '.');
}

static void add(struct collect *c, const char *from, const char *to, const struct stat *st,
		char *target)
{
	struct product_folder *f = c->out;
	f->files = array_grow(f->files, f->n, sizeof *f->files);
	f->files[f->n++] = (struct product_file){
		.from = xstrdup(from),
		.to = xstrdup(to),
		.target = target,
		.size = (uint64_t)st->st_size,
		.executable = st->st_mode & 0111,
	};
	f->bytes += target ? 0 : (uint64_t)st->st_size;
}

/* The text of a link to a neighbour that comes along too. */
static char *neighbour(const struct collect *c, const char *path)
{
	char text[NAME_MAX + 1];
	ssize_t n = readlink(path, text, sizeof text - 1);
	if (n <= 0 || (size_t)n == sizeof text - 1)
		return NULL;
	text[n] = '\0';
	return path_safe_component(text) && is_library(c->p, text) ? xstrdup(text) : NULL;
}

static bool take(struct collect *c, const char *from, const char *to, int depth, struct err *err);

static bool take_folder(struct collect *c, const char *from, const char *to, int depth,
			struct err *err)
{
	autodir DIR *d = opendir(from);
	if (!d || depth == DEPTH_MAX)
		return err_sys(err, ERR_FILESYSTEM, "cannot open folder '%s'", from);
	for (struct dirent *e; (e = readdir(d));) {
		autofree char *inner = xasprintf("%s/%s", from, e->d_name);
		autofree char *place = xasprintf("%s/%s", to, e->d_name);
		if (e->d_name[0] != '.' && !take(c, inner, place, depth + 1, err))
			return false;
	}
	return true;
}

static bool take(struct collect *c, const char *from, const char *to, int depth, struct err *err)
{
	struct stat st;
	char *target = neighbour(c, from);
	if (stat(from, &st) < 0) {
		free(target);
		return err_sys(err, ERR_FILESYSTEM, "cannot read '%s'", from);
	}
	if (!target && S_ISDIR(st.st_mode))
		return take_folder(c, from, to, depth, err);
	if (!S_ISREG(st.st_mode) || c->out->n == FILES_MAX ||
	    !path_safe_component(path_base(from))) {
		free(target);
		return c->out->n < FILES_MAX ||
		       err_set(err, ERR_INTEGRITY, "too many files in '%s'", from);
	}
	add(c, from, to, &st, target);
	return true;
}

/* What belongs to the product at the top of a folder. */
static bool take_from(struct collect *c, const char *folder, const char *place,
		      bool (*wanted)(const struct product *p, const char *name), struct err *err)
{
	autodir DIR *d = opendir(folder);
	for (struct dirent *e; d && (e = readdir(d));) {
		autofree char *from = xasprintf("%s/%s", folder, e->d_name);
		autofree char *to = xasprintf("%s/%s", place, e->d_name);
		if (wanted(c->p, e->d_name) && !take(c, from, to, 0, err))
			return false;
	}
	return true;
}

static int by_place(const void *a, const void *b)
{
	return strcmp(((const struct product_file *)a)->to, ((const struct product_file *)b)->to);
}

bool product_folder_read(struct product_folder *f, const struct product *p, const char *path,
			 struct err *err)
{
	static const char *const headers[] = {"include", "include/x86_64-linux-gnu",
					      "include/aarch64-linux-gnu", NULL};
	static const char *const libraries[] = {"lib64", "lib", "lib/x86_64-linux-gnu",
						"lib/aarch64-linux-gnu", NULL};
	struct product_folder new = {0};
	struct collect c = {p, &new};
	bool ok = true;
	size_t before = 0;
	/* The first of each that has any: lib64 is often a link to lib. */
	for (size_t i = 0; ok && headers[i] && new.n == 0; i++) {
		autofree char *folder = xasprintf("%s/%s", path, headers[i]);
		ok = take_from(&c, folder, "include", is_header, err);
	}
	before = new.n;
	for (size_t i = 0; ok && libraries[i] && new.n == before; i++) {
		autofree char *folder = xasprintf("%s/%s", path, libraries[i]);
		ok = take_from(&c, folder, "lib", is_library, err);
	}
	if (ok && (!before || new.n == before)) {
		ok = err_set(err, ERR_INTEGRITY, "'%s' has no %s of %s", path,
			     before ? "library" : "headers", p->title);
		err_hint(err, "it looks for include and lib64 or lib in that folder");
	}
	if (!ok) {
		product_folder_clear(&new);
		return false;
	}
	qsort(new.files, new.n, sizeof *new.files, by_place);
	*f = new;
	return true;
}

bool product_folder_digest(const struct product_folder *f, char sha256[65], struct err *err)
{
	struct digest *d = digest_new(DIGEST_SHA256);
	bool ok = true;
	for (size_t i = 0; ok && i < f->n; i++) {
		const struct product_file *file = &f->files[i];
		char hex[65] = "";
		ok = file->target || digest_file(DIGEST_SHA256, file->from, hex, err);
		autofree char *line =
			xasprintf("%s\n%s\n", file->to, file->target ? file->target : hex);
		digest_update(d, line, strlen(line));
	}
	digest_hex(d, sha256);
	digest_free(d);
	return ok;
}

void product_folder_clear(struct product_folder *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->files[i].from);
		free(f->files[i].to);
		free(f->files[i].target);
	}
	free(f->files);
	*f = (struct product_folder){0};
}
