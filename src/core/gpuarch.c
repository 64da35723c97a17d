#include "core/gpuarch.h"

#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/proc.h"
#include "core/childenv.h"

enum { ASK_DEADLINE_MS = 20000, ASK_OUTPUT_MAX = 1 << 16, CC_MAX = 9999 };

/*
 * From CMake's Modules/Internal/CMakeCUDAArchitecturesAll.cmake, spack's cuda.py, LLVM's Cuda.cpp and
 * `nvcc --list-gpu-code` of 11.8, 12.4, 13.0 and 13.5. 10.1 was renamed to 11.0 in 13.0.
 */
static const struct row {
	int cc;
	const char *first, *last;
} rows[] = {
	{20, "3.0", "8.0"},  {21, "3.2", "8.0"},  {30, "4.2", "10.2"},	 {32, "6.0", "10.2"},
	{35, "5.0", "11.8"}, {37, "6.5", "11.8"}, {50, "6.0", "12.9"},	 {52, "6.5", "12.9"},
	{53, "7.0", "12.9"}, {60, "8.0", "12.9"}, {61, "8.0", "12.9"},	 {62, "8.0", "12.9"},
	{70, "9.0", "12.9"}, {72, "9.1", "12.9"}, {75, "10.0", NULL},	 {80, "11.0", NULL},
	{86, "11.1", NULL},  {87, "11.4", NULL},  {88, "13.0", NULL},	 {89, "11.8", NULL},
	{90, "11.8", NULL},  {100, "12.8", NULL}, {101, "12.8", "12.9"}, {103, "12.9", NULL},
	{107, "13.4", NULL}, {110, "13.0", NULL}, {120, "12.8", NULL},	 {121, "12.9", NULL},
};

static const struct row *find(int cc)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].cc == cc)
			return &rows[i];
	return NULL;
}

const char *gpuarch_first(int cc)
{
	const struct row *r = find(cc);
	return r ? r->first : NULL;
}

const char *gpuarch_last(int cc)
{
	const struct row *r = find(cc);
	return r ? r->last : NULL;
}

static void insert(struct gpuarch_list *l, int cc)
{
	size_t i = l->n;
	for (size_t j = 0; j < l->n; j++)
		if (l->cc[j] == cc)
			return;
	if (l->n == GPUARCH_MAX)
		return;
	for (; i && l->cc[i - 1] > cc; i--)
		l->cc[i] = l->cc[i - 1];
	l->cc[i] = cc;
	l->n++;
}

void gpuarch_parse(const char *text, struct gpuarch_list *out)
{
	struct gpuarch_list l = {0};
	for (const char *s = text; (s = strstr(s, "sm_"));) {
		char *end;
		s += strlen("sm_");
		long n = strtol(s, &end, 10);
		if (end != s && *s != '-' && *s != '+' && n >= 10 && n <= CC_MAX &&
		    (!*end || strchr(" \t\r\n,", *end)))
			insert(&l, (int)n);
	}
	*out = l;
}

/* Major and minor are compared: updates have the same list. */
static int compare(const struct version *a, const char *text)
{
	struct version b, mine = *a;
	if (!version_parse(text, strlen(text), &b))
		return 0;
	mine.n = mine.n > 2 ? 2 : mine.n;
	mine.part[2] = mine.part[3] = 0;
	return version_compare(&mine, &b);
}

bool gpuarch_by_release(const struct version *release, struct gpuarch_list *out)
{
	struct gpuarch_list l = {0};
	if (release->n < 2)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (compare(release, rows[i].first) >= 0 &&
		    (!rows[i].last || compare(release, rows[i].last) <= 0))
			insert(&l, rows[i].cc);
	*out = l;
	return l.n > 0;
}

bool gpuarch_of(const char *prefix, const char *release, struct gpuarch_list *out)
{
	struct err err;
	struct version v;
	autofree char *nvcc = xasprintf("%s/bin/nvcc", prefix);
	autoenv char **env = childenv_new(NULL);
	const char *argv[] = {nvcc, "--list-gpu-code", NULL};
	struct proc p = {.argv = argv,
			 .env = (const char *const *)env,
			 .deadline_ms = ASK_DEADLINE_MS,
			 .max_output = ASK_OUTPUT_MAX};
	autoproc struct proc_result r = {0};
	if (proc_run(&p, &r, &err) && r.status == 0) {
		gpuarch_parse(buf_str(&r.out), out);
		if (out->n)
			return true;
	}
	return release && version_parse(release, strlen(release), &v) &&
	       gpuarch_by_release(&v, out);
}

/* Chips of Tegra, whose code is for them alone. */
static bool is_tegra(int cc)
{
	return cc == 32 || cc == 53 || cc == 62 || cc == 72 || cc == 87 || cc == 101 || cc == 110;
}

enum gpuarch_fit gpuarch_fit(const struct gpuarch_list *l, int cc, int *use)
{
	int best = 0;
	bool lower = false;
	for (size_t i = 0; i < l->n && l->cc[i] <= cc; i++) {
		lower = true;
		if (l->cc[i] == cc || (l->cc[i] / 10 == cc / 10 && !is_tegra(l->cc[i])))
			best = l->cc[i];
	}
	if (!best)
		return lower ? GPUARCH_TOO_NEW : GPUARCH_DROPPED;
	*use = best;
	return GPUARCH_FITS;
}

int gpuarch_ptx(const struct gpuarch_list *l, int cc)
{
	int best = 0;
	for (size_t i = 0; i < l->n && l->cc[i] <= cc; i++)
		best = l->cc[i];
	return best;
}
