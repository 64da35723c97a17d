#include "ext/fetch_task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/event.h"
#include "ext/fetch.h"
#include "ext/http.h"

enum {
	SHOW_EVERY = 100,	/* ms */
	PROGRESS = 1024 * 1024, /* new bytes that make a failed try count as a good one */
	NAME_TRIES = 2,		/* a name that is not known now seldom is seconds later */
};
static const uint64_t size_limit = 16ULL << 30;

void task_init_file(struct task *t, struct fetch_job *job, const struct fetch_opts *o,
		    struct hosts *hosts)
{
	const char *sha256 = job->sha256 && *job->sha256 ? job->sha256 : NULL;
	*t = (struct task){
		.job = job, .name = job->name, .sha256 = sha256, .o = o, .mirrors.hosts = hosts};
	t->part = PART_INIT;
	t->transfer = (struct transfer){
		.o = o,
		.part = &t->part,
		.size = job->size,
		.max = job->max	   ? job->max
		       : job->size ? job->size
				   : size_limit,
		.digest_known = sha256 != NULL,
	};
	for (size_t i = 0; i < job->urls->n; i++)
		mirrors_add(&t->mirrors, job->urls->items[i]);
}

void task_init_memory(struct task *t, const char *url, const char *accept, struct fetch_answer *a,
		      const struct fetch_opts *o, struct hosts *hosts)
{
	*t = (struct task){.name = url, .o = o, .mirrors.hosts = hosts};
	t->part = PART_INIT;
	t->transfer =
		(struct transfer){.o = o, .accept = accept, .body = &a->body, .max = a->body.max};
	mirrors_add(&t->mirrors, url);
}

void task_clear(struct task *t)
{
	part_close(&t->part);
	transfer_clear(&t->transfer);
	mirrors_clear(&t->mirrors);
}

void task_emit(struct task *t, enum event_kind kind, const char *text, uint64_t done,
	       uint64_t total)
{
	autofree char *name = t->job ? xstrdup(t->name) : http_mask(t->name);
	event_emit(t->o->events,
		   &(struct event){
			   .kind = kind, .name = name, .text = text, .done = done, .total = total});
}

void task_show(struct task *t, uint64_t now)
{
	if (!t->job || t->state != TASK_RUNNING || t->part.len == t->shown ||
	    now - t->shown_at < SHOW_EVERY || (t->job->size && t->part.len >= t->job->size))
		return;
	t->shown = t->part.len;
	t->shown_at = now;
	task_emit(t, EVENT_FETCH, NULL, t->part.len, t->job->size);
}

void task_tell(struct task *t, void *ctx)
{
	const struct part *p = &t->part;
	bool restarted = t->restarted || p->resets != t->told_resets;
	if (!t->job || !t->job->arrived || !p->path || (!restarted && p->disk == t->told))
		return;
	t->restarted = false;
	t->told_resets = p->resets;
	t->told = p->disk;
	t->job->arrived(ctx, t->job, p->path, p->disk, restarted);
}

void task_tell_whole(struct task *t, void *ctx)
{
	if (t->restarted && t->told && t->job->arrived)
		t->job->arrived(ctx, t->job, t->job->dest, t->whole, true);
	t->restarted = false;
}

void task_fail(struct task *t, const struct err *err)
{
	if (err != &t->err)
		t->err = *err;
	t->state = TASK_FAILED;
}

static void fail_all(struct task *t)
{
	mirrors_error(&t->mirrors, t->name, &t->err);
	task_fail(t, &t->err);
}

/* Which mirror is asked when; `from`: where in their turn to begin. */
void task_choose(struct task *t, size_t from)
{
	if (!mirrors_choose(&t->mirrors, from)) {
		fail_all(t);
		return;
	}
	t->due = mirrors_now(&t->mirrors)->not_before;
	t->state = TASK_WAIT;
}

static bool is_file(const char *url)
{
	return !strncasecmp(url, "file:", 5);
}

static void refused(struct task *t, const struct err *err, uint64_t now);

static void start(struct task *t, uint64_t now)
{
	struct mirror *m = mirrors_now(&t->mirrors);
	/* Without a digest nobody could tell whether the two halves belong together. */
	bool resume = t->job && t->sha256 && !is_file(m->url);
	if (t->job)
		t->part.expect = t->job->size;
	if (!t->transfer.easy && !transfer_init(&t->transfer, &t->err)) {
		task_fail(t, &t->err);
		return;
	}
	t->turned = false;
	if (transfer_start(&t->transfer, m->url, resume ? t->part.len : 0,
			   resume ? task_turn_end(t) : 0))
		t->state = TASK_READY;
	else if (t->transfer.result == TRANSFER_FATAL)
		task_fail(t, &t->transfer.err);
	else
		refused(t, &t->transfer.err, now);
}

/* The whole is there and right. */
void task_done(struct task *t)
{
	t->restarted |= t->part.resets != t->told_resets;
	t->whole = t->part.len;
	if (!part_publish(&t->part, &t->err)) {
		task_fail(t, &t->err);
		return;
	}
	transfer_clear(&t->transfer); /* many files, few at once */
	t->state = TASK_DONE;
	task_emit(t, EVENT_FETCH, NULL, t->whole, t->whole);
}

