#include "ext/fetch.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/intr.h"
#include "ext/fetch_task.h"
#include "ext/http.h"

enum { LOOK_EVERY = 100 }; /* ms between two looks for a signal */

struct run {
	CURLM *multi;
	struct task *tasks;
	size_t n;
	int jobs;
	fetch_done_fn *done;
	void *ctx;
	bool apart; /* a failure ends that task alone */
	bool failed;
	struct err err;
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

/* Files that were begun go first: they hold a part already. */
static void fill_slots(struct run *r, uint64_t now)
{
	int used = 0;
	for (size_t i = 0; i < r->n; i++)
		used += holds_slot(&r->tasks[i]);
	for (int begun = 1; begun >= 0; begun--)
		for (size_t i = 0; i < r->n && used < r->jobs && !r->failed; i++) {
			struct task *t = &r->tasks[i];
			if ((t->state != TASK_NEW) != begun || !is_due(t, now))
				continue;
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
		fill_slots(r, now);
		bool busy = hash_some(r, now);
		perform(r);
		busy |= drain(r);
		for (size_t i = 0; i < r->n; i++)
			task_show(&r->tasks[i], now);
		int wait = idle_time(r, now_ms());
		if (wait < 0)
			return;
		curl_multi_poll(r->multi, NULL, 0, busy ? 0 : wait, NULL);
	}
}

/* Ends what still runs; parts are kept. */
static bool finish(struct run *r, struct err *err)
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

static void begin(struct run *r)
{
	r->multi = take_multi();
	if (r->multi)
		loop(r);
	else
		r->failed = !err_set(&r->err, ERR_FAILED, "cannot start libcurl");
}

bool fetch_run(struct fetch_job *jobs, size_t n, const struct fetch_opts *o, fetch_done_fn *done,
	       void *ctx, struct err *err)
{
	struct hosts hosts = {0};
	autofree struct task *tasks = xcalloc(n, sizeof *tasks);
	struct run r = {
		.tasks = tasks, .n = n, .jobs = o->jobs ? o->jobs : 4, .done = done, .ctx = ctx};
	for (size_t i = 0; i < n; i++) {
		jobs[i].ok = false;
		jobs[i].err = (struct err){0};
		task_init_file(&tasks[i], &jobs[i], o, &hosts);
	}
	begin(&r);
	bool ok = finish(&r, err);
	hosts_clear(&hosts);
	return ok;
}

static void describe(struct fetch_answer *a, const struct transfer *x)
{
	char *type = NULL;
	curl_easy_getinfo(x->easy, CURLINFO_RESPONSE_CODE, &a->status);
	curl_easy_getinfo(x->easy, CURLINFO_CONTENT_TYPE, &type);
	snprintf(a->content_type, sizeof a->content_type, "%s", type ? type : "");
	err_sanitize(a->content_type);
	snprintf(a->url, sizeof a->url, "%s", x->url);
}

bool fetch_pages(struct fetch_page *pages, size_t n, const struct fetch_opts *o, struct err *err)
{
	struct hosts hosts = {0};
	autofree struct task *tasks = xcalloc(n, sizeof *tasks);
	struct run r = {.tasks = tasks, .n = n, .jobs = o->jobs ? o->jobs : 8, .apart = true};
	for (size_t i = 0; i < n; i++)
		task_init_memory(&tasks[i], pages[i].url, pages[i].accept, &pages[i].answer, o,
				 &hosts);
	begin(&r);
	for (size_t i = 0; i < n; i++) {
		pages[i].ok = tasks[i].state == TASK_DONE;
		pages[i].err = tasks[i].err;
		if (pages[i].ok)
			describe(&pages[i].answer, &tasks[i].transfer);
		else
			buf_clear(&pages[i].answer.body);
	}
	bool ok = finish(&r, err);
	hosts_clear(&hosts);
	return ok;
}

bool fetch_memory(const char *url, const char *accept, const struct fetch_opts *o,
		  struct fetch_answer *a, struct err *err)
{
	struct fetch_page page = {.url = url, .accept = accept, .answer = *a};
	bool ok = fetch_pages(&page, 1, o, err);
	*a = page.answer;
	if (ok && !page.ok)
		*err = page.err;
	return ok && page.ok;
}

void fetch_answer_clear(struct fetch_answer *a)
{
	buf_clear(&a->body);
}

char *fetch_mask(const char *url)
{
	return http_mask(url);
}
