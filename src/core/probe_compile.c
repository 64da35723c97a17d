#include "core/probe_compile.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/judge.h"

/* Compilers that are tried after the newest accepted one failed; more would only repeat the
 * failure. */
enum { COMPILERS_MAX = 3 };

static const char *version_of(const char *final)
{
	const char *slash = strrchr(final, '/');
	return slash ? slash + 1 : final;
}

void probe_incomplete(const struct probe *p, const char *fmt, ...)
{
	struct verdict *v = p->v;
	va_list ap;
	snprintf(v->word, sizeof v->word, "tree-incomplete");
	va_start(ap, fmt);
	vsnprintf(v->detail, sizeof v->detail, fmt, ap);
	va_end(ap);
	if (p->ours)
		snprintf(v->hint, sizeof v->hint, "run 'cudaenv install -f %s'",
			 version_of(p->final));
	else
		snprintf(v->hint, sizeof v->hint, "repair the toolkit at '%s'", p->final);
}

/* Compiles once and judges. false: no judgement (see trial_compile). */
static bool attempt(struct probe *p, struct err *err)
{
	struct verdict *v = p->v;
	char foreign[256], said[sizeof v->detail];
	autoproc struct proc_result r = {0};
	v->detail[0] = v->hint[0] = '\0';
	if (!trial_compile(&p->trial, p->prefix, &p->hello, &r, err)) {
		if (err->sys != ENOENT && err->sys != ENOEXEC && err->sys != EACCES)
			return false;
		/* The program is there but this machine does not start it. */
		snprintf(v->word, sizeof v->word, "compile-failed");
		judge_line(err->msg, strlen(err->msg), v->detail, sizeof v->detail);
	} else if (r.status != 0) {
		judge_compile(&r, v);
		if (!strcmp(v->word, "tree-incomplete")) {
			memcpy(said, v->detail, sizeof said);
			probe_incomplete(p, "%s", said);
		}
	} else if (trial_foreign(&p->trial, p->prefix, foreign, sizeof foreign)) {
		probe_incomplete(p, "'%s' of another toolkit was used, this one lacks it", foreign);
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

/* Another compiler would not change it. */
static bool is_settled(const struct verdict *v)
{
	return is(v, "compiled") || is(v, "tree-incomplete") || is(v, "libc-headers") ||
	       is(v, "timeout");
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
		if (is_settled(p->v))
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
		if (is_settled(p->v))
			return true;
	}
	return true;
}

bool probe_compile(struct probe *p, const struct hostcc *def, struct err *err)
{
	char before[256] = "";
	bool found, accepted = def && hostcc_accepted(&p->limits, def);
	struct verdict first = {0};
	hostcc_current(p->prefix, before, sizeof before);
	if (accepted) {
		if (!hostcc_set(p->prefix, NULL, HOSTCC_LINE, err) || !attempt(p, err))
			return false;
		set_ccbin(p->v, def->cxx);
		if (is_settled(p->v))
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
	if (is_settled(p->v))
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

bool probe_compile_only(struct probe *p, const struct hostcc *def, struct err *err)
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
