/* One transfer for several files: whose bytes are needed next. */
#include "ext/fetch.h"
#include "ext/fetch_task.h"

enum {
	TURN = 16 << 20,
	STEPS = 16, /* of task_behind in a turn */
};

static uint64_t turn_of(const struct task *t)
{
	return t->o->turn ? t->o->turn : TURN;
}

uint64_t task_behind(const struct task *t, void *ctx)
{
	return t->job && t->job->behind && t->turned
		       ? t->job->behind(ctx, t->job) / (turn_of(t) / STEPS)
		       : 0;
}

void task_turned(struct task *t, void *ctx)
{
	t->no_turns |= task_behind(t, ctx) == 0;
}

/* Half of what is left: each turn costs a request, and what comes in the last one is used last. */
uint64_t task_turn_end(const struct task *t)
{
	uint64_t left = t->job->size > t->part.len ? t->job->size - t->part.len : 0;
	if (!t->turns || t->no_turns || !t->job->behind || left <= 2 * turn_of(t))
		return 0;
	return t->part.len + (left / 2 > turn_of(t) ? left / 2 : turn_of(t));
}
