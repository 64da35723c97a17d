#include "core/trial.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/io.h"
#include "base/path.h"
#include "base/tree.h"
#include "core/childenv.h"
#include "core/place.h"

enum {
	COMPILE_DEADLINE_MS = 120000,
	OUTPUT_MAX = 1 << 20,
	KERNEL_MAX = 1 << 20,
	PREPROCESSED_MAX = 256 << 20,
	PLACES = 3,
};

/* errno on false. */
static bool open_at(struct trial *t, const char *place)
{
	struct statvfs fs;
	char dir[PATH_MAX];
	if (place[0] != '/') {
		errno = EINVAL;
		return false;
	}
	if (!path_join(dir, sizeof dir, place, "cudaenv-proof.XXXXXX")) {
		errno = ENAMETOOLONG;
		return false;
	}
	if (statvfs(place, &fs) < 0)
		return false;
	if (fs.f_flag & ST_NOEXEC) {
		errno = EACCES;
		return false;
	}
	if (!mkdtemp(dir))
		return false;
	memcpy(t->dir, dir, sizeof dir);
	return true;
}

static const char *why(int e, const char *place)
{
	struct statvfs fs;
	if (e == EACCES && statvfs(place, &fs) == 0 && (fs.f_flag & ST_NOEXEC))
		return "programs cannot be executed there (noexec)";
	return e == EINVAL ? "not an absolute path" : strerror(e);
}

/* <root>/staging for <root>/versions/<name>. */
static char *staging_of(const char *final)
{
	const char *end = final + strlen(final);
	for (int i = 0; i < 2; i++)
		do {
			end--;
		} while (end > final && *end != '/');
	return xasprintf("%.*s/staging", (int)(end - final), final);
}

bool trial_open(struct trial *t, const char *final, const struct events *ev, struct err *err)
{
	const char *tmpdir = getenv("TMPDIR");
	autofree char *staging = staging_of(final);
	const char *places[PLACES] = {tmpdir && *tmpdir ? tmpdir : NULL, "/tmp", staging};
	int e = 0, first = -1;

	for (int i = 0; i < PLACES; i++) {
		if (!places[i] || (i && places[0] && !strcmp(places[i], places[0])))
			continue;
		if (open_at(t, places[i])) {
			if (first == 0)
				event_warn(ev, NULL, "TMPDIR '%s' cannot be used: %s; using '%s'",
					   places[0], why(e, places[0]), places[i]);
			return true;
		}
		if (first < 0) {
			first = i;
			e = errno;
		}
	}
	err_set(err, ERR_FILESYSTEM, "no folder for the proof: %s'%s': %s",
		first == 0 ? "TMPDIR " : "", places[first], why(e, places[first]));
	return err_hint(err, "set TMPDIR to a folder that can be written and executed from");
}

void trial_close(struct trial *t)
{
	struct err err;
	/* What is left in a temporary folder harms nobody. */
	if (t->dir[0] && tree_remove(t->dir, &err))
		t->dir[0] = '\0';
}

static bool copy_kernel(const struct trial *t, struct err *err)
{
	autofree char *dir = place_find("CUDAENV_KERNELS", DATADIR "/kernels");
	autobuf struct buf text = BUF_INIT(KERNEL_MAX);
	autofree char *from = xasprintf("%s/hello.cu", dir);
	autofree char *to = xasprintf("%s/hello.cu", t->dir);
	if (!io_read_file(from, &text, err)) {
		err_prefix(err, "cannot prove the toolkit");
		return err_hint(err,
				"install cudaenv again, or name the folder in CUDAENV_KERNELS");
	}
	return atomic_write(to, buf_str(&text), text.len, 0600, err);
}

