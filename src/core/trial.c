#include "core/trial.h"

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
#include "base/scan.h"
#include "base/tree.h"
#include "core/childenv.h"
#include "core/place.h"

enum {
	COMPILE_DEADLINE_MS = 300000,
	OUTPUT_MAX = 1 << 20,
	KERNEL_MAX = 1 << 20,
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

struct copying {
	const char *from, *to;
	struct err *err;
	bool ok;
};

static bool copy_file(const struct copying *c, const char *name)
{
	autobuf struct buf text = BUF_INIT(KERNEL_MAX);
	autofree char *from = xasprintf("%s/%s", c->from, name);
	autofree char *to = xasprintf("%s/%s", c->to, name);
	if (!io_read_file(from, &text, c->err)) {
		err_prefix(c->err, "cannot prove the toolkit");
		return err_hint(c->err,
				"install cudaenv again, or name the folder in CUDAENV_KERNELS");
	}
	return atomic_write(to, buf_str(&text), text.len, 0600, c->err);
}

static bool copy_header(void *ctx, const char *name, unsigned char type)
{
	struct copying *c = ctx;
	size_t n = strlen(name);
	if (n > 2 && !strcmp(name + n - 2, ".h"))
		c->ok = copy_file(c, name);
	return c->ok;
}

/* The folder with the program's source; all but hello.cu, which stands alone, include the headers. */
static bool prepare(const char *dir, const struct trial_program *p, struct err *err)
{
	autofree char *kernels = place_find("CUDAENV_KERNELS", DATADIR "/kernels");
	autofree char *source = xasprintf("%s.cu", p->source);
	struct copying c = {kernels, dir, err, true};
	if (p->folder[0] && mkdir(dir, 0700) < 0 && errno != EEXIST)
		return err_sys(err, ERR_FILESYSTEM, "cannot create folder '%s'", dir);
	if (!copy_file(&c, source))
		return false;
	if (strcmp(p->source, "hello") != 0 && !scan_folder(kernels, copy_header, &c))
		return err_sys(err, ERR_FILESYSTEM, "cannot read '%s'", kernels);
	return c.ok;
}

static void add_targets(struct strlist *argv, const struct trial_program *p)
{
	for (size_t i = 0; i < p->code.n; i++) {
		int cc = p->code.cc[i];
		autofree char *a = xasprintf("-gencode=arch=compute_%d,code=sm_%d", cc, cc);
		strlist_add(argv, a);
	}
	if (p->ptx) {
		autofree char *a =
			xasprintf("-gencode=arch=compute_%d,code=compute_%d", p->ptx, p->ptx);
		strlist_add(argv, a);
	}
}

/*
 * All names but nvcc's are relative: the folder is the working directory, and it holds nothing else.
 * Where things came from is seen from the intermediate files and a link map.
 */
static void make_argv(struct strlist *argv, const char *prefix, const struct trial_program *p)
{
	autofree char *nvcc = xasprintf("%s/bin/nvcc", prefix);
	autofree char *source = xasprintf("%s.cu", p->source);
	autofree char *map = xasprintf("-Map=%s.map", p->source);
	strlist_add(argv, nvcc);
	if (!p->folder[0]) {
		strlist_add(argv, "--keep");
		strlist_add(argv, "-Xlinker");
		strlist_add(argv, map);
	} else {
		/* None needs it, and 11.8 and 12.4 take seconds to link PTX with it. */
		strlist_add(argv, "-cudadevrt=none");
	}
	add_targets(argv, p);
	strlist_add(argv, "-o");
	strlist_add(argv, p->source);
	strlist_add(argv, source);
	for (size_t i = 0; p->link && p->link[i]; i++)
		strlist_add(argv, p->link[i]);
	argv->items = array_grow(argv->items, argv->n, sizeof *argv->items);
}

bool trial_compile(const struct trial *t, const char *prefix, const struct trial_program *program,
		   struct proc_result *r, struct err *err)
{
	autofree char *dir =
		xasprintf("%s%s%s", t->dir, program->folder[0] ? "/" : "", program->folder);
	autostrlist struct strlist argv = {0};
	if (!prepare(dir, program, err)) {
		err->sys = 0;
		return false;
	}
	make_argv(&argv, prefix, program);
	autoenv char **env = childenv_new(dir);
	struct proc p = {.argv = (const char *const *)argv.items,
			 .env = (const char *const *)env,
			 .cwd = dir,
			 .deadline_ms = COMPILE_DEADLINE_MS,
			 .max_output = OUTPUT_MAX};
	if (!proc_run(&p, r, err))
		return false;
	if (r->status != 0 && strstr(buf_str(&r->err), "No space left on device")) {
		err_set(err, ERR_FILESYSTEM, "cannot compile in '%s': no space left", dir);
		proc_result_clear(r);
		return err_hint(err, "set TMPDIR to a folder with more space");
	}
	return true;
}

bool trial_run(const struct trial *t, const struct trial_program *program, int deadline_ms,
	       struct proc_result *r, struct err *err)
{
	autofree char *dir = xasprintf("%s/%s", t->dir, program->folder);
	autofree char *exe = xasprintf("%s/%s", dir, program->source);
	const char *argv[] = {exe, NULL};
	autoenv char **env = childenv_for_gpu(dir, t->visible, program->libraries);
	struct proc p = {.argv = argv,
			 .env = (const char *const *)env,
			 .cwd = dir,
			 .deadline_ms = deadline_ms,
			 .max_output = OUTPUT_MAX};
	return proc_run(&p, r, err);
}
