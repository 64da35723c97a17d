/* The installed version itself, the store behind it, and the shims. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/path.h"
#include "base/scan.h"
#include "base/tree.h"
#include "core/doctor_checks.h"
#include "core/prefix.h"
#include "core/record.h"
#include "core/shimdir.h"

enum { SHIM_MAX = 8 << 20, SLACK_S = 60 };

static bool has(const struct facts *f, const char *file)
{
	autofree char *path = xasprintf("%s/%s", f->sel.prefix, file);
	return access(path, F_OK) == 0;
}

/* What a compile needs, and the component that has it. Debian's tree has its profile and nvvm elsewhere. */
void doctor_tree(struct doctor *d, const struct facts *f)
{
	static const struct {
		const char *file, *component;
	} needs[] = {
		{"bin/nvcc", "cuda_nvcc"},
		{"bin/nvcc.profile", "cuda_nvcc"},
		{"bin/ptxas", "cuda_nvcc"},
		{"nvvm/bin/cicc", "cuda_nvcc"},
		{"nvvm/libdevice/libdevice.10.bc", "cuda_nvcc"},
		{"include/crt/host_config.h", "cuda_crt"},
		{"include/cuda_runtime.h", "cuda_cudart"},
		{"lib64/libcudart.so", "cuda_cudart"},
		{"lib64/libcudart_static.a", "cuda_cudart"},
	};
	autobuf struct buf missing = BUF_INIT(1 << 12);
	struct verdict v;
	if (!facts_version(f))
		return;
	for (size_t i = 0; i < ARRAY_LEN(needs); i++)
		if (!has(f, needs[i].file))
			buf_addf(&missing, "%s%s", missing.len ? ", " : "", needs[i].file);
	if (missing.len) {
		doctor_find(d, DOCTOR_ERROR, "%s lacks %s", f->sel.name, buf_str(&missing));
		doctor_remedy(d, "cudaenv install -f %s, or cudaenv component which-has FILE",
			      f->sel.name);
	} else if (verdict_read(f->sel.prefix, &v) && !verdict_good(&v)) {
		doctor_find(d, DOCTOR_ERROR, "verify of %s ended with %s%s%s", f->sel.name, v.word,
			    v.detail[0] ? ": " : "", v.detail);
		doctor_remedy(d, "%s", v.hint[0] ? v.hint : "mend that, then cudaenv verify");
	}
}

/* Seconds since 1970 of "2026-11-30T17:18:00Z"; 0: no such time. */
static time_t seconds_of(const char *text)
{
	struct tm t = {0};
	return strptime(text, "%Y-%m-%dT%H:%M:%SZ", &t) ? timegm(&t) : 0;
}

enum { CHANGED_MAX = 64 };

struct changed {
	time_t since;
	struct {
		dev_t dev;
		ino_t ino;
		char *path;
	} files[CHANGED_MAX];
	size_t n;
	const char *first; /* of them that the store has */
	size_t shared;
};

/* Written since, and not of this tree alone. */
static bool look(void *ctx, const char *rel, const struct stat *st, struct err *err)
{
	struct changed *c = ctx;
	if (S_ISREG(st->st_mode) && st->st_nlink > 1 && st->st_mtime > c->since &&
	    c->n < CHANGED_MAX) {
		c->files[c->n].dev = st->st_dev;
		c->files[c->n].ino = st->st_ino;
		c->files[c->n++].path = xstrdup(rel);
	}
	return true;
}

static bool look_in_store(void *ctx, const char *rel, const struct stat *st, struct err *err)
{
	struct changed *c = ctx;
	for (size_t i = 0; i < c->n; i++)
		if (c->files[i].ino == st->st_ino && c->files[i].dev == st->st_dev) {
			c->first = c->first ? c->first : c->files[i].path;
			c->shared++;
		}
	return true;
}

