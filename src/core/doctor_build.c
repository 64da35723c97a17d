/* What stops a build: host compiler, C library, framework, a build folder of another version. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/drift.h"
#include "base/io.h"
#include "base/proc.h"
#include "core/doctor_checks.h"
#include "core/hostcc.h"
#include "core/lacks.h"

enum { HEADER_MAX = 4 << 20, CCACHE_WAIT_MS = 5000 };

static bool is_set(const char *name)
{
	const char *value = getenv(name);
	return value && value[0];
}

void doctor_ccbin(struct doctor *d, const struct facts *f)
{
	struct hostcc_limits limits;
	struct hostcc have, fits;
	char chosen[PATH_MAX], advice[512];
	if (!facts_version(f) || !hostcc_limits(f->sel.prefix, &limits) ||
	    hostcc_current(f->sel.prefix, chosen, sizeof chosen) || is_set("NVCC_PREPEND_FLAGS") ||
	    is_set("NVCC_CCBIN"))
		return;
	if (!hostcc_default(&have)) {
		doctor_find(d, DOCTOR_ERROR,
			    "nvcc needs a host compiler, and neither gcc nor g++ is on PATH");
		doctor_remedy(d, "%s", hostcc_advice(&limits, advice, sizeof advice));
		return;
	}
	if (hostcc_accepted(&limits, &have))
		return;
	doctor_find(d, DOCTOR_ERROR,
		    "%s refuses the default compiler, %s %d: it takes gcc %d to %d", f->sel.name,
		    have.clang ? "clang" : "gcc", have.major, limits.gcc_min, limits.gcc_max);
	if (hostcc_find(&limits, &fits))
		doctor_remedy(d, "cudaenv verify %s sets '%s'; or nvcc -ccbin %s", f->sel.name,
			      fits.cxx, fits.cxx);
	else
		doctor_remedy(d, "%s", hostcc_advice(&limits, advice, sizeof advice));
}

/*
 * glibc 2.41 declares cospi and sinpi, 2.42 rsqrt, as never throwing; the toolkit's header says otherwise until it
 * knows of them. Which words tell that was read from the headers of 11.8, 12.4, 13.0, 13.1, 13.2 and 13.5.
 */
void doctor_glibc(struct doctor *d, const struct facts *f)
{
	static const struct {
		unsigned minor;
		const char *word, *functions, *first;
	} steps[] = {{42, "_NV_RSQRT_SPECIFIER", "rsqrt", "13.2"},
		     {41, "__NV_IEC_60559_FUNCS_EXCEPTION_SPECIFIER", "cospi, sinpi", "13.0"}};
	autobuf struct buf header = BUF_INIT(HEADER_MAX);
	struct err ignored;
	struct version glibc;
	if (!facts_version(f) || !version_parse(f->glibc, strlen(f->glibc), &glibc) ||
	    glibc.part[0] != 2)
		return;
	autofree char *path = xasprintf("%s/include/crt/math_functions.h", f->sel.prefix);
	if (!io_read_file(path, &header, &ignored))
		return;
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		if (glibc.part[1] < steps[i].minor || strstr(buf_str(&header), steps[i].word))
			continue;
		doctor_find(d, DOCTOR_ERROR,
			    "glibc %s declares %s as the headers of %s do not: what includes "
			    "math.h does not compile",
			    f->glibc, steps[i].functions, f->sel.name);
		doctor_remedy(
			d, "use CUDA %s or newer here, or build in a container with an older glibc",
			steps[i].first);
		return;
	}
}

struct filled {
	struct strlist components;
	char folder[PATH_MAX]; /* the first; the others are not listed */
};

static void fills(void *ctx, const struct lack *l)
{
	struct filled *f = ctx;
	if (!f->folder[0])
		snprintf(f->folder, sizeof f->folder, "%s", l->folder);
	if (!strlist_has(&f->components, l->component))
		strlist_add(&f->components, l->component);
}

