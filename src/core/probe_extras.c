/* Programs that are compiled beside the first one, so that a proof takes no longer than its longest compile. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/judge.h"
#include "core/probe_compile.h"

struct probe_build {
	struct job {
		const struct probe *p;
		struct probe_extra *e;
		pthread_t thread;
		bool threaded;
	} jobs[PROBE_EXTRAS];
};

static void compile(const struct probe *p, struct probe_extra *e)
{
	proc_result_clear(&e->said);
	e->failed = !trial_compile(&p->trial, p->prefix, &e->program, &e->said, &e->err);
	e->compiled = !e->failed && e->said.status == 0;
}

static void *work(void *arg)
{
	struct job *j = arg;
	compile(j->p, j->e);
	return NULL;
}

struct probe_build *probe_extras_begin(struct probe *p)
{
	struct probe_build *b = xcalloc(1, sizeof *b);
	for (size_t i = 0; i < p->n_extras; i++) {
		struct job *j = &b->jobs[i];
		*j = (struct job){.p = p, .e = &p->extras[i]};
		j->threaded = pthread_create(&j->thread, NULL, work, j) == 0;
	}
	return b;
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

bool probe_extras_end(struct probe *p, struct probe_build *b, struct err *err)
{
	for (size_t i = 0; i < p->n_extras; i++)
		if (b->jobs[i].threaded)
			pthread_join(b->jobs[i].thread, NULL);
	free(b);
	/* While they were compiled, the first one may have found that another host compiler is needed. */
	for (size_t i = 0; i < p->n_extras && !strcmp(p->v->word, "compiled"); i++) {
		struct probe_extra *e = &p->extras[i];
		if (!e->compiled)
			compile(p, e);
		if (e->failed) {
			*err = e->err;
			return false;
		}
		if (!e->compiled)
			judge_extra(p, e);
	}
	return true;
}
