#include "core/judge_speed.h"

#include <stdio.h>
#include <string.h>

#include "base/attr.h"

/*
 * Headers of packets leave some 85 to 90 % of a PCIe link for data, and copies on the GPU reach 80 to 93 %
 * of the memory's rate. What stays below these shares has a cause that can be found.
 */
#define PCIE_SHARE 0.6
#define MEMORY_SHARE 0.5

void speed_collect(json_t *results, const char *lines, const char *code)
{
	for (const char *s = lines; *s;) {
		size_t n = strcspn(s, "\n");
		json_t *o = n ? json_loadb(s, n, 0, NULL) : NULL;
		if (json_is_object(o)) {
			if (code && code[0])
				json_object_set_new(o, "code", json_string(code));
			json_array_append(results, o);
		}
		json_decref(o);
		s += n + (s[n] == '\n');
	}
}

static bool is(const json_t *o, const char *key, const char *value)
{
	const char *s = json_string_value(json_object_get(o, key));
	return s && !strcmp(s, value);
}

/* Bytes a second; 0 there is none. */
static double best(const json_t *results, size_t device, const char *kind, const char *memory)
{
	double top = 0;
	for (size_t i = 0; i < json_array_size(results); i++) {
		const json_t *o = json_array_get(results, i);
		double v = json_number_value(json_object_get(o, "gbps")) * 1e9;
		if (is(o, "test", "bandwidth") && is(o, "kind", kind) && is(o, "memory", memory) &&
		    json_integer_value(json_object_get(o, "device")) == (json_int_t)device &&
		    v > top)
			top = v;
	}
	return top;
}

static void lower(double *figure, double v)
{
	if (v > 0 && (*figure == 0 || v < *figure))
		*figure = v;
}

struct flag {
	struct verdict *v;
	const struct gpu *gpu;
	size_t device;
};

/* The first finding is told; a note on PTX stays in front. */
static void flag(const struct flag *f, const char *what, double v, double limit, const char *of,
		 const char *hint)
{
	size_t n = strlen(f->v->detail);
	if (f->v->on.slow)
		return;
	f->v->on.slow = true;
	snprintf(f->v->detail + n, sizeof f->v->detail - n,
		 "%sGPU %zu moves %.1f GB/s %s, %.0f%% of what %s can (%.1f)", n ? "; " : "",
		 f->device, v / 1e9, what, 100 * v / limit, of, limit / 1e9);
	if (!f->v->hint[0])
		snprintf(f->v->hint, sizeof f->v->hint, "%s", hint);
}

static void check_link(const struct flag *f, const char *what, double v)
{
	const struct gpu *g = f->gpu;
	char link[32];
	double limit = gpu_pcie_limit(g->pcie_gen_max, g->pcie_width_max);
	snprintf(link, sizeof link, "PCIe %d x%d", g->pcie_gen_max, g->pcie_width_max);
	if (v > 0 && limit > 0 && v < PCIE_SHARE * limit)
		flag(f, what, v, limit, link,
		     "see in 'nvidia-smi -q -d PCIE' how many lanes are up; another slot, the "
		     "BIOS, "
		     "or memory of the other CPU socket (numactl) may be the cause");
}

static void check_memory(const struct flag *f, double v)
{
	double limit = gpu_memory_limit(f->gpu);
	if (v > 0 && limit > 0 && v < MEMORY_SHARE * limit)
		flag(f, "on its memory", v, limit, "that",
		     "see in 'nvidia-smi -q -d CLOCK,PERFORMANCE' what keeps its clocks down, and "
		     "whether another program uses it");
}

void judge_speed(const json_t *results, const struct gpu *const *gpus, size_t n, struct verdict *v)
{
	for (size_t i = 0; i < n; i++) {
		const struct flag f = {v, gpus[i], i};
		double h2d = best(results, i, "h2d", "pinned");
		double d2h = best(results, i, "d2h", "pinned");
		double d2d = best(results, i, "d2d", "device");
		lower(&v->on.h2d, h2d);
		lower(&v->on.d2h, d2h);
		lower(&v->on.d2d, d2d);
		check_link(&f, "to it", h2d);
		check_link(&f, "from it", d2h);
		/* A part of a GPU has a part of its memory's rate. */
		if (gpus[i]->mig != GPU_ON)
			check_memory(&f, d2d);
	}
}
