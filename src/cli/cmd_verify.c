#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/pool.h"
#include "base/resolve.h"
#include "cli/applock.h"
#include "cli/cmd.h"
#include "cli/verdict.h"
#include "core/judge_run.h"
#include "core/probe.h"
#include "core/record.h"
#include "core/refresh.h"
#include "core/toolkits.h"

static const struct opt options[] = {
	{0, "level", "LEVEL", "files, compile, run or bandwidth (default: the setting `verify`)"},
	{0, "all", NULL, "every installed version"},
	{0, "require-gpu", NULL, "fail where there is no GPU to run on"},
	{0},
};

struct job {
	char *name, *prefix;
	bool ours; /* below the own root, so that the record may be changed; not linked or shared */
	struct probe_opts opts;
	const struct events *events;
	struct probe *probe;
	struct err err;
};

struct work {
	struct app *app;
	enum probe_level level;
	struct job *jobs;
	size_t n;
	struct gpus *gpus; /* NULL below the level `run` */
	bool good;	   /* all verdicts are */
};

static bool is_ours(const struct app *app, const char *prefix)
{
	struct record r = {0};
	struct err none;
	size_t n = strlen(app->layout.root);
	bool ours = !strncmp(prefix, app->layout.root, n) && prefix[n] == '/' &&
		    record_read(prefix, &r, &none);
	record_clear(&r);
	return ours;
}

/* Named twice it is proved once. */
static void add_job(struct work *w, const char *name, const char *prefix)
{
	for (size_t i = 0; i < w->n; i++)
		if (!strcmp(w->jobs[i].prefix, prefix))
			return;
	w->jobs = array_grow(w->jobs, w->n, sizeof *w->jobs);
	w->jobs[w->n++] = (struct job){.name = xstrdup(name),
				       .prefix = xstrdup(prefix),
				       .ours = is_ours(w->app, prefix),
				       .events = &w->app->events};
}

static bool add_all(struct work *w, struct err *err)
{
	autotoolkits struct toolkits t = {0};
	if (!toolkits_read(&t, &w->app->layout, err))
		return false;
	for (size_t i = 0; i < t.n; i++)
		if (!t.items[i].dangling)
			add_job(w, t.items[i].name, t.items[i].prefix);
	return true;
}

static bool add_spec(struct work *w, const char *spec, struct err *err)
{
	struct selection s;
	if (!resolve_select(&w->app->layout, spec, &s, err))
		return false;
	if (s.prefix[0]) {
		add_job(w, s.name, s.prefix);
		return true;
	}
	err_set(err, ERR_USAGE,
		"no version of cudaenv is selected here, so there is nothing to verify");
	return err_hint(err, "name one, as in 'cudaenv verify 13.0', or give --all");
}

static bool add_asked(struct work *w, const struct args *a, struct err *err)
{
	if (opt_flag(a, "all") ? !add_all(w, err) : a->n == 0 && !add_spec(w, NULL, err))
		return false;
	for (int i = 0; i < a->n; i++)
		if (!add_spec(w, a->pos[i], err))
			return false;
	return true;
}

static void build(void *arg)
{
	struct job *j = arg;
	j->probe = probe_build(j->prefix, j->prefix, &j->opts, j->events, &j->err);
}

/* Side by side: each spends most of its time in one compiler process after another. */
static void build_all(struct work *w)
{
	long jobs = config_number(&w->app->config, CONFIG_JOBS);
	if (jobs < 1)
		jobs = sysconf(_SC_NPROCESSORS_ONLN);
	if ((size_t)jobs > w->n)
		jobs = (long)w->n;
	struct pool *pool = w->n > 1 && jobs > 1 ? pool_new((int)jobs) : NULL;
	for (size_t i = 0; i < w->n; i++)
		if (pool)
			pool_add(pool, build, &w->jobs[i]);
		else
			build(&w->jobs[i]);
	if (pool)
		pool_wait(pool);
	pool_free(pool);
}

