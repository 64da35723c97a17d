/* Where the loader looks, and which libcudart and libcudnn it meets there. */
#include <ctype.h>
#include <dirent.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/io.h"
#include "base/path.h"
#include "base/scan.h"
#include "core/facts.h"
#include "core/toolkits.h"

enum { CONF_MAX = 1 << 16, HEADER_MAX = 1 << 20, DEPTH_MAX = 4, FOLDERS_MAX = 128, LIBS_MAX = 64 };

static void add_folder(struct facts *f, const char *path, size_t n, const char *from)
{
	struct stat st;
	if (f->n_folders >= FOLDERS_MAX)
		return;
	struct facts_folder d = {.path = xstrndup(path, n), .from = xstrdup(from)};
	d.there = stat(d.path, &st) == 0 && S_ISDIR(st.st_mode);
	f->folders = array_grow(f->folders, f->n_folders, sizeof *f->folders);
	f->folders[f->n_folders++] = d;
}

static void from_variable(struct facts *f)
{
	const char *p = getenv("LD_LIBRARY_PATH");
	for (size_t n; p && *p; p += n + (p[n] == ':' || p[n] == ';')) {
		n = strcspn(p, ":;");
		if (n)
			add_folder(f, p, n, "LD_LIBRARY_PATH");
	}
}

static void from_conf(struct facts *f, const char *file, int depth);

/* "include ld.so.conf.d/ *.conf": relative to the folder of the file. */
static void include(struct facts *f, const char *pattern, int depth)
{
	glob_t g = {0};
	autofree char *full =
		xasprintf("%s%s%s", f->at.root, *pattern == '/' ? "" : "/etc/", pattern);
	if (depth < DEPTH_MAX && glob(full, 0, NULL, &g) == 0)
		for (size_t i = 0; i < g.gl_pathc; i++)
			from_conf(f, g.gl_pathv[i] + strlen(f->at.root), depth + 1);
	globfree(&g);
}

static void from_conf(struct facts *f, const char *file, int depth)
{
	autobuf struct buf text = BUF_INIT(CONF_MAX);
	if (!facts_read(f, file, &text))
		return;
	for (const char *p = buf_str(&text); *p; p += *p == '\n') {
		p += strspn(p, " \t\r,:");
		size_t line = strcspn(p, "\n"), n = strcspn(p, "#\r\n");
		while (n && isspace((unsigned char)p[n - 1]))
			n--;
		if (n > 8 && !strncmp(p, "include", 7) && isblank((unsigned char)p[7])) {
			autofree char *pattern = xstrndup(p + 8, n - 8);
			include(f, pattern + strspn(pattern, " \t"), depth);
		} else if (n && *p == '/') {
			add_folder(f, p, n, file);
		}
		p += line;
	}
}

static void own_folders(struct facts *f)
{
	static const char *const folders[] = {"/lib/x86_64-linux-gnu",
					      "/usr/lib/x86_64-linux-gnu",
					      "/lib/aarch64-linux-gnu",
					      "/usr/lib/aarch64-linux-gnu",
					      "/lib64",
					      "/usr/lib64",
					      "/lib",
					      "/usr/lib"};
	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		autofree char *path = xasprintf("%s%s", f->at.root, folders[i]);
		bool seen = false;
		for (size_t j = 0; j < f->n_folders; j++)
			seen |= scan_same(f->folders[j].path, path);
		if (!seen)
			add_folder(f, path, strlen(path), "");
	}
}

/* #define CUDNN_MAJOR 9 ... in the header beside it. */
bool facts_cudnn_version(const char *folder, char *out, size_t cap)
{
	static const char *const names[] = {"CUDNN_MAJOR", "CUDNN_MINOR", "CUDNN_PATCHLEVEL"};
	static const char *const files[] = {"cudnn_version.h", "cudnn.h"};
	autobuf struct buf text = BUF_INIT(HEADER_MAX);
	struct err ignored;
	long n[ARRAY_LEN(names)] = {0};
	for (size_t i = 0; i < ARRAY_LEN(files) && !n[0]; i++) {
		autofree char *path = xasprintf("%s/../include/%s", folder, files[i]);
		buf_clear(&text);
		if (!io_read_file(path, &text, &ignored))
			continue;
		for (size_t j = 0; j < ARRAY_LEN(names); j++) {
			autofree char *word = xasprintf("#define %s ", names[j]);
			const char *at = strstr(buf_str(&text), word);
			n[j] = at ? strtol(at + strlen(word), NULL, 10) : 0;
		}
	}
	snprintf(out, cap, "%ld.%ld.%ld", n[0], n[1], n[2]);
	return n[0] > 0;
}

/*
 * "libcudart.so.12.4.127" tells its version; a wheel's is named by its soname alone: then the header beside it
 * (cuDNN) or the toolkit around it tells.
 */
static void name_version(struct facts_lib *l)
{
	const char *so = strstr(path_base(l->real), ".so.");
	char release[VERSION_TEXT];
	snprintf(l->version, sizeof l->version, "%.31s", so ? so + 4 : "");
	if (strchr(l->version, '.'))
		return;
	autofree char *folder = xstrndup(l->real, (size_t)(path_base(l->real) - l->real));
	if (l->cudnn) {
		char number[32];
		if (facts_cudnn_version(folder, number, sizeof number))
			memcpy(l->version, number, sizeof number);
		return;
	}
	for (int i = 0; i < 2; i++) {
		autofree char *tree = xasprintf(i ? "%s/../../.." : "%s/..", folder);
		if (toolkit_release(tree, release)) {
			snprintf(l->version, sizeof l->version, "%.31s", release);
			return;
		}
	}
}

static void take_lib(struct facts *f, const struct facts_folder *d, const char *name)
{
	struct facts_lib l = {.path = xasprintf("%s/%s", d->path, name), .from = d->from};
	l.cudnn = !strncmp(name, "libcudnn", 8);
	l.real = realpath(l.path, NULL);
	bool seen = !l.real || f->n_libs >= LIBS_MAX || strlen(name) >= sizeof l.soname;
	for (size_t i = 0; i < f->n_libs && !seen; i++)
		seen = !strcmp(f->libs[i].real, l.real);
	if (seen) {
		free(l.path);
		free(l.real);
		return;
	}
	memcpy(l.soname, name, strlen(name) + 1);
	name_version(&l);
	f->libs = array_grow(f->libs, f->n_libs, sizeof *f->libs);
	f->libs[f->n_libs++] = l;
}

/* The loader asks for a soname: one number behind ".so.", or two in libcudart.so.11.0. */
static bool is_soname(const char *name)
{
	const char *rest = !strncmp(name, "libcudart.so.", 13)	? name + 13
			   : !strncmp(name, "libcudnn.so.", 12) ? name + 12
								: "";
	size_t n = strspn(rest, "0123456789");
	return n && (!rest[n] || !strcmp(name, "libcudart.so.11.0") ||
		     (!strncmp(name, "libcudart.so.10.", 16) && strlen(name) == 17));
}

static int order(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int wanted(const struct dirent *e)
{
	return is_soname(e->d_name);
}

void facts_loader(struct facts *f)
{
	from_variable(f);
	from_conf(f, "/etc/ld.so.conf", 0);
	own_folders(f);
	for (size_t i = 0; i < f->n_folders; i++) {
		struct dirent **names = NULL;
		int n = scandir(f->folders[i].path, &names, wanted, order);
		for (int j = 0; j < n; j++) {
			take_lib(f, &f->folders[i], names[j]->d_name);
			free(names[j]);
		}
		free(names);
	}
}
