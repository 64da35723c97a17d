/* The run level: what was compiled is run, one program after another, and judged. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/catalog.h"
#include "core/judge_run.h"
#include "core/judge_speed.h"
#include "core/probe_compile.h"

/* GPUs without the persistence daemon need seconds each before the first call returns. */
enum { RUN_DEADLINE_MS = 60000, BANDWIDTH_DEADLINE_MS = 300000, LIBRARY_DEADLINE_MS = 120000 };

struct execution {
	struct probe *p;
	struct run_case c;
	json_t *results;
	struct catalog catalog;
};

/* One program: it may run in a thread; what came of it is read behind. */
struct run {
	struct execution *x;
	const struct trial_program *program;
	int deadline_ms;
	char code[16];
	struct proc_result r;
	bool ok;
	struct err err;
};

static void *start(void *arg)
{
	struct run *n = arg;
	int limit = n->x->p->opts->run_deadline_ms;
	n->ok = trial_run(&n->x->p->trial, n->program, limit ? limit : n->deadline_ms, &n->r,
			  &n->err);
	return NULL;
}

/* Keeps its lines, and tells how it went. */
static bool end(struct run *n, struct run_outcome *o, struct err *err)
{
	if (!n->ok) {
		*err = n->err;
		return false;
	}
	judge_outcome(&n->r, o);
	speed_collect(n->x->results, buf_str(&n->r.out), n->code);
	event_debug(n->x->p->events, "%s %s: %s", n->program->source, n->code,
		    o->said[0] ? o->said : "done");
	proc_result_clear(&n->r);
	return true;
}

static struct run make_run(struct execution *x, const struct trial_program *program,
			   int deadline_ms)
{
	struct run n = {.x = x, .program = program, .deadline_ms = deadline_ms};
	if (program->ptx)
		snprintf(n.code, sizeof n.code, "compute_%d", program->ptx);
	else
		snprintf(n.code, sizeof n.code, "%s", x->p->verdict.on.code);
	return n;
}

static bool execute(struct execution *x, const struct trial_program *program, int deadline_ms,
		    struct run_outcome *o, struct err *err)
{
	struct run n = make_run(x, program, deadline_ms);
	start(&n);
	return end(&n, o, err);
}

static struct probe_extra *extra(struct probe *p, const char *folder)
{
	for (size_t i = 0; i < p->n_extras; i++)
		if (!strcmp(p->extras[i].program.folder, folder))
			return &p->extras[i];
	return NULL;
}

/* What fails for a cause in the machine fails as PTX too: then the latter says nothing new. */
static bool worth_ptx(const struct run_case *c)
{
	return c->sass.end == RUN_OK || (c->sass.end == RUN_CALL && c->sass.code == 209);
}

/* Several programs may use the GPUs at once. */
static bool is_shared(const struct probe *p)
{
	for (size_t i = 0; i < p->n_served; i++)
		if (p->served[i]->compute_mode != GPU_SHARED)
			return false;
	return true;
}

/* Both at once where that can be: each spends its time in the start of the driver. */
static bool run_both(struct execution *x, const struct trial_program *ptx, struct err *err)
{
	struct run a = make_run(x, &x->p->hello, RUN_DEADLINE_MS);
	struct run b = make_run(x, ptx, RUN_DEADLINE_MS);
	pthread_t thread;
	bool beside = is_shared(x->p) && pthread_create(&thread, NULL, start, &b) == 0;
	start(&a);
	if (beside)
		pthread_join(thread, NULL);
	bool ok = end(&a, &x->c.sass, err);
	if (ok && worth_ptx(&x->c)) {
		if (!beside)
			start(&b);
		return end(&b, &x->c.ptx, err);
	}
	proc_result_clear(&b.r);
	return ok;
}

static bool run_hello(struct execution *x, struct err *err)
{
	struct probe *p = x->p;
	struct probe_extra *ptx = extra(p, "ptx");
	if (ptx)
		return run_both(x, &ptx->program, err);
	if (!gpu_visible(p->gpus) || p->n_served)
		return execute(x, &p->hello, RUN_DEADLINE_MS, &x->c.sass, err);
	return !p->hello.ptx || execute(x, &p->hello, RUN_DEADLINE_MS, &x->c.ptx, err);
}

