/* What is compiled for the GPUs that are here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/intr.h"
#include "base/path.h"
#include "core/catalog.h"
#include "core/judge_run.h"
#include "core/probe_compile.h"
#include "core/toolkits.h"

static void add_cc(struct gpuarch_list *l, int cc)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->cc[i] == cc)
			return;
	if (l->n < GPUARCH_MAX)
		l->cc[l->n++] = cc;
}

static void note_left_out(struct probe *p, const struct gpu *d)
{
	if (!p->remark[0])
		snprintf(p->remark, sizeof p->remark,
			 "this CUDA has no code for GPU %d, '%s' (%d.%d)", d->ordinal, d->name,
			 d->cc / 10, d->cc % 10);
}

/* Those that this nvcc has machine code for. */
static void choose_served(struct probe *p)
{
	for (size_t i = 0; i < p->gpus->n; i++) {
		const struct gpu *d = &p->gpus->items[i];
		int use = 0;
		if (d->ordinal < 0)
			continue;
		if (p->list.n && gpuarch_fit(&p->list, d->cc, &use) != GPUARCH_FITS) {
			note_left_out(p, d);
			continue;
		}
		if (!p->n_served) {
			p->cc = d->cc;
			p->code = use ? use : d->cc;
		}
		p->served[p->n_served++] = d;
		if (use)
			add_cc(&p->hello.code, use);
	}
}

/* The others would end the program with an error. */
static void hide_others(struct probe *p)
{
	if (p->n_served == gpu_visible(p->gpus))
		return;
	for (size_t i = 0; i < p->n_served; i++) {
		char *before = p->only;
		if (!p->served[i]->uuid[0])
			continue;
		p->only = xasprintf("%s%s%s", before ? before : "", before ? "," : "",
				    p->served[i]->uuid);
		free(before);
	}
	p->trial.visible = p->only;
}

static struct trial_program *add_extra(struct probe *p, const char *source, const char *folder)
{
	struct probe_extra *e = &p->extras[p->n_extras++];
	*e = (struct probe_extra){.p = p, .program = {.source = source, .folder = folder}};
	return &e->program;
}

static bool has(const struct probe *p, const char *rel)
{
	autofree char *path = xasprintf("%s/%s", p->prefix, rel);
	return access(path, R_OK) == 0;
}

/* Those that the prefix can be compiled with: the header and the name for the linker are there. */
static void add_libraries(struct probe *p)
{
	static const char *const cublas[] = {"-lcublas", NULL}, *const cufft[] = {"-lcufft", NULL},
				 *const curand[] = {"-lcurand", NULL},
				 *const nvrtc[] = {"-lnvrtc", "-ldl", NULL},
				 *const cudnn[] = {"-lcudnn", NULL};
	static const struct {
		const char *source, *header, *library;
		const char *const *link;
	} known[] = {
		{"lib_cublas", "include/cublas_v2.h", "lib64/libcublas.so", cublas},
		{"lib_cufft", "include/cufft.h", "lib64/libcufft.so", cufft},
		{"lib_curand", "include/curand.h", "lib64/libcurand.so", curand},
		{"lib_nvrtc", "include/nvrtc.h", "lib64/libnvrtc.so", nvrtc},
		{"lib_cudnn", "include/cudnn.h", "lib64/libcudnn.so", cudnn},
	};
	p->lib64 = xasprintf("%s/lib64", p->prefix);
	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		if (!has(p, known[i].header) || !has(p, known[i].library))
			continue;
		struct trial_program *e = add_extra(p, known[i].source, known[i].source);
		e->code = p->hello.code;
		e->link = known[i].link;
		e->libraries = p->lib64;
	}
}

static void choose_programs(struct probe *p)
{
	int lowest = p->cc;
	choose_served(p);
	if (!p->n_served) {
		/* Its machine code is for others. PTX for a lower one may serve a newer GPU. */
		p->cc = p->gpus->items[0].cc;
		p->hello.ptx = gpuarch_ptx(&p->list, p->cc);
		p->remark[0] = '\0';
		return;
	}
	hide_others(p);
	for (size_t i = 0; i < p->n_served; i++)
		if (!i || p->served[i]->cc < lowest)
			lowest = p->served[i]->cc;
	int ptx = gpuarch_ptx(&p->list, lowest);
	if (ptx)
		add_extra(p, "hello", "ptx")->ptx = ptx;
	if (p->opts->level < PROBE_BANDWIDTH)
		return;
	add_extra(p, "bandwidth", "bandwidth")->code = p->hello.code;
	add_libraries(p);
}

static void add_uuid(struct measured *on, const char *uuid)
{
	size_t n = strlen(on->uuids);
	if (n + strlen(uuid) + 2 <= sizeof on->uuids)
		snprintf(on->uuids + n, sizeof on->uuids - n, "%s%s", n ? "," : "", uuid);
}

static void note_machine(const struct probe *p, struct measured *on)
{
	const struct gpus *g = p->gpus;
	snprintf(on->driver, sizeof on->driver, "%s", g->driver[0] ? g->driver : g->nvml_driver);
	on->cuda = g->cuda;
	on->cc = p->cc;
	if (p->code && p->hello.code.n)
		snprintf(on->code, sizeof on->code, "sm_%d", p->code);
	for (size_t i = 0; i < p->n_served; i++)
		add_uuid(on, p->served[i]->uuid);
	const char *name = g->n ? g->items[0].name : "";
	if (p->n_served)
		name = p->served[0]->name;
	if (p->n_served > 1)
		snprintf(on->gpu, sizeof on->gpu, "%zu x %s", p->n_served, name);
	else
		snprintf(on->gpu, sizeof on->gpu, "%s", name);
}

/* nvcc before 11.0 cannot tell. */
static void list_by_release(struct probe *p)
{
	struct catalog c = {0};
	struct err ignored;
	const struct catalog_release *r = NULL;
	if (catalog_load(&c, NULL, &ignored))
		r = catalog_find(&c, p->release);
	if (!r || !catalog_gpu_list(r, &p->list))
		p->list.n = 0;
	catalog_clear(&c);
}

bool probe_plan(struct probe *p, struct err *err)
{
	p->hello = (struct trial_program){.source = "hello", .folder = ""};
	if (p->opts->level < PROBE_RUN)
		return true;
	if (!toolkit_release(p->prefix, p->release))
		snprintf(p->release, sizeof p->release, "%s", path_base(p->final));
	p->gpus = p->opts->gpus;
	if (!p->gpus) {
		p->own_gpus = xcalloc(1, sizeof *p->own_gpus);
		gpu_probe_quick(p->own_gpus);
		p->gpus = p->own_gpus;
	}
	if (!intr_check(err))
		return false;
	p->runs =
		!judge_no_gpu(p->gpus, getenv("CUDA_VISIBLE_DEVICES"), p->remark, sizeof p->remark);
	if (!p->runs)
		return true;
	if (gpu_visible(p->gpus)) {
		if (!gpuarch_of(p->prefix, &p->list))
			list_by_release(p);
		choose_programs(p);
	}
	note_machine(p, &p->verdict.on);
	return true;
}
