#include "ext/fetch_loop.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "base/intr.h"
#include "ext/fetch_task.h"

enum {
	LOOK_EVERY = 100, /* ms between two looks for a signal */
	TAKE_TURNS = 2,	  /* files that share one transfer; each has a thread that waits for it */
};

/* Connections outlive a call: an index is read page by page from one server. */
static _Thread_local CURLM *kept_multi;

static void init_curl(void)
{
	curl_global_init(CURL_GLOBAL_DEFAULT);
}

static CURLM *take_multi(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, init_curl);
	CURLM *m = take_ptr(kept_multi);
	return m ? m : curl_multi_init();
}

static void give_multi(CURLM *m)
{
	if (kept_multi)
		curl_multi_cleanup(m);
	else
		kept_multi = m;
}

static uint64_t now_ms(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* OpenSSL writes without MSG_NOSIGNAL: a server that hangs up must not end the program. */
static void block_pipe(sigset_t *old)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &set, old);
}

static void unblock_pipe(const sigset_t *old)
{
	const struct timespec at_once = {0};
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	if (!sigismember(old, SIGPIPE))
		while (sigtimedwait(&set, NULL, &at_once) > 0)
			;
	pthread_sigmask(SIG_SETMASK, old, NULL);
}

static void set_failed(struct run *r, const struct err *err)
{
	if (!r->failed)
		r->err = *err;
	r->failed = true;
}

/* Puts what changed with a task into effect. */
static void follow_up(struct run *r, struct task *t)
{
	if (t->state == TASK_READY) {
		t->state = TASK_RUNNING;
		if (curl_multi_add_handle(r->multi, t->transfer.easy)) {
			err_set(&t->err, ERR_FAILED, "cannot start a transfer");
			t->state = TASK_FAILED;
		}
	}
	if (t->state == TASK_FAILED && !r->apart)
		set_failed(r, &t->err);
	if (t->job && t->state == TASK_FAILED)
		t->job->err = t->err;
	if (t->job && t->state == TASK_DONE && !t->job->ok) {
		t->job->ok = true;
		task_tell_whole(t, r->ctx);
		if (r->done)
			r->done(r->ctx, t->job);
	}
}

static bool holds_slot(const struct task *t)
{
	return t->state == TASK_WHOLE || t->state == TASK_PART || t->state == TASK_RUNNING;
}

static bool is_due(const struct task *t, uint64_t now)
{
	return t->state == TASK_NEW ||
	       ((t->state == TASK_WAIT || t->state == TASK_BUSY) && now >= t->due);
}

/*
 * Files that were begun go first: they hold a part already. But those that wait for their next turn, and a new one
 * that may join them, come in the order in which their bytes are needed.
 */
static struct task *next_due(struct run *r, uint64_t now)
{
	struct task *best = NULL;
	uint64_t least = UINT64_MAX;
	int turned = 0;
	for (size_t i = 0; i < r->n; i++)
		turned += r->tasks[i].turned && r->tasks[i].state == TASK_WAIT;
	for (size_t i = 0; i < r->n; i++) {
		struct task *t = &r->tasks[i];
		if (!is_due(t, now) || (t->state == TASK_NEW && turned >= TAKE_TURNS))
			continue;
		uint64_t rank = t->turned || t->state == TASK_NEW ? 1 + task_behind(t, r->ctx) : 0;
		if (rank < least) {
			least = rank;
			best = t;
		}
	}
	return best;
}

static bool is_last(const struct run *r, const struct task *t)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct task *other = &r->tasks[i];
		if (other != t && other->state != TASK_DONE && other->state != TASK_FAILED)
			return false;
	}
	return true;
}

