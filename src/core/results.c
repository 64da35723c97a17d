#include "core/results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/results_line.h"
#include "core/verdict.h"

static int by_name(const void *a, const void *b)
{
	const struct result *x = a, *y = b;
	int c = strverscmp(x->host, y->host);
	return c ? c : strverscmp(y->version, x->version);
}

/* The later one counts: a host that was repaired is proved again. */
static bool is_newer(const struct result *a, const struct result *b)
{
	return strcmp(a->date, b->date) >= 0;
}

static bool add(struct results *r, struct result *one, struct err *err)
{
	for (size_t i = r->n; i-- > 0;) {
		struct result *old = &r->items[i];
		if (strcmp(old->host, one->host) || strcmp(old->version, one->version))
			continue;
		r->replaced++;
		if (is_newer(one, old)) {
			free(old->rates);
			*old = *one;
		} else {
			free(one->rates);
		}
		return true;
	}
	if (r->n >= RESULTS_MAX) {
		free(one->rates);
		return err_set(err, ERR_USAGE, "more than %d results", RESULTS_MAX);
	}
	r->items = array_grow(r->items, r->n, sizeof *r->items);
	r->items[r->n++] = *one;
	return true;
}

static bool is_blank(const char *s, size_t n)
{
	while (n && strchr(" \t\r", *s)) {
		s++;
		n--;
	}
	return n == 0;
}

/* Several objects may stand in one line: Ansible joins lines. */
static bool add_line(struct results *r, const char *s, size_t n, struct err *err)
{
	enum { TRIES = 64 }; /* braces that begin no JSON */
	static const char sign[] = "\"verdict\"";
	struct result one;
	size_t found = 0;
	const char *begin = s, *end = s + n;
	for (int tries = 0; tries < TRIES && (s = memchr(s, '{', (size_t)(end - s)));) {
		size_t used;
		if (result_read(s, (size_t)(end - s), &used, &one)) {
			result_host(&one, begin, found ? 0 : (size_t)(s - begin));
			if (!add(r, &one, err))
				return false;
			found++;
		}
		tries += !used;
		s += used ? used : 1;
	}
	if (!found && memmem(begin, n, sign, sizeof sign - 1))
		r->damaged++;
	else if (!found && !is_blank(begin, n))
		r->noise++;
	return true;
}

bool results_add(struct results *r, const char *text, size_t len, struct err *err)
{
	const char *end = text + len;
	while (text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((nl ? nl : end) - text);
		if (!add_line(r, text, n, err))
			return false;
		text += n + 1;
	}
	return true;
}

bool results_add_verdict(struct results *r, const char *host, const char *version,
			 const struct verdict *v, struct err *err)
{
	struct result one;
	json_auto_t *root = verdict_json(v);
	if (!root)
		return err_set(err, ERR_FAILED, "the verdict of '%s' is not UTF-8", version);
	json_object_set_new(root, "version", json_string(version));
	json_object_set_new(root, "host", json_string(host));
	if (!result_of(root, &one))
		return err_set(err, ERR_FAILED, "the verdict of '%s' cannot be read", version);
	return add(r, &one, err);
}

/* Figures of the same GPU, kind, memory, method and size are next to each other, the lowest first. */
static int by_group(const void *a, const void *b)
{
	const struct rate *x = *(struct rate *const *)a, *y = *(struct rate *const *)b;
	int c = strcmp(x->gpu, y->gpu);
	c = c ? c : strcmp(x->kind, y->kind);
	c = c ? c : strcmp(x->memory, y->memory);
	c = c ? c : strcmp(x->method, y->method);
	c = c ? c : x->direct - y->direct;
	c = c ? c : (x->bytes > y->bytes) - (x->bytes < y->bytes);
	return c ? c : (x->gbps > y->gbps) - (x->gbps < y->gbps);
}

static bool is_same_group(const struct rate *x, const struct rate *y)
{
	return x->bytes == y->bytes && x->direct == y->direct && !strcmp(x->gpu, y->gpu) &&
	       !strcmp(x->kind, y->kind) && !strcmp(x->memory, y->memory) &&
	       !strcmp(x->method, y->method);
}