/* Runs, stores and prints. */
static bool finish(struct work *w, struct job *j, struct err *err)
{
	autoverdict struct verdict v = {0};
	if (!j->probe) {
		*err = j->err;
		return err_prefix(err, "cannot verify %s", j->name);
	}
	if (!probe_finish(j->probe, &v, err))
		return err_prefix(err, "cannot verify %s", j->name);
	if (j->ours && !verdict_write(j->prefix, &v, err))
		return false;
	if (j->ours && refresh_moved(j->prefix))
		event_warn(&w->app->events, "run 'cudaenv rehash'",
			   "%s was moved with its root: its .pc files name the old place", j->name);
	verdict_print(w->app, j->name, j->prefix, &v, w->gpus);
	w->good = w->good && verdict_good(&v);
	return true;
}

/* The first failure is told; what comes behind it is proved all the same. */
static bool finish_all(struct work *w, struct err *err)
{
	bool ok = true;
	for (size_t i = 0; i < w->n; i++) {
		struct err e = {0};
		if (finish(w, &w->jobs[i], &e))
			continue;
		if (ok)
			*err = e;
		ok = false;
		if (e.code == ERR_INTERRUPTED) {
			*err = e;
			break;
		}
	}
	return ok;
}

static bool verify(struct work *w, struct err *err)
{
	autolock struct lock lock = LOCK_INIT;
	bool locks = false;
	for (size_t i = 0; i < w->n; i++)
		locks |= w->jobs[i].ours;
	if (locks && !app_lock(w->app, &lock, err))
		return false;
	if (w->level >= PROBE_RUN && w->n) {
		w->gpus = xcalloc(1, sizeof *w->gpus);
		gpu_probe_quick(w->gpus);
	}
	for (size_t i = 0; i < w->n; i++)
		w->jobs[i].opts = (struct probe_opts){
			.level = w->level, .ours = w->jobs[i].ours, .gpus = w->gpus};
	build_all(w);
	return finish_all(w, err);
}

static void work_clear(struct work *w)
{
	for (size_t i = 0; i < w->n; i++) {
		probe_free(w->jobs[i].probe);
		free(w->jobs[i].name);
		free(w->jobs[i].prefix);
	}
	free(w->jobs);
	free(w->gpus);
}

static bool read_level(struct app *app, const struct args *a, enum probe_level *level,
		       struct err *err)
{
	bool gpu = opt_flag(a, "require-gpu");
	if (opt_value(a, "level") &&
	    !config_override(&app->config, CONFIG_VERIFY, opt_value(a, "level"), "--level", err))
		return false;
	if (!probe_level_parse(config_get(&app->config, CONFIG_VERIFY), level))
		return err_set(err, ERR_USAGE, "there is no level '%s' of verification",
			       config_get(&app->config, CONFIG_VERIFY));
	if (gpu && *level < PROBE_RUN && opt_value(a, "level")) {
		err_set(err, ERR_USAGE,
			"--require-gpu needs the level 'run' or 'bandwidth', not '%s'",
			probe_level_name(*level));
		return err_hint(err, "leave --level out: --require-gpu means 'run'");
	}
	if (gpu && *level < PROBE_RUN)
		*level = PROBE_RUN;
	return true;
}

static bool has_gpu(const struct work *w, struct err *err)
{
	char why[256];
	if (!w->gpus || !judge_no_gpu(w->gpus, getenv("CUDA_VISIBLE_DEVICES"), why, sizeof why))
		return true;
	err_set(err, ERR_FAILED, "there is no GPU to run on: %s", why);
	return err_hint(err, "without --require-gpu such a machine is no error");
}

static bool run(struct app *app, const struct args *a, struct err *err)
{
	struct work w = {.app = app, .good = true};
	if (!read_level(app, a, &w.level, err))
		return false;
	bool ok = add_asked(&w, a, err) && verify(&w, err) &&
		  (!opt_flag(a, "require-gpu") || has_gpu(&w, err));
	if (ok && !w.good)
		app->exit_status = ERR_VERIFY;
	work_clear(&w);
	return ok;
}

const struct command cmd_verify = {
	.name = "verify",
	.args = "[SPEC...]",
	.summary = "prove installed versions: compile, run, measure",
	.about =
		"Without SPEC it proves the version that applies here. The verdict is printed, and "
		"kept for `versions`. Where there is no GPU the level 'run' ends with 'compiled'.",
	.options = options,
	.min_args = 0,
	.max_args = -1,
	.run = run,
};
