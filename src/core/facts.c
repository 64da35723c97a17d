#include "core/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "base/io.h"
#include "core/nvccask.h"
#include "core/pyurl.h"
#include "core/redist_mirrors.h"
#include "core/source.h"
#include "core/toolkits.h"
#include "ext/fetch.h"

enum { INDEX_MAX = 8 << 20 };

bool facts_there(const struct facts *f, const char *path)
{
	struct stat st;
	autofree char *full = xasprintf("%s%s", f->at.root, path);
	return stat(full, &st) == 0;
}

bool facts_read(const struct facts *f, const char *path, struct buf *out)
{
	struct err ignored;
	autofree char *full = xasprintf("%s%s", f->at.root, path);
	return io_read_file(full, out, &ignored);
}

bool facts_version(const struct facts *f)
{
	return f->resolved && f->sel.prefix[0];
}

const char *facts_cuda_number(int n, char out[VERSION_TEXT])
{
	snprintf(out, VERSION_TEXT, "%d.%d", n / 1000, n % 1000 / 10);
	return out;
}

/* NVIDIA's packages have a version.json that does not speak of nvcc. */
static void take_nvcc(struct facts *f)
{
	char release[VERSION_TEXT];
	autofree char *nvcc = xasprintf("%s/bin/nvcc", f->sel.prefix);
	if (!toolkit_nvcc(f->sel.prefix, f->nvcc) && !nvcc_ask(nvcc, release, f->nvcc))
		f->nvcc[0] = '\0';
}

static void select_here(struct facts *f)
{
	struct spec spec;
	struct err ignored;
	f->resolved = resolve_select(f->layout, NULL, &f->sel, &f->why);
	if (!facts_version(f))
		return;
	if (!product_cudnn(f->layout, &f->sel, &f->cudnn, &f->cudnn_why))
		f->cudnn = (struct product_selection){0};
	if (!toolkit_release(f->sel.prefix, f->release))
		snprintf(f->release, sizeof f->release, "%s", f->sel.name);
	take_nvcc(f);
	/* A header tells major and minor only: the newest patch level stands for it. */
	if (!f->catalog ||
	    !spec_parse(f->release, strlen(f->release), "the tree", &spec, &ignored) ||
	    !catalog_select(f->catalog, &spec, NULL, &f->known, &ignored))
		f->known = NULL;
}

/* The host's facts, with the driver as the child told it, so that nothing is loaded twice. */
static void judge_host(struct facts *f)
{
	static const char *const none[] = {NULL};
	struct utsname u = {0};
	uname(&u);
	host_probe_at(&f->host,
		      &(struct host_places){f->at.root, f->at.machine ? f->at.machine : u.machine,
					    none, none});
	snprintf(f->kernel, sizeof f->kernel, "%s", f->at.kernel ? f->at.kernel : u.release);
	f->host.cuda = f->gpus.cuda;
	if (!f->host.driver[0])
		snprintf(f->host.driver, sizeof f->host.driver, "%s", f->gpus.nvml_driver);
	if (f->known)
		f->fit = host_fit(&f->host, f->known);
}

static void take_glibc(struct facts *f)
{
	const char *version = f->at.glibc;
#ifdef __GLIBC__
	if (!version)
		version = gnu_get_libc_version();
#endif
	snprintf(f->glibc, sizeof f->glibc, "%s", version ? version : "");
}

static void take_disk(struct facts *f)
{
	struct statvfs st;
	f->disk_free = UINT64_MAX;
	if (statvfs(f->layout->root, &st) == 0)
		f->disk_free = (uint64_t)st.f_bavail * st.f_frsize;
}

void facts_gather(struct facts *f, const struct facts_places *at, const struct layout *layout,
		  const struct config *config, const struct catalog *catalog)
{
	*f = (struct facts){.at = *at, .layout = layout, .config = config, .catalog = catalog};
	if (at->gpus)
		f->gpus = *at->gpus;
	else
		gpu_probe(&f->gpus);
	select_here(f);
	facts_machine(f);
	judge_host(f);
	take_glibc(f);
	take_disk(f);
	facts_path(f);
	facts_vars(f);
	facts_loader(f);
	facts_frameworks(f);
}

static void add_mirror(struct facts *f, const char *mirror, const struct err *why)
{
	struct facts_mirror m = {.shown = fetch_mask(mirror), .ok = why == NULL};
	if (why)
		m.why = *why;
	f->mirrors = array_grow(f->mirrors, f->n_mirrors, sizeof *f->mirrors);
	f->mirrors[f->n_mirrors++] = m;
}

static bool answers(const char *url, const struct fetch_opts *o, struct err *err)
{
	autofree char *path = pyurl_to_path(url);
	struct fetch_answer a = {.body = BUF_INIT(INDEX_MAX)};
	if (path)
		return access(path, R_OK | X_OK) == 0 ||
		       err_sys(err, ERR_NETWORK, "cannot read '%s'", path);
	bool ok = fetch_memory(url, "text/html", o, &a, err);
	fetch_answer_clear(&a);
	return ok;
}

/* A mirror serves where one of its two folders answers. */
static bool ask_mirror(struct facts *f, const struct source_ctx *ctx, const char *mirror,
		       struct err *err)
{
	autostrlist struct strlist folders = {0};
	struct err first = {0};
	struct fetch_opts o = redist_fetch_opts(ctx);
	redist_folders(mirror, "cuda", &folders);
	for (size_t i = 0; i < folders.n; i++) {
		struct err e = {0};
		if (answers(folders.items[i], &o, &e)) {
			add_mirror(f, mirror, NULL);
			return true;
		}
		if (e.code == ERR_INTERRUPTED) {
			*err = e;
			return false;
		}
		if (!i)
			first = e;
	}
	add_mirror(f, mirror, &first);
	return true;
}

bool facts_ask_mirrors(struct facts *f, struct err *err)
{
	struct events none = {0};
	struct source_ctx ctx = {.config = f->config, .quick = true, .events = &none};
	autostrlist struct strlist mirrors = {0};
	redist_mirrors(&ctx, &mirrors);
	for (size_t i = 0; i < mirrors.n; i++)
		if (!ask_mirror(f, &ctx, mirrors.items[i], err))
			return false;
	return true;
}

void facts_clear(struct facts *f)
{
	for (size_t i = 0; i < f->n_nvccs; i++) {
		free(f->nvccs[i].path);
		free(f->nvccs[i].real);
		free(f->nvccs[i].tree);
	}
	for (size_t i = 0; i < f->n_vars; i++) {
		free(f->vars[i].value);
		free(f->vars[i].tree);
	}
	for (size_t i = 0; i < f->n_folders; i++) {
		free(f->folders[i].path);
		free(f->folders[i].from);
	}
	for (size_t i = 0; i < f->n_libs; i++) {
		free(f->libs[i].path);
		free(f->libs[i].real);
	}
	for (size_t i = 0; i < f->n_frameworks; i++) {
		free(f->frameworks[i].name);
		free(f->frameworks[i].folder);
	}
	for (size_t i = 0; i < f->n_mirrors; i++)
		free(f->mirrors[i].shown);
	free(f->nvccs);
	free(f->vars);
	free(f->folders);
	free(f->libs);
	free(f->pci);
	free(f->frameworks);
	free(f->mirrors);
	*f = (struct facts){0};
}