bool trial_compile(const struct trial *t, const char *prefix, struct proc_result *r,
		   struct err *err)
{
	if (!copy_kernel(t, err)) {
		err->sys = 0;
		return false;
	}
	/*
	 * All names but nvcc's are relative: the folder is the working directory, and it holds
	 * nothing else. Intermediate files are kept, and a link map is made, to see where things
	 * came from.
	 */
	autofree char *nvcc = xasprintf("%s/bin/nvcc", prefix);
	autoenv char **env = childenv_new(t->dir);
	const char *argv[] = {nvcc, "--keep", "-Xlinker", "-Map=hello.map",
			      "-o", "hello",  "hello.cu", NULL};
	struct proc p = {.argv = argv,
			 .env = (const char *const *)env,
			 .cwd = t->dir,
			 .deadline_ms = COMPILE_DEADLINE_MS,
			 .max_output = OUTPUT_MAX};
	if (!proc_run(&p, r, err))
		return false;
	if (r->status != 0 && strstr(buf_str(&r->err), "No space left on device")) {
		err_set(err, ERR_FILESYSTEM, "cannot compile in '%s': no space left", t->dir);
		proc_result_clear(r);
		return err_hint(err, "set TMPDIR to a folder with more space");
	}
	return true;
}

/* Names that only a CUDA toolkit's include folder has. */
static bool is_toolkit_header(const char *path)
{
	static const char *const starts[] = {
		"cuda",
		"device_",
		"driver_functions",
		"driver_types",
		"host_config",
		"host_defines",
		"sm_",
		"surface_",
		"texture_",
		"vector_functions",
		"vector_types",
		"builtin_types.h",
		"channel_descriptor.h",
		"common_functions.h",
		"library_types.h",
		"math_functions.h",
	};
	const char *base = path_base(path);
	if (strstr(path, "/include/crt/") || strstr(path, "/include/nv/") || strstr(path, "/cccl/"))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(starts); i++)
		if (!strncmp(base, starts[i], strlen(starts[i])))
			return true;
	return false;
}

static bool is_toolkit_library(const char *path)
{
	static const char *const starts[] = {"libcudart", "libcudadevrt", "libculibos"};
	const char *base = path_base(path);
	for (size_t i = 0; i < ARRAY_LEN(starts); i++)
		if (!strncmp(base, starts[i], strlen(starts[i])))
			return true;
	return false;
}

/* Looks at what stands between `start` at the beginning of a line and `end` behind it. */
static bool foreign_in(const char *file, const char *start, char end, const char *prefix,
		       bool (*ours)(const char *path), char *out, size_t cap)
{
	struct err err;
	char path[PATH_MAX];
	autobuf struct buf text = BUF_INIT(PREPROCESSED_MAX);
	size_t plen = strlen(prefix);
	if (!io_read_file(file, &text, &err))
		return false;
	for (const char *s = buf_str(&text); s; s = strchr(s, '\n')) {
		s += *s == '\n';
		if (strncmp(s, start, strlen(start)))
			continue;
		const char *from = s + strlen(start);
		/* A line marker has a number before the name. */
		from += strspn(from, "0123456789 \"");
		const char *to = strchr(from, end);
		if (*from != '/' || !to || (size_t)(to - from) >= sizeof path)
			continue;
		memcpy(path, from, (size_t)(to - from));
		path[to - from] = '\0';
		if (ours(path) && (strncmp(path, prefix, plen) || path[plen] != '/')) {
			snprintf(out, cap, "%s", path);
			return true;
		}
	}
	return false;
}

bool trial_foreign(const struct trial *t, const char *prefix, char *out, size_t cap)
{
	char path[PATH_MAX];
	autodir DIR *d = opendir(t->dir);
	for (struct dirent *e; d && (e = readdir(d));) {
		size_t n = strlen(e->d_name);
		if (n < 4 || !path_join(path, sizeof path, t->dir, e->d_name))
			continue;
		if (!strcmp(e->d_name + n - 3, ".ii") &&
		    foreign_in(path, "# ", '"', prefix, is_toolkit_header, out, cap))
			return true;
		if (!strcmp(e->d_name, "hello.map") &&
		    foreign_in(path, "LOAD ", '\n', prefix, is_toolkit_library, out, cap))
			return true;
	}
	return false;
}