/* What the toolkit lacks and the machine's folders have: a program of two CUDAs. */
void doctor_filled(struct doctor *d, const struct facts *f)
{
	struct filled found = {0};
	autobuf struct buf names = BUF_INIT(1024);
	if (!facts_version(f))
		return;
	lacks_each(f->sel.prefix, f->at.root, fills, &found);
	strlist_sort(&found.components);
	for (size_t i = 0; i < found.components.n; i++)
		buf_addf(&names, " %s", found.components.items[i]);
	if (found.components.n) {
		doctor_find(d, DOCTOR_WARNING,
			    "%s has no%s: %s take another toolkit's, from '%s' and the like",
			    f->sel.name, buf_str(&names),
			    lacks_guarded(f->sel.prefix)
				    ? "compilers and linkers (but for its nvcc, which refuses)"
				    : "compilers and linkers",
			    found.folder);
		autofree char *record = xasprintf("%s/.cudaenv/record.json", f->sel.prefix);
		autofree char *add = access(record, F_OK) == 0
					     ? xasprintf("cudaenv component add %s%s", f->sel.name,
							 buf_str(&names))
					     : xstrdup("add them where it came from");
		doctor_remedy(d,
			      "%s; CMake stays away from there with the file of 'cudaenv env "
			      "--format cmake'",
			      add);
	}
	strlist_clear(&found.components);
}

/*
 * Before it starts anything ccache compares time and size of the compiler's file, or its content: the launcher has these
 * of no version. So the objects of one version came out for another (4.7.5, all three settings).
 */
void doctor_ccache(struct doctor *d, const struct facts *f)
{
	static const char *const of_the_file[] = {"mtime\n", "content\n", "none\n"};
	static const char *const argv[] = {"ccache", "--get-config", "compiler_check", NULL};
	autoproc struct proc_result r = {0};
	struct err ignored;
	struct proc p = {.argv = argv, .deadline_ms = CCACHE_WAIT_MS};
	if (!f->n_nvccs || !f->nvccs[0].shim || !proc_run(&p, &r, &ignored) || r.status != 0)
		return;
	for (size_t i = 0; i < ARRAY_LEN(of_the_file); i++)
		if (!strcmp(buf_str(&r.out), of_the_file[i])) {
			doctor_find(d, DOCTOR_WARNING,
				    "ccache tells compilers apart by their file, and the shim is "
				    "one for all versions: 'ccache nvcc' gives objects of another "
				    "version");
			doctor_remedy(d, "export CCACHE_COMPILERCHECK='%%compiler%% --version'; or "
					 "the hook, or cudaenv exec");
			return;
		}
}

void doctor_drift(struct doctor *d, const struct facts *f)
{
	struct err found;
	if (!f->resolved || !drift_find(f->layout, &f->sel, NULL, &found))
		return;
	doctor_find(d, DOCTOR_WARNING, "%s", found.msg);
	doctor_remedy(d, "%s", found.hint);
}

/* The toolkit that an extension build takes, as PyTorch looks for it; "": none. */
static const char *build_takes(const struct facts *f)
{
	const char *home = getenv("CUDA_HOME"), *path = getenv("CUDA_PATH");
	if (home && home[0])
		return home;
	if (path && path[0])
		return path;
	if (f->n_nvccs)
		return f->nvccs[0].shim ? f->layout->root : f->nvccs[0].tree;
	return facts_there(f, "/usr/local/cuda") ? "/usr/local/cuda" : "";
}

/* torch compares at each extension build: another major stops it, another minor is told. */
void doctor_framework(struct doctor *d, const struct facts *f)
{
	struct version have, want;
	if (!version_parse(f->release, strlen(f->release), &have))
		return;
	for (const struct facts_framework *w = f->frameworks; w < f->frameworks + f->n_frameworks;
	     w++) {
		bool torch = !strcmp(w->name, "torch");
		if (w->cpu && torch) {
			doctor_find(d, DOCTOR_NOTE, "torch %s is made for the CPU alone",
				    w->version);
			doctor_remedy(d, "install it from PyTorch's index for CUDA, if it is to "
					 "use the GPU");
		}
		if (w->cpu || !version_parse(w->cuda, strlen(w->cuda), &want))
			continue;
		const char *takes = torch ? build_takes(f) : "";
		bool major = have.part[0] != want.part[0];
		if (!major && (want.n < 2 || have.part[1] == want.part[1] || !torch))
			continue;
		doctor_find(d,
			    !torch  ? DOCTOR_NOTE
			    : major ? DOCTOR_ERROR
				    : DOCTOR_WARNING,
			    "%s %s is made for CUDA %s, but %s is selected%s%s%s", w->name,
			    w->version, w->cuda, f->sel.name,
			    takes[0] ? " (an extension build takes '"
			    : torch  ? " (an extension build finds no toolkit"
				     : "",
			    takes,
			    takes[0] ? "')"
			    : torch  ? ")"
				     : "");
		doctor_remedy(
			d,
			torch ? "cudaenv local %s, where extensions are built"
			      : "nothing while you build nothing for it; else cudaenv local %s",
			w->cuda);
	}
}
