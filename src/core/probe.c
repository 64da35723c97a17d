#include "core/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/probe_compile.h"

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
		probe_incomplete(&p, "'%s' is missing or cannot be read", missing);
	} else if (level == PROBE_FILES) {
		snprintf(got.word, sizeof got.word, "files-ok");
	} else {
		hostcc_limits(prefix, &p.limits);
		bool has = hostcc_default(&def);
		if (!trial_open(&p.trial, final, ev, err))
			return false;
		const struct hostcc *cc = has ? &def : NULL;
		ok = ours && may_change(prefix) ? probe_compile(&p, cc, err)
						: probe_compile_only(&p, cc, err);
		trial_close(&p.trial);
	}
	if (ok)
		*v = got;
	return ok;
}
