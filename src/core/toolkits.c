#include "core/toolkits.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/path.h"
#include "base/scan.h"
#include "core/identify.h"
#include "core/record.h"

enum { ORIGIN_MAX = 8192 };

char *toolkit_adopted(const char *prefix)
{
	struct err ignored;
	autobuf struct buf text = BUF_INIT(ORIGIN_MAX);
	autofree char *file = xasprintf("%s/.cudaenv/adopted", prefix);
	if (!io_read_file(file, &text, &ignored) || !text.len)
		return NULL;
	return xstrndup(buf_str(&text), strcspn(buf_str(&text), "\n"));
}

struct collect {
	struct toolkits *out;
	const char *folder; /* <root>/versions */
	bool shared;
};

static bool known(const struct toolkits *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (strcmp(t->items[i].name, name) == 0)
			return true;
	return false;
}

static bool collect(void *ctx, const char *name, unsigned char type)
{
	struct collect *c = ctx;
	char target[PATH_MAX];
	struct stat st;
	if (name[0] == '.' || strlen(name) >= VERSION_TEXT || known(c->out, name))
		return true;
	autofree char *prefix = xasprintf("%s/%s", c->folder, name);
	ssize_t n = readlink(prefix, target, sizeof target - 1);
	bool folder = stat(prefix, &st) == 0 && S_ISDIR(st.st_mode);
	if (n < 0 && !folder)
		return true;
	c->out->items = array_grow(c->out->items, c->out->n, sizeof *c->out->items);
	struct toolkit *t = &c->out->items[c->out->n++];
	t->name = xstrdup(name);
	t->target = n < 0 ? toolkit_adopted(prefix) : xstrndup(target, (size_t)n);
	t->prefix = take_ptr(prefix);
	t->dangling = !folder;
	t->shared = c->shared;
	if (!version_parse(name, strlen(name), &t->v))
		t->v.n = 0;
	return true;
}

static int order(const void *pa, const void *pb)
{
	const struct toolkit *a = pa, *b = pb;
	if (!a->v.n != !b->v.n)
		return a->v.n ? -1 : 1;
	int c = a->v.n ? version_compare(&b->v, &a->v) : 0;
	return c ? c : strcmp(a->name, b->name);
}

bool toolkits_read(struct toolkits *t, const struct layout *l, struct err *err)
{
	char folder[PATH_MAX];
	struct toolkits all = {0};
	for (int i = 0; layout_root(l, i, folder, sizeof folder); i++) {
		struct collect c = {&all, folder, i > 0};
		if (!path_join(folder, sizeof folder, folder, "versions"))
			continue;
		if (!scan_folder(folder, collect, &c) && errno != ENOENT) {
			err_sys(err, ERR_FILESYSTEM, "cannot read '%s'", folder);
			toolkits_clear(&all);
			return false;
		}
	}
	if (all.n)
		qsort(all.items, all.n, sizeof *all.items, order);
	*t = all;
	return true;
}

void toolkits_clear(struct toolkits *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->items[i].name);
		free(t->items[i].prefix);
		free(t->items[i].target);
	}
	free(t->items);
	*t = (struct toolkits){0};
}

bool toolkit_release(const char *prefix, char out[VERSION_TEXT])
{
	struct identity id;
	if (!identify_release("", prefix, false, &id))
		return false;
	memcpy(out, id.release, VERSION_TEXT);
	return true;
}

bool toolkit_nvcc(const char *prefix, char out[VERSION_TEXT])
{
	struct record r;
	struct err ignored;
	bool ok = false;
	if (!record_read(prefix, &r, &ignored))
		return identify_component(prefix, "cuda_nvcc", out);
	for (size_t i = 0; i < r.release.n && !ok; i++)
		ok = !strcmp(r.release.components[i].name, "cuda_nvcc") &&
		     identify_number(r.release.components[i].version, out);
	record_clear(&r);
	return ok || identify_component(prefix, "cuda_nvcc", out);
}