static double middle(const double *sorted, size_t n)
{
	return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

static int by_number(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Times of a few microseconds differ more, and pageable memory is at the mercy of what else the host does. */
static bool is_rough(const struct rate *x, double gbps)
{
	return (double)x->bytes / gbps / 1e3 < 20 || !strcmp(x->memory, "pageable");
}

/* 1.4826 makes the median distance a standard deviation where errors are normal. */
static void judge_group(struct rate **group, size_t n, double *room)
{
	if (n < 3)
		return;
	for (size_t i = 0; i < n; i++)
		room[i] = group[i]->gbps;
	double median = middle(room, n);
	for (size_t i = 0; i < n; i++)
		room[i] = fabs(group[i]->gbps - median);
	qsort(room, n, sizeof *room, by_number);
	double limit = 3.5 * 1.4826 * middle(room, n);
	double least = (is_rough(group[0], median) ? 0.3 : 0.1) * median;
	if (limit < least)
		limit = least;
	for (size_t i = 0; i < n; i++)
		if (fabs(group[i]->gbps - median) > limit)
			group[i]->off = (group[i]->gbps - median) / median;
}

void results_finish(struct results *r)
{
	size_t n = 0, at = 0;
	if (r->n)
		qsort(r->items, r->n, sizeof *r->items, by_name);
	for (size_t i = 0; i < r->n; i++)
		n += r->items[i].n;
	if (!n)
		return;
	autofree struct rate **all = xcalloc(n, sizeof *all);
	autofree double *room = xcalloc(n, sizeof *room);
	for (size_t i = 0; i < r->n; i++)
		for (size_t j = 0; j < r->items[i].n; j++)
			all[at++] = &r->items[i].rates[j];
	qsort(all, n, sizeof *all, by_group);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && is_same_group(all[i], all[end]); end++)
			;
		judge_group(all + i, end - i, room);
	}
}

void results_clear(struct results *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->items[i].rates);
	free(r->items);
	*r = (struct results){0};
}

const struct rate *result_worst(const struct result *r)
{
	const struct rate *worst = NULL;
	for (size_t i = 0; i < r->n; i++)
		if (r->rates[i].off != 0 && (!worst || fabs(r->rates[i].off) > fabs(worst->off)))
			worst = &r->rates[i];
	return worst;
}

bool result_marked(const struct result *r, const char *kind)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->rates[i].off != 0 && !strcmp(r->rates[i].kind, kind) &&
		    !is_rough(&r->rates[i], r->rates[i].gbps))
			return true;
	return false;
}

static const char *words(const char *kind)
{
	static const char *const all[][2] = {
		{"h2d", "to the GPU"}, {"d2h", "from the GPU"},	  {"both", "both ways"},
		{"d2d", "on the GPU"}, {"p2p", "to another GPU"}, {"p2p-both", "between two GPUs"},
	};
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		if (!strcmp(all[i][0], kind))
			return all[i][1];
	return kind;
}

const char *rate_size(uint64_t bytes, char out[24])
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	size_t u = 0;
	for (; bytes >= 1024 && bytes % 1024 == 0 && u + 1 < ARRAY_LEN(units); u++)
		bytes /= 1024;
	snprintf(out, 24, "%llu %s", (unsigned long long)bytes, units[u]);
	return out;
}

const char *result_remark(const struct result *r, char *out, size_t cap)
{
	const struct rate *worst = result_worst(r);
	char size[24];
	size_t odd = 0;
	for (size_t i = 0; i < r->n; i++)
		odd += r->rates[i].off != 0;
	snprintf(out, cap, "%s", r->detail);
	if (!worst)
		return out;
	size_t n = strlen(out);
	n += (size_t)snprintf(out + n, cap - n, "%s%s, %s, %s: %.0f%% %s the median", n ? "; " : "",
			      words(worst->kind), worst->memory, rate_size(worst->bytes, size),
			      100 * fabs(worst->off), worst->off < 0 ? "below" : "above");
	if (odd > 1 && n < cap)
		snprintf(out + n, cap - n, ", and %zu more", odd - 1);
	return out;
}
