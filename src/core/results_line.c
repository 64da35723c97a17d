#include "core/results_line.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/verdict.h"

/* Printable, cut to cap at a whole character. */
static void text(const json_t *o, const char *key, char *out, size_t cap)
{
	const char *s = json_string_value(json_object_get(o, key));
	size_t n = s ? strlen(s) : 0;
	if (n >= cap)
		for (n = cap - 1; n && ((unsigned char)s[n] & 0xc0) == 0x80; n--)
			;
	if (n)
		memcpy(out, s, n);
	out[n] = '\0';
	err_sanitize(out);
}

static double number(const json_t *o, const char *key)
{
	double v = json_number_value(json_object_get(o, key));
	return v > 0 && v < 1e15 ? v : 0;
}

static bool rate_of(const json_t *o, const char *gpu, struct rate *out)
{
	struct rate r = {.peer = -1};
	text(o, "kind", r.kind, sizeof r.kind);
	text(o, "memory", r.memory, sizeof r.memory);
	text(o, "method", r.method, sizeof r.method);
	text(o, "gpu", r.gpu, sizeof r.gpu);
	if (!r.gpu[0])
		snprintf(r.gpu, sizeof r.gpu, "%.60s", gpu);
	r.device = (int)number(o, "device") & 0xffff;
	if (json_is_integer(json_object_get(o, "peer")))
		r.peer = (int)number(o, "peer") & 0xffff;
	r.direct = json_is_true(json_object_get(o, "direct"));
	r.bytes = (uint64_t)number(o, "bytes");
	r.gbps = number(o, "gbps");
	if (!r.kind[0] || !r.bytes || r.gbps <= 0)
		return false;
	*out = r;
	return true;
}

/* Of pinned memory, and not of the cache; 0 for a device without a figure. */
static double best(const struct result *r, int device, const char *kind)
{
	double top = 0;
	for (size_t i = 0; i < r->n; i++) {
		const struct rate *x = &r->rates[i];
		if (x->device == device && !strcmp(x->kind, kind) &&
		    (!strcmp(x->memory, "pinned") || !strcmp(x->memory, "device")) && x->gbps > top)
			top = x->gbps;
	}
	return top;
}

static double lowest(const struct result *r, const char *kind)
{
	double low = 0;
	int last = -1;
	for (size_t i = 0; i < r->n; i++)
		if (r->rates[i].device > last)
			last = r->rates[i].device;
	for (int device = 0; device <= last; device++) {
		double v = best(r, device, kind);
		if (v > 0 && (low == 0 || v < low))
			low = v;
	}
	return low;
}

/* The figures themselves, else those that the verdict was kept with (bytes a second). */
static void summarise(struct result *r, const json_t *on)
{
	const struct {
		const char *kind;
		double *to;
	} figures[] = {{"h2d", &r->h2d}, {"d2h", &r->d2h}, {"d2d", &r->d2d}};
	for (size_t i = 0; i < ARRAY_LEN(figures); i++) {
		*figures[i].to = lowest(r, figures[i].kind);
		if (*figures[i].to == 0)
			*figures[i].to = number(on, figures[i].kind) / 1e9;
	}
}

/* The lowest of the GPUs that programs see, 1e9 bytes/s. */
static double limit(const json_t *gpus, const char *key)
{
	double low = 0;
	for (size_t i = 0; i < json_array_size(gpus); i++) {
		const json_t *g = json_array_get(gpus, i);
		double v = number(g, key) / 1e9;
		if (json_is_integer(json_object_get(g, "ordinal")) && v > 0 &&
		    (low == 0 || v < low))
			low = v;
	}
	return low;
}

bool result_of(const json_t *o, struct result *out)
{
	struct result r = {0};
	struct verdict word = {0};
	const json_t *on = json_object_get(o, "on"), *results = json_object_get(o, "results");
	text(o, "version", r.version, sizeof r.version);
	text(o, "verdict", r.verdict, sizeof r.verdict);
	if (!r.version[0] || !r.verdict[0])
		return false;
	text(o, "host", r.host, sizeof r.host);
	text(o, "detail", r.detail, sizeof r.detail);
	text(o, "date", r.date, sizeof r.date);
	text(on, "gpu", r.gpu, sizeof r.gpu);
	text(on, "driver", r.driver, sizeof r.driver);
	text(on, "code", r.code, sizeof r.code);
	text(on, "ptx", r.ptx, sizeof r.ptx);
	r.slow = json_is_true(json_object_get(on, "slow"));
	snprintf(word.word, sizeof word.word, "%s", r.verdict);
	r.good = verdict_good(&word);
	for (size_t i = 0; i < json_array_size(results) && r.n < RESULT_RATES_MAX; i++) {
		r.rates = array_grow(r.rates, r.n, sizeof *r.rates);
		r.n += rate_of(json_array_get(results, i), r.gpu, &r.rates[r.n]);
	}
	r.link = limit(json_object_get(o, "gpus"), "pcie_limit");
	r.memory = limit(json_object_get(o, "gpus"), "memory_limit");
	summarise(&r, on);
	*out = r;
	return true;
}

bool result_read(const char *s, size_t n, size_t *used, struct result *out)
{
	json_error_t e;
	json_auto_t *o = json_loadb(s, n, JSON_DISABLE_EOF_CHECK, &e);
	*used = o ? (size_t)e.position : 0;
	return o && result_of(o, out);
}

static bool is_name(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)s[i]) && !strchr("-._/:@", s[i]))
			return false;
	return n > 0;
}

static bool is_number(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isdigit((unsigned char)s[i]))
			return false;
	return true;
}

void result_host(struct result *r, const char *front, size_t n)
{
	const char *bar = memchr(front, '|', n);
	if (bar)
		n = (size_t)(bar - front);
	while (n && strchr(" \t", *front)) {
		front++;
		n--;
	}
	while (n && strchr(" \t:", front[n - 1]))
		n--;
	if (n > 2 && front[0] == '[' && front[n - 1] == ']') {
		front++;
		n -= 2;
	}
	if (n > 4 && !strncmp(front, "pod/", 4)) {
		front += 4;
		n -= 4;
	}
	/* srun -l gives the number of the task, which says less than the host's name. */
	if (is_name(front, n) && n < sizeof r->host && !(is_number(front, n) && r->host[0])) {
		memcpy(r->host, front, n);
		r->host[n] = '\0';
	}
	if (!r->host[0])
		snprintf(r->host, sizeof r->host, "?");
}
