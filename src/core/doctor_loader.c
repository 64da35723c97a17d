/* What the loader takes: LD_LIBRARY_PATH, /etc/ld.so.conf, two libraries of one name. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/scan.h"
#include "base/version.h"
#include "core/doctor_checks.h"

static bool from_variable(const struct facts_folder *d)
{
	return !strcmp(d->from, "LD_LIBRARY_PATH");
}

static bool is_part(const char *path, const char *part)
{
	size_t n = strlen(part);
	for (const char *p = path; (p = strstr(p, part)); p += n)
		if (p > path && p[-1] == '/' && (!p[n] || p[n] == '/'))
			return true;
	return false;
}

static const struct facts_folder *with_part(const struct facts *f, const char *part)
{
	for (const struct facts_folder *d = f->folders; d < f->folders + f->n_folders; d++)
		if (d->from[0] && is_part(d->path, part))
			return d;
	return NULL;
}

static void how_to_remove(struct doctor *d, const struct facts_folder *folder)
{
	if (from_variable(folder))
		doctor_remedy(d, "take '%s' out of LD_LIBRARY_PATH", folder->path);
	else
		doctor_remedy(d, "take '%s' out of '%s', then run ldconfig (as root)", folder->path,
			      folder->from);
}

void doctor_ld_entry(struct doctor *d, const struct facts *f)
{
	for (const struct facts_folder *e = f->folders; e < f->folders + f->n_folders; e++) {
		const char *why = NULL;
		if (!from_variable(e) || (e->there && e->path[0] == '/'))
			continue;
		if (e->path[0] == '~')
			why = "begins with '~', which the loader does not replace";
		else if (strpbrk(e->path, " \t"))
			why = "holds a blank: folders are divided by ':'";
		else if (e->path[0] != '/')
			why = "is relative: it means another folder wherever a program starts";
		else if (strstr(e->path, "cuda") || strstr(e->path, "cudnn"))
			why = "is not there";
		if (!why)
			continue;
		doctor_find(d, DOCTOR_WARNING, "'%s' in LD_LIBRARY_PATH %s", e->path, why);
		doctor_remedy(d, "mend it where your rc files set LD_LIBRARY_PATH");
	}
}

/* Only the linker wants a stub; a program that is given one gets error 34. */
void doctor_ld_stubs(struct doctor *d, const struct facts *f)
{
	const struct facts_folder *e = with_part(f, "stubs");
	if (!e && f->gpus.code != 34 && !f->gpus.stub[0])
		return;
	if (e) {
		doctor_find(d, DOCTOR_ERROR,
			    "'%s' is in %s: programs get a stub in place of the driver's library",
			    e->path, e->from);
		how_to_remove(d, e);
		return;
	}
	doctor_find(d, DOCTOR_ERROR,
		    "the loader finds the stub '%s' in place of the driver's library",
		    f->gpus.stub[0] ? f->gpus.stub : f->gpus.libcuda);
	doctor_remedy(
		d, "take its folder out of the loader's path (LD_LIBRARY_PATH, /etc/ld.so.conf.d)");
}

/* The newest release that the kernel's driver serves by itself; NULL: not known. */
static const struct catalog_release *newest_served(const struct facts *f)
{
	struct host h = f->host;
	h.cuda = 0; /* that is of the compat library */
	for (size_t i = f->catalog && h.driver[0] ? f->catalog->n : 0; i-- > 0;)
		if (host_fit(&h, &f->catalog->releases[i]) == HOST_FIT_FULL)
			return &f->catalog->releases[i];
	return NULL;
}

