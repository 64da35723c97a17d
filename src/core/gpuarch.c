#include "core/gpuarch.h"

#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/proc.h"
#include "core/childenv.h"

enum { ASK_DEADLINE_MS = 20000, ASK_OUTPUT_MAX = 1 << 16, CC_MAX = 9999 };

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

void gpuarch_numbers(const char *text, struct gpuarch_list *out)
{
	struct gpuarch_list l = {0};
	char *end;
	for (const char *s = text; *s; s = end) {
		long n = strtol(s, &end, 10);
		if (end == s)
			break;
		insert(&l, (int)n);
	}
	*out = l;
}

bool gpuarch_of(const char *prefix, struct gpuarch_list *out)
{
	struct err err;
	autofree char *nvcc = xasprintf("%s/bin/nvcc", prefix);
	autoenv char **env = childenv_new(NULL);
	const char *argv[] = {nvcc, "--list-gpu-code", NULL};
	struct proc p = {.argv = argv,
			 .env = (const char *const *)env,
			 .deadline_ms = ASK_DEADLINE_MS,
			 .max_output = ASK_OUTPUT_MAX};
	autoproc struct proc_result r = {0};
	if (!proc_run(&p, &r, &err) || r.status != 0)
		return false;
	gpuarch_parse(buf_str(&r.out), out);
	return out->n > 0;
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