/* Files of the store are linked into every prefix that has them: a write in place changes all of these. */
void doctor_store(struct doctor *d, const struct facts *f)
{
	struct record r = {0};
	struct err ignored;
	struct changed c = {0};
	if (!facts_version(f) || !record_read(f->sel.prefix, &r, &ignored))
		return;
	time_t installed = seconds_of(r.installed);
	c.since = installed + SLACK_S;
	bool any = installed && tree_walk(f->sel.prefix, look, &c, &ignored) && c.n;
	for (size_t i = 0; any && i < r.release.n; i++) {
		autofree char *entry =
			xasprintf("%s/store/%s", f->layout->root, r.release.components[i].sha256);
		if (access(entry, F_OK) == 0 && !tree_walk(entry, look_in_store, &c, &ignored))
			break;
	}
	if (c.shared) {
		doctor_find(d, DOCTOR_WARNING,
			    "%zu files of %s were changed since it was installed ('%s'): other "
			    "versions share them",
			    c.shared, f->sel.name, c.first);
		doctor_remedy(d,
			      "cudaenv uninstall %s, cudaenv prune, cudaenv install %s; to change "
			      "a file, remove it and write it anew",
			      f->sel.name, f->sel.name);
	}
	for (size_t i = 0; i < c.n; i++)
		free(c.files[i].path);
	record_clear(&r);
}

void doctor_moved(struct doctor *d, const struct facts *f)
{
	struct record r = {0};
	struct err ignored;
	bool moved = false;
	if (!facts_version(f) || !record_read(f->sel.prefix, &r, &ignored))
		return;
	bool ok = prefix_settle(f->sel.prefix, r.release.arch, false, &moved, &ignored);
	record_clear(&r);
	if (!ok || !moved)
		return;
	doctor_find(d, DOCTOR_ERROR, "'%s' was moved: the .pc files of %s name its former place",
		    f->layout->root, f->sel.name);
	doctor_remedy(d, "cudaenv rehash");
}

struct shims {
	const struct facts *f;
	struct buf program;
	struct stat base;
	char foreign[256], old[256];
	size_t n_foreign, n_old;
};

static bool is_current(const struct shims *s, const char *path)
{
	struct err ignored;
	autobuf struct buf b = BUF_INIT(SHIM_MAX);
	return io_read_file(path, &b, &ignored) && b.len == s->program.len &&
	       !memcmp(b.data, s->program.data, b.len);
}

static bool look_at_shim(void *ctx, const char *name, unsigned char type)
{
	struct shims *s = ctx;
	struct stat st;
	autofree char *path = xasprintf("%s/shims/%s", s->f->layout->root, name);
	if (name[0] == '.' || lstat(path, &st) < 0)
		return true;
	if (st.st_ino == s->base.st_ino && st.st_dev == s->base.st_dev)
		return true;
	if (S_ISREG(st.st_mode) && is_current(s, path))
		return true;
	if (!s->n_foreign++)
		snprintf(s->foreign, sizeof s->foreign, "%s", name);
	return true;
}

/* Files of others in shims/, which would run as tools; and shims of an older cudaenv. */
void doctor_shims(struct doctor *d, const struct facts *f)
{
	struct err ignored;
	struct shims s = {.f = f, .program = BUF_INIT(SHIM_MAX)};
	autofree char *folder = xasprintf("%s/shims", f->layout->root);
	autofree char *base = xasprintf("%s/.cudaenv-shim", folder);
	autofree char *program = shimdir_program();
	if (!program || !io_read_file(program, &s.program, &ignored) || lstat(base, &s.base) < 0) {
		buf_clear(&s.program);
		return;
	}
	scan_folder(folder, look_at_shim, &s);
	if (s.n_foreign) {
		doctor_find(d, DOCTOR_WARNING, "'%s/%s'%s is no shim of ours", folder, s.foreign,
			    s.n_foreign > 1 ? " and others" : "");
		doctor_remedy(d, "remove it, then cudaenv rehash");
	} else if (!is_current(&s, base)) {
		doctor_find(d, DOCTOR_WARNING,
			    "the shims are those of another cudaenv than this one");
		doctor_remedy(d, "cudaenv rehash");
	}
	buf_clear(&s.program);
}
