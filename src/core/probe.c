#include "core/probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/childenv.h"
#include "core/hostcc.h"
#include "core/judge.h"
#include "core/trial.h"

/* Compilers that are tried after the newest accepted one failed; more would only repeat the
 * failure. */
enum { COMPILERS_MAX = 3 };

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

const char *probe_missing(const char *prefix)
{
	for (size_t i = 0; i < ARRAY_LEN(needed); i++) {
		bool found = false;
		for (size_t j = 0; j < ARRAY_LEN(needed[i].path) && needed[i].path[j]; j++)
			found |= is_there(prefix, needed[i].path[j], needed[i].program);
		if (!found)
			return needed[i].path[0];
	}
	return NULL;
}

struct probe {
	const char *prefix, *final;
	bool ours; /* the prefix may be changed */
	const struct events *events;
	struct trial trial;
	struct hostcc_limits limits;
	struct verdict *v;
};

static const char *version_of(const char *final)
{
	const char *slash = strrchr(final, '/');
	return slash ? slash + 1 : final;
}

static void set_incomplete(const struct probe *p, const char *fmt, const char *what)
{
	snprintf(p->v->word, sizeof p->v->word, "tree-incomplete");
	if (fmt) {
		const char *at = strstr(fmt, "%s");
		snprintf(p->v->detail, sizeof p->v->detail, "%.*s%s%s", (int)(at - fmt), fmt, what,
			 at + 2);
	}
	if (p->ours)
		snprintf(p->v->hint, sizeof p->v->hint, "run 'cudaenv install -f %s'",
			 version_of(p->final));
	else
		snprintf(p->v->hint, sizeof p->v->hint, "repair the toolkit at '%s'", p->final);
}

/* Compiles once and judges. false: no judgement (see trial_compile). */
static bool attempt(struct probe *p, struct err *err)
{
	struct verdict *v = p->v;
	char foreign[256];
	autoproc struct proc_result r = {0};
	v->detail[0] = v->hint[0] = '\0';
	if (!trial_compile(&p->trial, p->prefix, &r, err)) {
		if (err->sys != ENOENT && err->sys != ENOEXEC && err->sys != EACCES)
			return false;
		/* The program is there but this machine does not start it. */
		snprintf(v->word, sizeof v->word, "compile-failed");
		judge_line(err->msg, strlen(err->msg), v->detail, sizeof v->detail);
	} else if (r.status != 0) {
		judge_compile(&r, v);
		if (!strcmp(v->word, "tree-incomplete"))
			set_incomplete(p, NULL, NULL);
	} else if (trial_foreign(&p->trial, p->prefix, foreign, sizeof foreign)) {
		set_incomplete(p, "'%s' of another toolkit was used, this one lacks it", foreign);
	} else {
		snprintf(v->word, sizeof v->word, "compiled");
	}
	judge_replace(v->detail, sizeof v->detail, p->trial.dir, "");
	judge_replace(v->detail, sizeof v->detail, p->prefix, p->final);
	event_debug(p->events, "nvcc: %s", r.err.len ? buf_str(&r.err) : v->word);
	return true;
}

static bool is(const struct verdict *v, const char *word)
{
	return !strcmp(v->word, word);
}

static void set_ccbin(struct verdict *v, const char *cxx)
{
	snprintf(v->ccbin, sizeof v->ccbin, "%s", cxx);
}

static void set_refused(const struct probe *p, const struct hostcc *def)
{
	struct verdict *v = p->v;
	char advice[128];
	snprintf(v->word, sizeof v->word, "host-compiler-refused");
	if (!def)
		snprintf(v->detail, sizeof v->detail,
			 "no host compiler: gcc and g++ are not on PATH");
	else if (p->limits.gcc_max)
		snprintf(v->detail, sizeof v->detail,
			 "'%s' is %s %d, and the newest gcc that this nvcc accepts is %d", def->cxx,
			 def->clang ? "clang" : "gcc", def->major, p->limits.gcc_max);
	snprintf(v->hint, sizeof v->hint, "%s", hostcc_advice(&p->limits, advice, sizeof advice));
}

/* Sets cc in the prefix, the gentle way first where nvcc finds a gcc to ask for its version. */
static bool try_compiler(struct probe *p, const struct hostcc *cc, bool has_default,
			 struct err *err)
{
	enum hostcc_way way = has_default ? HOSTCC_LINE : HOSTCC_WRAPPER;
	for (; way <= HOSTCC_WRAPPER; way++) {
		if (!hostcc_set(p->prefix, cc, way, err) || !attempt(p, err))
			return false;
		if (is(p->v, "compiled") || is(p->v, "tree-incomplete"))
			break;
	}
	set_ccbin(p->v, cc->cxx);
	return true;
}

