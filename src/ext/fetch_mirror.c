#include "ext/fetch_mirror.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "ext/http.h"

enum {
	HOST_BUDGET = 4,      /* failures; then a server is asked only when no other is left */
	WAIT_MAX = 60 * 1000, /* ms; of Retry-After too */
};

struct host {
	char *origin;
	unsigned failures;
};

void hosts_clear(struct hosts *h)
{
	for (size_t i = 0; i < h->n; i++)
		free(h->items[i].origin);
	free(h->items);
	*h = (struct hosts){0};
}

static struct host *host_of(struct hosts *h, const char *origin)
{
	for (size_t i = 0; i < h->n; i++)
		if (!strcmp(h->items[i].origin, origin))
			return &h->items[i];
	h->items = array_grow(h->items, h->n, sizeof *h->items);
	h->items[h->n].origin = xstrdup(origin);
	return &h->items[h->n++];
}

void mirrors_add(struct mirrors *m, const char *url)
{
	m->items = array_grow(m->items, m->n, sizeof *m->items);
	m->items[m->n++] = (struct mirror){.url = url, .origin = http_origin(url)};
}

void mirrors_clear(struct mirrors *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->items[i].origin);
	free(take_ptr(m->items));
	m->n = 0;
}

struct mirror *mirrors_now(const struct mirrors *m)
{
	return &m->items[m->at];
}

size_t mirrors_alive(const struct mirrors *m)
{
	size_t n = 0;
	for (size_t i = 0; i < m->n; i++)
		n += !m->items[i].dead;
	return n;
}

static unsigned rank(const struct mirrors *m, const struct mirror *one)
{
	return 2U * one->suspect + (host_of(m->hosts, one->origin)->failures >= HOST_BUDGET);
}

static bool better(const struct mirrors *m, const struct mirror *a, const struct mirror *b)
{
	unsigned x = rank(m, a), y = rank(m, b);
	return x != y ? x < y : a->not_before < b->not_before;
}

bool mirrors_choose(struct mirrors *m, size_t from)
{
	const struct mirror *best = NULL;
	for (size_t i = 0; i < m->n; i++) {
		const struct mirror *one = &m->items[(from + i) % m->n];
		if (!one->dead && (!best || better(m, one, best)))
			best = one;
	}
	if (best)
		m->at = (size_t)(best - m->items);
	return best != NULL;
}

void mirrors_failed(struct mirrors *m, const struct err *err, uint64_t now, uint64_t first_wait_ms,
		    uint64_t told_wait_ms)
{
	struct mirror *one = mirrors_now(m);
	uint64_t wait = first_wait_ms << (one->failures < 16 ? one->failures : 16);
	if (wait < told_wait_ms)
		wait = told_wait_ms;
	one->err = *err;
	one->failures++;
	one->not_before = now + (wait < WAIT_MAX ? wait : WAIT_MAX);
	host_of(m->hosts, one->origin)->failures++;
}

void mirrors_lied(struct mirrors *m, const struct err *err)
{
	struct mirror *one = mirrors_now(m);
	one->err = *err;
	one->suspect = true;
	host_of(m->hosts, one->origin)->failures++;
}

void mirrors_served(struct mirrors *m)
{
	host_of(m->hosts, mirrors_now(m)->origin)->failures = 0;
}

/* The first one's code and hint count, but wrong bytes are never hidden behind them. */
void mirrors_error(const struct mirrors *m, const char *name, struct err *err)
{
	*err = (struct err){0};
	for (size_t i = 0; i < m->n; i++) {
		const struct err *one = &m->items[i].err;
		size_t len = strlen(err->msg);
		if (!one->code)
			continue;
		if (!err->code) {
			*err = *one;
			continue;
		}
		snprintf(err->msg + len, sizeof err->msg - len, "; %s", one->msg);
		if (one->code == ERR_INTEGRITY)
			err->code = ERR_INTEGRITY;
		if (err->sys != one->sys)
			err->sys = 0;
	}
	if (!err->code)
		err_set(err, ERR_FAILED, "cannot fetch '%s': nobody told where it is", name);
}
