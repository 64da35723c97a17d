#include "core/lacks.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/scan.h"
#include "base/tree.h"
#include "core/component_files.h"
#include "core/nvccprofile.h"
#include "core/prefix_parts.h"
#include "core/record.h"

/* Where gcc and ld look by themselves; NULL: Debian's folder of this architecture. */
static const char *const header_folders[] = {"/usr/local/include", "/usr/include"};
static const char *const library_folders[] = {"/usr/local/lib64", "/usr/local/lib", NULL,
					      "/usr/lib64", "/usr/lib"};

#define OWN NVCCPROFILE_OWN "lacks"

/* Besides libcublas, libcufft, ...: who has headers and libraries that the driver and the C library do not bring. */
static const char *const others[] = {"cuda_cupti", "cuda_nvrtc", "cuda_nvtx", "cuda_profiler_api"};

struct search {
	const char *prefix, *folder;
	bool library;
	lacks_fn *fn;
	void *ctx;
};

static bool has(const char *prefix, const char *folder, const char *name, const char *ending)
{
	struct stat st;
	autofree char *own = xasprintf("%s/%s/%s%s", prefix, folder, name, ending);
	autofree char *cupti = xasprintf("%s/extras/CUPTI/%s/%s%s", prefix, folder, name, ending);
	return stat(own, &st) == 0 || stat(cupti, &st) == 0;
}

/* "cublas_v2.h" as it is, "libcublas.so" and "libcublas.a" as "libcublas"; false: neither. */
static bool plain_name(bool library, const char *file, char *out, size_t cap)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
	size_t n = strspn(file, letters);
	const char *ending = file + n;
	if (library ? strncmp(file, "lib", 3) || (strcmp(ending, ".so") && strcmp(ending, ".a"))
		    : strcmp(ending, ".h"))
		return false;
	return snprintf(out, cap, "%.*s", (int)(library ? n : strlen(file)), file) < (int)cap;
}

static bool is_ours(const char *component)
{
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		if (!strcmp(component, others[i]))
			return true;
	return !strncmp(component, "lib", 3);
}

static bool entry(void *ctx, const char *file, unsigned char type)
{
	const struct search *s = ctx;
	char name[128];
	(void)type;
	const char *component =
		plain_name(s->library, file, name, sizeof name) ? component_guess(file) : NULL;
	if (!component || !is_ours(component) ||
	    (s->library
		     ? has(s->prefix, "lib64", name, ".so") || has(s->prefix, "lib64", name, ".a")
		     : has(s->prefix, "include", name, "")))
		return true;
	s->fn(s->ctx, &(struct lack){component, s->folder, name, s->library});
	return true;
}

void lacks_each(const char *prefix, const char *machine, lacks_fn *fn, void *ctx)
{
	struct utsname host;
	char debian[PATH_MAX] = "/usr/lib";
	if (uname(&host) == 0)
		snprintf(debian, sizeof debian, "/usr/lib/%s-linux-gnu", host.machine);
	struct search s = {.prefix = prefix, .fn = fn, .ctx = ctx};
	for (size_t i = 0; i < ARRAY_LEN(header_folders) + ARRAY_LEN(library_folders); i++) {
		s.library = i >= ARRAY_LEN(header_folders);
		s.folder = s.library ? library_folders[i - ARRAY_LEN(header_folders)]
				     : header_folders[i];
		if (!s.folder)
			s.folder = debian;
		autofree char *path = xasprintf("%s%s", machine, s.folder);
		scan_folder(path, entry, &s);
	}
}

struct guard {
	const char *name;
	const struct record *record; /* NULL: not known */
	const char *dir;
	size_t n;
	bool failed;
	struct err *err;
};

static void refuse(void *ctx, const struct lack *l)
{
	struct guard *g = ctx;
	char add[160] = "";
	/* What its component has not even now no component brings. */
	if (!g->record || !release_find(&g->record->release, l->component))
		snprintf(add, sizeof add, "; run cudaenv component add %s %s", g->name,
			 l->component);
	autofree char *path = xasprintf("%s/%s/%s%s", g->dir, l->library ? "lib" : "include",
					l->name, l->library ? ".so" : "");
	autofree char *text =
		xasprintf("%sCUDA %s has no %s (and that in %s is another CUDA's)%s%s\n",
			  l->library ? "ASSERT(0, \"" : "#error \"", g->name, l->name, l->folder,
			  add, l->library ? "\")" : "\"");
	if (!g->failed && access(path, F_OK) < 0) {
		g->failed = !prefix_write(AT_FDCWD, path, text, strlen(text), 0644, g->err);
		g->n++;
	}
}

static bool make_folder(const char *path, struct err *err)
{
	if (mkdir(path, 0755) < 0 || chmod(path, 0755) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot create folder '%s'", path);
	return true;
}

/* Both folders with what is in them; *n: how many things lack. */
static bool fill(const char *prefix, const char *machine, const char *name, const char *dir,
		 size_t *n, struct err *err)
{
	struct record record;
	struct err ignored;
	autofree char *include = xasprintf("%s/include", dir), *lib = xasprintf("%s/lib", dir);
	if (!tree_remove(dir, err) || !make_folder(dir, err) || !make_folder(include, err) ||
	    !make_folder(lib, err))
		return false;
	bool known = record_read(prefix, &record, &ignored);
	struct guard g = {.name = name, .record = known ? &record : NULL, .dir = dir, .err = err};
	lacks_each(prefix, machine, refuse, &g);
	if (known)
		record_clear(&record);
	*n = g.n;
	return !g.failed;
}

bool lacks_guard(const char *prefix, const char *machine, const char *name, struct err *err)
{
	static const char lines[] =
		/* Behind -I and -isystem and what the user has there. */
		"CPLUS_INCLUDE_PATH ?= " OWN "/include\n"
		"CPLUS_INCLUDE_PATH =+ :" OWN "/include\n"
		"C_INCLUDE_PATH ?= " OWN "/include\n"
		"C_INCLUDE_PATH =+ :" OWN "/include\n"
		/* LIBRARY_PATH would come behind Debian's folder. */
		"LIBRARIES =+ $(_SPACE_) \"-L" OWN "/lib\"\n";
	size_t n;
	autofree char *top = xasprintf("%s/.cudaenv", prefix);
	autofree char *dir = xasprintf("%s/lacks", top), *tmp = xasprintf("%s/lacks.new", top);
	if (access(top, F_OK) < 0 && !make_folder(top, err))
		return false;
	if (!fill(prefix, machine, name, tmp, &n, err))
		return false;
	if (n)
		return atomic_publish(tmp, dir, NULL, err) && tree_remove(tmp, err) &&
		       nvccprofile_set(prefix, "lacks", lines, NULL, err);
	return tree_remove(tmp, err) && nvccprofile_set(prefix, "lacks", "", NULL, err) &&
	       tree_remove(dir, err);
}

bool lacks_guarded(const char *prefix)
{
	autofree char *dir = xasprintf("%s/.cudaenv/lacks", prefix);
	return access(dir, F_OK) == 0;
}