bool task_reset(struct task *t)
{
	t->old_bytes = false;
	if (part_reset(&t->part, &t->err))
		return true;
	task_fail(t, &t->err);
	return false;
}

bool task_digest_right(const struct task *t)
{
	char hex[65];
	part_hex(&t->part, hex);
	return !strcasecmp(hex, t->sha256);
}

void task_step(struct task *t, uint64_t now)
{
	if (t->state == TASK_NEW || (t->state == TASK_BUSY && now >= t->due))
		task_look(t, now);
	else if (t->state == TASK_WHOLE)
		task_check_whole(t, now);
	else if (t->state == TASK_PART)
		task_check_part(t);
	else if (t->state == TASK_WAIT && now >= t->due)
		start(t, now);
}

static void tell_retry(struct task *t, const struct err *err, uint64_t now)
{
	if (t->state != TASK_WAIT)
		return;
	const struct mirror *m = mirrors_now(&t->mirrors);
	uint64_t wait = m->not_before > now ? m->not_before - now : 0;
	autofree char *where = http_mask(m->origin);
	autofree char *text = xasprintf("%s; %s%s in %.1f s", err->msg,
					t->mirrors.n > 1 ? "trying " : "trying again",
					t->mirrors.n > 1 ? where : "", (double)wait / 1000);
	task_emit(t, EVENT_RETRY, text, t->part.len, t->transfer.size);
}

/* This URL is out of the game. */
static void refused(struct task *t, const struct err *err, uint64_t now)
{
	struct mirror *m = mirrors_now(&t->mirrors);
	m->err = *err;
	m->dead = true;
	/* Bytes beyond what was expected: nothing of it can be trusted. */
	if (t->job && err->code == ERR_INTEGRITY && t->transfer.stored && !task_reset(t))
		return;
	task_choose(t, t->mirrors.at + 1);
	tell_retry(t, err, now);
}

static void retry(struct task *t, CURLcode code, uint64_t now)
{
	struct mirror *m = mirrors_now(&t->mirrors);
	int limit = t->o->retries ? t->o->retries : 5;
	int first_wait = t->o->retry_wait_ms ? t->o->retry_wait_ms : 1000;
	bool unknown = code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY;
	bool no_time = t->o->quick && (unknown || code == CURLE_OPERATION_TIMEDOUT);
	mirrors_failed(&t->mirrors, &t->transfer.err, now, (uint64_t)first_wait,
		       (uint64_t)t->transfer.retry_after * 1000);
	if (no_time || (unknown && m->failures > NAME_TRIES))
		m->dead = true;
	if (t->part.len >= t->most + PROGRESS)
		t->tries = 0;
	if (t->part.len > t->most)
		t->most = t->part.len;
	if (++t->tries > limit) {
		fail_all(t);
		return;
	}
	task_choose(t, t->mirrors.at + 1);
	tell_retry(t, &t->transfer.err, now);
}

/* Once more from scratch: from the next mirror, or from the only one. */
static void wrong_digest(struct task *t, uint64_t now)
{
	struct transfer *x = &t->transfer;
	char hex[65];
	part_hex(&t->part, hex);
	transfer_fail(x, TRANSFER_REFUSED, ERR_INTEGRITY, "sha256 mismatch%s: wanted %s, got %s",
		      x->encoded ? " (the server compressed the archive once more)" : "", t->sha256,
		      hex);
	err_hint(&x->err, "the publisher may have replaced the file");
	bool old = t->old_bytes;
	if (!task_reset(t))
		return;
	if (!old) {
		mirrors_lied(&t->mirrors, &x->err);
		if (++t->wrong >
		    (int)(mirrors_alive(&t->mirrors) > 2 ? mirrors_alive(&t->mirrors) - 1 : 1)) {
			fail_all(t);
			return;
		}
	}
	task_choose(t, old ? t->mirrors.at : t->mirrors.at + 1);
	tell_retry(t, &x->err, now);
}

static void arrived(struct task *t, uint64_t now)
{
	if (t->job && t->sha256 && !task_digest_right(t)) {
		wrong_digest(t, now);
		return;
	}
	mirrors_served(&t->mirrors);
	if (t->job)
		task_done(t);
	else
		t->state = TASK_DONE;
}

void task_ended(struct task *t, CURLcode code, uint64_t now)
{
	switch (transfer_end(&t->transfer, code)) {
	case TRANSFER_DONE:
		arrived(t, now);
		break;
	case TRANSFER_TURN:
		mirrors_served(&t->mirrors);
		t->tries = 0;
		t->turned = true;
		t->due = now;
		t->state = TASK_WAIT;
		break;
	case TRANSFER_HOP:
		t->state = TASK_READY;
		break;
	case TRANSFER_FRESH:
		event_debug(t->o->events, "%s; asking for the whole", t->transfer.err.msg);
		t->no_turns = true;
		if (task_reset(t))
			start(t, now);
		break;
	case TRANSFER_RETRY:
		/* All is there, only the end was not as announced. */
		if (t->job && t->sha256 && t->part.len && task_digest_right(t))
			task_done(t);
		else
			retry(t, code, now);
		break;
	case TRANSFER_REFUSED:
		refused(t, &t->transfer.err, now);
		break;
	case TRANSFER_FATAL:
		task_fail(t, &t->transfer.err);
		break;
	}
}
