/* Programs that are compiled beside the first one, so that a proof takes no longer than its longest compile. */
#include <string.h>

#include "base/pool.h"
#include "core/judge.h"
#include "core/probe_compile.h"

/* Beside the first; several versions may be compiled at once as well. */
enum { THREADS = 3 };

static void compile(void *arg)
{
	struct probe_extra *e = arg;
	proc_result_clear(&e->said);
	e->failed = !trial_compile(&e->p->trial, e->p->prefix, &e->program, &e->said, &e->err);
	e->compiled = !e->failed && e->said.status == 0;
}

struct pool *probe_extras_begin(struct probe *p)
{
	int threads = p->n_extras < THREADS ? (int)p->n_extras : THREADS;
	struct pool *pool = threads ? pool_new(threads) : NULL;
	for (size_t i = 0; i < p->n_extras; i++)
		pool_add(pool, compile, &p->extras[i]);
	return pool;
}

/* The first program compiles, so what is missing here is missing for this one. */
static void judge_extra(struct probe *p, const struct probe_extra *e)
{
	char said[sizeof p->v->detail];
	judge_compile(&e->said, p->v);
	memcpy(said, p->v->detail, sizeof said);
	if (!strcmp(p->v->word, "tree-incomplete"))
		probe_incomplete(p, "%s", said);
	judge_replace(p->v->detail, sizeof p->v->detail, p->trial.dir, "");
	judge_replace(p->v->detail, sizeof p->v->detail, p->prefix, p->final);
}

bool probe_extras_end(struct probe *p, struct pool *pool, struct err *err)
{
	pool_free(pool);
	/* While they were compiled, the first one may have found that another host compiler is needed. */
	for (size_t i = 0; i < p->n_extras && !strcmp(p->v->word, "compiled"); i++) {
		struct probe_extra *e = &p->extras[i];
		if (!e->compiled)
			compile(e);
		if (e->failed) {
			*err = e->err;
			return false;
		}
		if (!e->compiled)
			judge_extra(p, e);
	}
	return true;
}