/* Forward compatibility: a newer libcuda on an older driver, for some GPUs only. */
void doctor_ld_compat(struct doctor *d, const struct facts *f)
{
	const struct facts_folder *e = with_part(f, "compat");
	bool loaded = is_part(f->gpus.libcuda, "compat");
	char number[VERSION_TEXT];
	if (f->gpus.code == 804) {
		doctor_find(d, DOCTOR_ERROR,
			    "error 804: forward compatibility is for data-centre GPUs, and '%s' is "
			    "in use",
			    e			 ? e->path
			    : f->gpus.libcuda[0] ? f->gpus.libcuda
						 : "a cuda-compat library");
		const struct catalog_release *served = newest_served(f);
		doctor_remedy(d,
			      "take it out of the library path; then update the driver%s%s, or use "
			      "a toolkit up to %s",
			      f->known && f->known->driver_min ? " to " : "",
			      f->known && f->known->driver_min ? f->known->driver_min : "",
			      served ? served->label : "what nvidia-smi tells");
	} else if (f->gpus.code == 803 && (e || loaded)) {
		doctor_find(d, DOCTOR_ERROR,
			    "error 803: the cuda-compat library '%s' does not fit driver %s",
			    loaded ? f->gpus.libcuda : e->path, f->host.driver);
		doctor_remedy(d, "take it out of the library path, or install the cuda-compat that "
				 "lists this driver");
	} else if (loaded) {
		doctor_find(d, DOCTOR_NOTE,
			    "CUDA %s comes from the cuda-compat library '%s', not from driver %s",
			    facts_cuda_number(f->gpus.cuda, number), f->gpus.libcuda,
			    f->host.driver);
		doctor_remedy(d, "nothing, while it works; a newer driver makes it needless");
	}
}

/* A folder of the selected toolkit: P/lib64, P/targets/x86_64-linux/lib. */
static bool is_selected(const struct facts *f, const char *folder)
{
	autofree char *up = xasprintf("%s/..", folder), *top = xasprintf("%s/../../..", folder);
	return scan_same(up, f->sel.prefix) || scan_same(top, f->sel.prefix);
}

/* A folder that every program of the machine looks at, whatever is selected. */
void doctor_ld_conf(struct doctor *d, const struct facts *f)
{
	for (const struct facts_folder *e = f->folders; e < f->folders + f->n_folders; e++) {
		if (!facts_version(f) || !e->from[0] || from_variable(e) || !e->there ||
		    !strstr(e->path, "cuda") || is_part(e->path, "stubs") ||
		    is_selected(f, e->path))
			continue;
		doctor_find(d, DOCTOR_WARNING,
			    "'%s' names '%s': programs without a path of their own get that "
			    "toolkit's libraries",
			    e->from, e->path);
		doctor_remedy(d, "take the line out and run ldconfig (as root), where nothing else "
				 "needs it");
	}
}

/*
 * The first one of its name wins; the next one of another version is what somebody else counts on. That the selected
 * toolkit's own comes first is as it should be.
 */
static void two_of(struct doctor *d, const struct facts *f, bool cudnn)
{
	for (const struct facts_lib *a = f->libs; a < f->libs + f->n_libs; a++)
		for (const struct facts_lib *b = a + 1; b < f->libs + f->n_libs; b++) {
			autofree char *folder =
				xstrndup(a->path, (size_t)(path_base(a->path) - a->path));
			if (a->cudnn != cudnn || strcmp(a->soname, b->soname) != 0 ||
			    (facts_version(f) && is_selected(f, folder)) ||
			    !strcmp(a->version, b->version))
				continue;
			doctor_find(d, DOCTOR_WARNING, "two %s: '%s' (%s) hides '%s' (%s)",
				    a->soname, a->path, a->version, b->path, b->version);
			doctor_remedy(d, "keep one: take the other's folder out of %s",
				      b->from[0]   ? b->from
				      : a->from[0] ? a->from
						   : "the system (its package)");
			return;
		}
}

void doctor_ld_two_cudart(struct doctor *d, const struct facts *f)
{
	two_of(d, f, false);
}

void doctor_cudnn_two(struct doctor *d, const struct facts *f)
{
	two_of(d, f, true);
}

static bool same_release(const char *a, const char *b)
{
	struct version x, y;
	return version_parse(a, strlen(a), &x) && version_parse(b, strlen(b), &y) && x.n > 1 &&
	       y.n > 1 && x.part[0] == y.part[0] && x.part[1] == y.part[1];
}