static void fill_slots(struct run *r, uint64_t now)
{
	struct task *t;
	int used = 0;
	for (size_t i = 0; i < r->n; i++)
		used += holds_slot(&r->tasks[i]);
	while (used < r->jobs && !r->failed && (t = next_due(r, now))) {
		t->turns = r->jobs == 1 && !is_last(r, t);
		while (is_due(t, now))
			task_step(t, now);
		follow_up(r, t);
		used += holds_slot(t);
	}
}

/* true: somebody has more to hash, so there is no time to sleep. */
static bool hash_some(struct run *r, uint64_t now)
{
	bool more = false;
	for (size_t i = 0; i < r->n && !r->failed; i++) {
		struct task *t = &r->tasks[i];
		if (t->state != TASK_WHOLE && t->state != TASK_PART)
			continue;
		task_step(t, now);
		follow_up(r, t);
		more |= holds_slot(t) || is_due(t, now);
	}
	return more;
}

static void perform(struct run *r)
{
	sigset_t old;
	int running;
	block_pipe(&old);
	curl_multi_perform(r->multi, &running);
	unblock_pipe(&old);
}

static void detach(struct run *r, struct task *t)
{
	sigset_t old;
	block_pipe(&old);
	curl_multi_remove_handle(r->multi, t->transfer.easy);
	unblock_pipe(&old);
}

static bool drain(struct run *r)
{
	bool any = false;
	int left;
	for (CURLMsg *m; (m = curl_multi_info_read(r->multi, &left));) {
		void *private = NULL;
		CURL *easy = m->easy_handle;
		CURLcode code = m->data.result;
		curl_easy_getinfo(easy, CURLINFO_PRIVATE, &private);
		for (size_t i = 0; i < r->n; i++) {
			struct task *t = &r->tasks[i];
			if (private != &t->transfer)
				continue;
			detach(r, t);
			task_ended(t, code, now_ms());
			if (t->turned)
				task_turned(t, r->ctx);
			follow_up(r, t);
		}
		any = true;
	}
	return any;
}

/* How long nothing but the network can bring news; -1: nothing is left to do. */
static int idle_time(const struct run *r, uint64_t now)
{
	uint64_t wait = LOOK_EVERY;
	bool left = false;
	for (size_t i = 0; i < r->n; i++) {
		const struct task *t = &r->tasks[i];
		if (t->state == TASK_DONE || t->state == TASK_FAILED)
			continue;
		left = true;
		if ((t->state == TASK_WAIT || t->state == TASK_BUSY) && t->due > now &&
		    t->due - now < wait)
			wait = t->due - now;
	}
	return left && !r->failed ? (int)wait : -1;
}

static void loop(struct run *r)
{
	for (;;) {
		uint64_t now = now_ms();
		struct err err;
		if (!intr_check(&err))
			set_failed(r, &err);
		if (r->cancel && atomic_load(r->cancel))
			set_failed(r, &(struct err){0});
		fill_slots(r, now);
		bool busy = hash_some(r, now);
		perform(r);
		busy |= drain(r);
		for (size_t i = 0; i < r->n; i++) {
			task_tell(&r->tasks[i], r->ctx);
			task_show(&r->tasks[i], now);
		}
		int wait = idle_time(r, now_ms());
		if (wait < 0)
			return;
		curl_multi_poll(r->multi, NULL, 0, busy ? 0 : wait, NULL);
	}
}

void run_all(struct run *r)
{
	r->multi = take_multi();
	if (r->multi)
		loop(r);
	else
		r->failed = !err_set(&r->err, ERR_FAILED, "cannot start libcurl");
}

bool run_end(struct run *r, struct err *err)
{
	sigset_t old;
	block_pipe(&old);
	for (size_t i = 0; i < r->n; i++) {
		struct task *t = &r->tasks[i];
		if (t->state == TASK_RUNNING)
			curl_multi_remove_handle(r->multi, t->transfer.easy);
		task_clear(t);
	}
	if (r->multi)
		give_multi(r->multi);
	unblock_pipe(&old);
	if (r->failed)
		*err = r->err;
	return !r->failed;
}
