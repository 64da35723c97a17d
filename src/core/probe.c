#include "core/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/path.h"
#include "core/lacks.h"
#include "core/probe_compile.h"

enum { HEADER_MAX = 1 << 20 };

static const char *const level_names[] = {
	[PROBE_FILES] = "files",
	[PROBE_COMPILE] = "compile",
	[PROBE_RUN] = "run",
	[PROBE_BANDWIDTH] = "bandwidth",
};

bool probe_level_parse(const char *s, enum probe_level *out)
{
	for (size_t i = 0; i < ARRAY_LEN(level_names); i++)
		if (!strcmp(s, level_names[i])) {
			*out = (enum probe_level)i;
			return true;
		}
	return false;
}

const char *probe_level_name(enum probe_level l)
{
	return level_names[l];
}

/* Each is needed to compile and link; where releases differ, one of several places has it. */
static const struct {
	const char *path[3];
	bool program;
} needed[] = {
	{{"bin/nvcc"}, true},
	{{"bin/nvcc.profile"}, false},
	{{"nvvm/bin/cicc"}, true},
	{{"nvvm/libdevice/libdevice.10.bc"}, false},
	{{"bin/cudafe++"}, true},
	{{"bin/ptxas"}, true},
	{{"bin/fatbinary"}, true},
	{{"bin/nvlink"}, true},
	{{"bin/crt/link.stub"}, false},
	{{"include/crt/host_config.h", "include/host_config.h"}, false},
	{{"include/cuda_runtime.h"}, false},
	{{"lib64/libcudart.so", "lib/libcudart.so"}, false},
	{{"lib64/libcudart_static.a", "lib/libcudart_static.a"}, false},
	{{"lib64/libcudadevrt.a", "lib/libcudadevrt.a"}, false},
};

static bool is_there(const char *prefix, const char *rel, bool program)
{
	struct stat st;
	autofree char *path = xasprintf("%s/%s", prefix, rel);
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
	       access(path, program ? X_OK : R_OK) == 0;
}

/* A header of an old name that only includes the one that is needed: "crt/host_config.h". */
static bool is_signpost(const char *prefix, const char *header, const char *needs)
{
	autobuf struct buf text = BUF_INIT(HEADER_MAX);
	struct err ignored;
	autofree char *path = xasprintf("%s/%s", prefix, header);
	autofree char *name = xasprintf("\"%s\"", needs + strlen("include/"));
	return io_read_file(path, &text, &ignored) && strstr(buf_str(&text), name);
}

static bool have(const char *prefix, size_t i)
{
	const char *const *path = needed[i].path;
	for (size_t j = 0; j < ARRAY_LEN(needed[i].path) && path[j]; j++)
		if (is_there(prefix, path[j], needed[i].program) &&
		    !(j && !strncmp(path[j], "include/", 8) &&
		      is_signpost(prefix, path[j], path[0])))
			return true;
	return false;
}

const char *probe_missing(const char *prefix)
{
	for (size_t i = 0; i < ARRAY_LEN(needed); i++)
		if (!have(prefix, i))
			return needed[i].path[0];
	return NULL;
}

void probe_missing_all(const char *prefix, struct strlist *out)
{
	for (size_t i = 0; i < ARRAY_LEN(needed); i++)
		if (!have(prefix, i))
			strlist_add(out, needed[i].path[0]);
}

static bool may_change(const char *prefix)
{
	autofree char *bin = xasprintf("%s/bin", prefix);
	return access(bin, W_OK) == 0 && access(prefix, W_OK) == 0;
}

/* The compile level; verdict tree-incomplete, files-ok, compiled or why not. */
static bool build(struct probe *p, struct err *err)
{
	struct hostcc def;
	const char *missing = probe_missing(p->prefix);
	if (missing) {
		probe_incomplete(p, "'%s' is missing or cannot be read", missing);
		return true;
	}
	bool changes = p->ours && may_change(p->prefix);
	if (changes && !lacks_guard(p->prefix, "", path_base(p->final), err))
		return false;
	if (p->opts->level == PROBE_FILES) {
		snprintf(p->v->word, sizeof p->v->word, "files-ok");
		return true;
	}
	hostcc_limits(p->prefix, &p->limits);
	const struct hostcc *cc = hostcc_default(&def) ? &def : NULL;
	if (!probe_plan(p, err) || !trial_open(&p->trial, p->final, p->events, err))
		return false;
	struct pool *pool = probe_extras_begin(p);
	bool ok = changes ? probe_compile(p, cc, err) : probe_compile_only(p, cc, err);
	return probe_extras_end(p, pool, ok ? err : &(struct err){0}) && ok;
}

struct probe *probe_build(const char *prefix, const char *final, const struct probe_opts *o,
			  const struct events *ev, struct err *err)
{
	struct probe *p = xcalloc(1, sizeof *p);
	time_t now = time(NULL);
	struct tm tm;

	*p = (struct probe){
		.prefix = prefix, .final = final, .ours = o->ours, .opts = o, .events = ev};
	p->v = &p->verdict;
	if (gmtime_r(&now, &tm))
		strftime(p->v->date, sizeof p->v->date, "%Y-%m-%dT%H:%M:%SZ", &tm);
	snprintf(p->v->level, sizeof p->v->level, "%s",
		 o->level == PROBE_FILES ? "files" : level_names[PROBE_COMPILE]);
	if (build(p, err))
		return p;
	probe_free(p);
	return NULL;
}

bool probe_finish(struct probe *p, struct verdict *v, struct err *err)
{
	if (!probe_execute(p, err))
		return false;
	*v = p->verdict;
	p->verdict.results = NULL;
	return true;
}

void probe_free(struct probe *p)
{
	if (!p)
		return;
	trial_close(&p->trial);
	for (size_t i = 0; i < p->n_extras; i++)
		proc_result_clear(&p->extras[i].said);
	verdict_clear(&p->verdict);
	free(p->own_gpus);
	free(p->only);
	free(p->lib64);
	free(p);
}

bool probe_run(const char *prefix, const char *final, const struct probe_opts *o,
	       const struct events *ev, struct verdict *v, struct err *err)
{
	struct probe *p = probe_build(prefix, final, o, ev, err);
	bool ok = p && probe_finish(p, v, err);
	probe_free(p);
	return ok;
}