/*
 * A folder of another toolkit and none of the selected one before it: a library that has the same name in both
 * (libcudart.so.13 of 13.0 and 13.5, libcurand.so.10 of all since 11.0) is the wrong one.
 */
void doctor_ld_other(struct doctor *d, const struct facts *f)
{
	for (const struct facts_lib *l = f->libs; l < f->libs + f->n_libs; l++) {
		if (l->cudnn || strcmp(l->from, "LD_LIBRARY_PATH") != 0)
			continue;
		autofree char *folder =
			xstrndup(l->path, (size_t)(path_base(l->path) - l->path - 1));
		if (!facts_version(f) || is_selected(f, folder) || !f->release[0] ||
		    doctor_found(d, "LD_TWO_CUDART"))
			return;
		if (same_release(l->version, f->release))
			continue;
		doctor_find(d, DOCTOR_WARNING,
			    "'%s' in LD_LIBRARY_PATH is of another toolkit (%s): programs of %s "
			    "get its libraries",
			    folder, l->version, f->sel.name);
		doctor_remedy(d, "take it out of your rc files: the hook and cudaenv exec put the "
				 "selected one there");
		return;
	}
}

/* The CUDA major that a path tells: "9.3.0-cuda12", "nvidia/cu13", "cuda-12.4". 0: none. */
static int major_of(const char *path)
{
	for (const char *p = path; (p = strstr(p, "cu")); p += 2) {
		const char *n = p + (!strncmp(p, "cuda", 4) ? 4 : 2);
		n += *n == '-';
		if (isdigit((unsigned char)*n))
			return (int)strtol(n, NULL, 10);
	}
	return 0;
}

/* named: a variable says so; else the loader would take it. NULL: there is none. */
static const char *cudnn_folder(const struct facts *f, bool *named)
{
	static const char *const names[] = {"CUDNN_HOME", "CUDNN_PATH", "CUDNN_ROOT"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *value = getenv(names[i]);
		if ((*named = value && value[0]))
			return value;
	}
	for (const struct facts_lib *l = f->libs; l < f->libs + f->n_libs; l++)
		if (l->cudnn)
			return l->real;
	return NULL;
}

void doctor_cudnn_variant(struct doctor *d, const struct facts *f)
{
	bool named;
	const char *folder = cudnn_folder(f, &named);
	int cudnn = folder ? major_of(folder) : 0, toolkit = (int)strtol(f->release, NULL, 10);
	if (!cudnn || !toolkit || cudnn == toolkit)
		return;
	doctor_find(d, named ? DOCTOR_ERROR : DOCTOR_WARNING,
		    "cuDNN '%s' is made for CUDA %d, but %s is selected", folder, cudnn,
		    f->sel.name);
	doctor_remedy(
		d, "take a cuDNN for CUDA %d (cudaenv cudnn install), or take that one out of %s",
		toolkit, named ? "the variable that names it" : "the loader's path");
}

/* What a framework brought with it must not be hidden by LD_LIBRARY_PATH, which comes before its own path. */
void doctor_ld_clash(struct doctor *d, const struct facts *f)
{
	const struct facts_framework *w = NULL;
	for (size_t i = 0; i < f->n_frameworks && !w; i++)
		if (!f->frameworks[i].cpu)
			w = &f->frameworks[i];
	for (const struct facts_lib *l = f->libs; w && l < f->libs + f->n_libs; l++) {
		if (strcmp(l->from, "LD_LIBRARY_PATH") != 0)
			continue;
		doctor_find(d, DOCTOR_WARNING,
			    "LD_LIBRARY_PATH has '%s' (%s), which comes before what %s %s brought "
			    "with it%s%s",
			    l->path, l->version, w->name, w->version,
			    l->cudnn && w->cudnn[0] ? ", cuDNN " : "", l->cudnn ? w->cudnn : "");
		doctor_remedy(d, "env -u LD_LIBRARY_PATH PROGRAM; or cudaenv config set "
				 "ld_library_path never");
		return;
	}
}