static bool run_bandwidth(struct execution *x, struct err *err)
{
	struct run_outcome o;
	struct verdict *v = &x->p->verdict;
	struct probe_extra *b = extra(x->p, "bandwidth");
	if (!b || strcmp(v->word, "ok") != 0)
		return true;
	if (!execute(x, &b->program, BANDWIDTH_DEADLINE_MS, &o, err))
		return false;
	snprintf(v->level, sizeof v->level, "%s", probe_level_name(PROBE_BANDWIDTH));
	if (o.end == RUN_OK)
		judge_speed(x->results, x->p->served, x->p->n_served, v);
	else
		judge_program(&x->c, &o, v);
	return true;
}

/* The first that fails is told; those that went through are named. */
static bool run_libraries(struct execution *x, struct err *err)
{
	struct verdict *v = &x->p->verdict;
	for (size_t i = 0; i < x->p->n_extras && !strcmp(v->word, "ok"); i++) {
		const struct trial_program *e = &x->p->extras[i].program;
		const char *name = e->source + strlen("lib_");
		struct run_outcome o;
		if (!e->libraries)
			continue;
		if (!execute(x, e, LIBRARY_DEADLINE_MS, &o, err))
			return false;
		size_t n = strlen(v->on.libraries);
		if (o.end == RUN_OK) {
			snprintf(v->on.libraries + n, sizeof v->on.libraries - n, "%s%s",
				 n ? " " : "", name);
			continue;
		}
		autofree char *said = xasprintf("%s: %s", name, o.said);
		snprintf(o.said, sizeof o.said, "%s", said);
		judge_program(&x->c, &o, v);
	}
	return true;
}

/* A driver that hangs or crashes is not asked a second time. */
static bool is_dead(const struct gpus *g, struct verdict *v)
{
	if (g->code >= 0 || (g->end != GPUS_HUNG && g->end != GPUS_CRASHED))
		return false;
	bool hung = g->end == GPUS_HUNG;
	snprintf(v->word, sizeof v->word, "%s", hung ? "timeout" : "crashed");
	if (hung)
		snprintf(v->detail, sizeof v->detail, "the driver does not answer: %s", g->step);
	else
		snprintf(v->detail, sizeof v->detail, "the driver crashed in %s (signal %d, %s)",
			 g->step, g->signal, strsignal(g->signal));
	snprintf(v->hint, sizeof v->hint,
		 "see the kernel's log (dmesg, 'NVRM: Xid'); reload the driver or reboot");
	return true;
}

/* What is known of the release, and which other one serves the GPU. */
static void add_facts(struct execution *x)
{
	struct run_case *c = &x->c;
	struct err ignored;
	const struct catalog_release *first, *last;
	if (!catalog_load(&x->catalog, NULL, &ignored))
		return;
	const struct catalog_release *r = catalog_find(&x->catalog, c->release);
	if (r)
		c->driver_floor = r->driver_floor ? r->driver_floor : r->driver_min;
	if (catalog_gpu_range(&x->catalog, c->cc, &first, &last))
		c->other = c->cc < c->lowest ? last->label : first->label;
}

static void set_case(struct execution *x)
{
	struct probe *p = x->p;
	x->c = (struct run_case){.gpus = p->gpus,
				 .release = p->release,
				 .visible = getenv("CUDA_VISIBLE_DEVICES"),
				 .cc = p->cc,
				 .code = p->code};
	/* Without a device to see, only the call that fails can tell why. */
	if (!gpu_visible(p->gpus))
		x->c.code = -1;
	if (p->list.n) {
		x->c.lowest = p->list.cc[0];
		x->c.highest = p->list.cc[p->list.n - 1];
	}
	add_facts(x);
}

bool probe_execute(struct probe *p, struct err *err)
{
	struct verdict *v = &p->verdict;
	struct execution x = {.p = p};
	if (strcmp(v->word, "compiled") != 0)
		return true;
	if (!p->runs) {
		snprintf(v->detail, sizeof v->detail, "%s", p->remark);
		return true;
	}
	snprintf(v->level, sizeof v->level, "%s", probe_level_name(PROBE_RUN));
	if (is_dead(p->gpus, v))
		return true;
	x.results = json_array();
	set_case(&x);
	bool ok = run_hello(&x, err);
	if (ok) {
		judge_run(&x.c, v);
		if (!v->detail[0])
			snprintf(v->detail, sizeof v->detail, "%s", p->remark);
		ok = run_bandwidth(&x, err) && run_libraries(&x, err);
	}
	if (ok && json_array_size(x.results))
		v->results = json_dumps(x.results, JSON_COMPACT);
	json_decref(x.results);
	catalog_clear(&x.catalog);
	return ok;
}