/* The newest accepted compiler, then older ones: some pass the header's check and fail in their
 * library. */
static bool try_others(struct probe *p, const struct hostcc *def, bool *found, struct err *err)
{
	struct hostcc cc;
	struct hostcc_limits lim = p->limits;
	*found = false;
	for (int i = 0; i < COMPILERS_MAX && hostcc_find(&lim, &cc); i++) {
		lim.gcc_max = cc.clang ? 1 : cc.major - 1;
		lim.clang_max = cc.clang ? cc.major - 1 : lim.clang_max;
		if (def && !strcmp(def->cxx, cc.cxx))
			continue;
		if (!try_compiler(p, &cc, def != NULL, err))
			return false;
		*found = is(p->v, "compiled");
		if (*found || is(p->v, "tree-incomplete"))
			return true;
	}
	return true;
}

static bool probe_compile_ours(struct probe *p, const struct hostcc *def, struct err *err)
{
	char before[256] = "";
	bool found, accepted = def && hostcc_accepted(&p->limits, def);
	struct verdict first = {0};
	hostcc_current(p->prefix, before, sizeof before);
	if (accepted) {
		if (!hostcc_set(p->prefix, NULL, HOSTCC_LINE, err) || !attempt(p, err))
			return false;
		set_ccbin(p->v, def->cxx);
		if (is(p->v, "compiled") || is(p->v, "tree-incomplete") || is(p->v, "libc-headers"))
			return true;
		first = *p->v;
	}
	if (!try_others(p, def, &found, err))
		return false;
	if (found) {
		if (strcmp(before, p->v->ccbin))
			event_note(p->events, "host compiler of this toolkit: %s", p->v->ccbin);
		return true;
	}
	if (is(p->v, "tree-incomplete"))
		return true;
	if (!hostcc_set(p->prefix, NULL, HOSTCC_LINE, err))
		return false;
	if (accepted) {
		*p->v = first;
		return true;
	}
	p->v->ccbin[0] = '\0';
	if (def && !attempt(p, err))
		return false;
	if (!def || is(p->v, "host-compiler-refused"))
		set_refused(p, def);
	if (def)
		set_ccbin(p->v, def->cxx);
	return true;
}

/* A toolkit that is not ours, or not writable for this user, is judged as it stands. */
static bool probe_compile_foreign(struct probe *p, const struct hostcc *def, struct err *err)
{
	struct hostcc cc;
	if (!attempt(p, err))
		return false;
	if (!hostcc_current(p->prefix, p->v->ccbin, sizeof p->v->ccbin) && def)
		set_ccbin(p->v, def->cxx);
	if (!is(p->v, "host-compiler-refused"))
		return true;
	set_refused(p, def);
	if (hostcc_find(&p->limits, &cc))
		snprintf(p->v->hint, sizeof p->v->hint, "set NVCC_PREPEND_FLAGS='-ccbin %s'",
			 cc.cxx);
	return true;
}

static bool may_change(const char *prefix)
{
	autofree char *bin = xasprintf("%s/bin", prefix);
	return access(bin, W_OK) == 0 && access(prefix, W_OK) == 0;
}

bool probe_run(const char *prefix, const char *final, enum probe_level level, bool ours,
	       const struct events *ev, struct verdict *v, struct err *err)
{
	struct verdict got = {0};
	struct probe p = {.prefix = prefix, .final = final, .ours = ours, .events = ev, .v = &got};
	struct hostcc def;
	time_t now = time(NULL);
	struct tm tm;
	bool ok = true;

	if (gmtime_r(&now, &tm))
		strftime(got.date, sizeof got.date, "%Y-%m-%dT%H:%M:%SZ", &tm);
	snprintf(got.level, sizeof got.level, "%s",
		 level == PROBE_FILES ? "files" : level_names[PROBE_COMPILE]);
	const char *missing = probe_missing(prefix);
	if (missing) {
		set_incomplete(&p, "'%s' is missing or cannot be read", missing);
	} else if (level == PROBE_FILES) {
		snprintf(got.word, sizeof got.word, "files-ok");
	} else {
		hostcc_limits(prefix, &p.limits);
		bool has = hostcc_default(&def);
		if (!trial_open(&p.trial, final, ev, err))
			return false;
		ok = ours && may_change(prefix) ? probe_compile_ours(&p, has ? &def : NULL, err)
						: probe_compile_foreign(&p, has ? &def : NULL, err);
		trial_close(&p.trial);
	}
	if (ok)
		*v = got;
	return ok;
}
