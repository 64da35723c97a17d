/* What an earlier run left: the final file, or a part of it. */
#include "ext/fetch_task.h"

#include "base/event.h"
#include "ext/fetch.h"

enum { BUSY_WAIT = 500 }; /* ms */

static void open_part(struct task *t, uint64_t now)
{
	bool busy;
	if (!part_open(&t->part, t->job->dest, &busy, &t->err)) {
		task_fail(t, &t->err);
		return;
	}
	if (busy) {
		if (!t->told_busy)
			event_note(t->o->events, "another process is fetching '%s': waiting",
				   t->name);
		t->told_busy = true;
		t->due = now + BUSY_WAIT;
		t->state = TASK_BUSY;
		return;
	}
	bool usable = t->sha256 && t->part.disk <= t->transfer.max;
	t->state = TASK_PART;
	if (!usable && !task_reset(t))
		return;
	t->old_bytes = t->part.disk > 0;
}

/* It is replaced once the right one has come. */
static void whole_is_damaged(struct task *t, uint64_t now)
{
	if (!t->told_busy)
		event_note(t->o->events, "'%s' is damaged: fetching '%s' anew", t->job->dest,
			   t->name);
	part_close(&t->part);
	open_part(t, now);
}

/* What is there already? */
void task_look(struct task *t, uint64_t now)
{
	if (!t->job) {
		task_choose(t, 0);
		return;
	}
	if (t->sha256 && part_open_whole(&t->part, t->job->dest)) {
		if (!t->job->size || t->part.disk == t->job->size) {
			t->state = TASK_WHOLE;
			return;
		}
		whole_is_damaged(t, now);
		return;
	}
	open_part(t, now);
}

void task_check_whole(struct task *t, uint64_t now)
{
	bool more;
	if (!part_feed(&t->part, &more, &t->err)) {
		task_fail(t, &t->err);
		return;
	}
	if (more)
		return;
	bool right = task_digest_right(t);
	t->whole = t->part.len;
	if (right) {
		part_close(&t->part);
		t->state = TASK_DONE;
		task_emit(t, EVENT_REUSE, "in the cache", t->whole, t->whole);
		return;
	}
	t->restarted = true;
	t->told_resets = 0;
	whole_is_damaged(t, now);
}

void task_check_part(struct task *t)
{
	bool more;
	if (!part_feed(&t->part, &more, &t->err)) {
		task_fail(t, &t->err);
		return;
	}
	if (more)
		return;
	t->most = t->shown = t->part.len;
	if (t->part.len && task_digest_right(t)) {
		task_done(t);
		return;
	}
	if (t->job->size && t->part.len >= t->job->size && !task_reset(t))
		return;
	task_choose(t, 0);
}
