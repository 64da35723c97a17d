#include "core/toolkits.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/path.h"
#include "base/scan.h"
#include "core/record.h"

enum { HEADER_MAX = 4 << 20, JSON_MAX = 1 << 20 };

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
	t->prefix = take_ptr(prefix);
	t->target = n < 0 ? NULL : xstrndup(target, (size_t)n);
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

static bool read_text(const char *prefix, const char *file, struct buf *out)
{
	struct err ignored;
	autofree char *path = xasprintf("%s/%s", prefix, file);
	return io_read_file(path, out, &ignored) && out->len == strlen(buf_str(out));
}

/* Digits and dots at s; false when there are none. */
static bool take_number(const char *s, char out[VERSION_TEXT])
{
	struct version v;
	size_t n = strspn(s, "0123456789.");
	if (n >= VERSION_TEXT || !version_parse(s, n, &v))
		return false;
	memcpy(out, s, n);
	out[n] = '\0';
	return true;
}

/* {"<component>": {"version": "<number>"}} in version.json. */
static bool from_json(const char *prefix, const char *component, char out[VERSION_TEXT])
{
	autobuf struct buf text = BUF_INIT(JSON_MAX);
	const char *version = NULL;
	json_t *root = read_text(prefix, "version.json", &text)
			       ? json_loadb(buf_str(&text), text.len, 0, NULL)
			       : NULL;
	bool ok = root && json_unpack(root, "{s{ss}}", component, "version", &version) == 0 &&
		  take_number(version, out);
	json_decref(root);
	return ok;
}

static bool from_text(const char *prefix, char out[VERSION_TEXT])
{
	static const char word[] = "CUDA Version ";
	autobuf struct buf text = BUF_INIT(JSON_MAX);
	const char *at =
		read_text(prefix, "version.txt", &text) ? strstr(buf_str(&text), word) : NULL;
	return at && take_number(at + sizeof word - 1, out);
}

/* #define CUDA_VERSION 12040 */
static bool from_header(const char *prefix, char out[VERSION_TEXT])
{
	static const char word[] = "#define CUDA_VERSION ";
	autobuf struct buf text = BUF_INIT(HEADER_MAX);
	const char *at =
		read_text(prefix, "include/cuda.h", &text) ? strstr(buf_str(&text), word) : NULL;
	long n = at ? strtol(at + sizeof word - 1, NULL, 10) : 0;
	if (n < 1000 || n > 1000000)
		return false;
	snprintf(out, VERSION_TEXT, "%ld.%ld", n / 1000, n % 1000 / 10);
	return true;
}

bool toolkit_release(const char *prefix, char out[VERSION_TEXT])
{
	return from_json(prefix, "cuda", out) || from_text(prefix, out) || from_header(prefix, out);
}

bool toolkit_nvcc(const char *prefix, char out[VERSION_TEXT])
{
	struct record r;
	struct err ignored;
	bool ok = false;
	if (!record_read(prefix, &r, &ignored))
		return from_json(prefix, "cuda_nvcc", out);
	for (size_t i = 0; i < r.release.n && !ok; i++)
		ok = !strcmp(r.release.components[i].name, "cuda_nvcc") &&
		     take_number(r.release.components[i].version, out);
	record_clear(&r);
	return ok || from_json(prefix, "cuda_nvcc", out);
}
