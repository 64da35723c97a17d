#include "ext/fetch.h"

#include <stdio.h>
#include <stdlib.h>

#include "ext/fetch_loop.h"
#include "ext/fetch_task.h"
#include "ext/http.h"

bool fetch_run(struct fetch_job *jobs, size_t n, const struct fetch_opts *o, fetch_done_fn *done,
	       void *ctx, struct err *err)
{
	struct hosts hosts = {0};
	autofree struct task *tasks = xcalloc(n, sizeof *tasks);
	struct run r = {
		.tasks = tasks,
		.n = n,
		.jobs = o->jobs ? o->jobs : 4,
		.done = done,
		.ctx = ctx,
		.cancel = o->cancel,
	};
	for (size_t i = 0; i < n; i++) {
		jobs[i].ok = false;
		jobs[i].err = (struct err){0};
		task_init_file(&tasks[i], &jobs[i], o, &hosts);
	}
	run_all(&r);
	bool ok = run_end(&r, err);
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
	run_all(&r);
	for (size_t i = 0; i < n; i++) {
		pages[i].ok = tasks[i].state == TASK_DONE;
		pages[i].err = tasks[i].err;
		if (pages[i].ok)
			describe(&pages[i].answer, &tasks[i].transfer);
		else
			buf_clear(&pages[i].answer.body);
	}
	bool ok = run_end(&r, err);
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
