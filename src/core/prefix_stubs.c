#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/proc.h"
#include "core/childenv.h"
#include "core/hostcc.h"
#include "core/prefix_parts.h"

enum { HEADER_MAX = 8 << 20, SOURCE_MAX = 4 << 20, NAME_LEN_MAX = 128, DEADLINE_MS = 60000 };

/*
 * Libraries of the driver, which programs link against on machines without one. Each function of
 * the header becomes one that returns the error which the driver's interface has for this case.
 */
static const struct stub {
	const char *header, *start, *declares, *so, *soname;
	int result;
} stubs[] = {
	{"cuda.h", "cu", "CUDAAPI", "libcuda.so", "libcuda.so.1", 34}, /* CUDA_ERROR_STUB_LIBRARY */
	{"nvml.h", "nvml", "DECLDIR", "libnvidia-ml.so", "libnvidia-ml.so.1",
	 12}, /* NVML_ERROR_LIBRARY_NOT_FOUND */
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* An identifier at s that is a function's name: "cuInit", not "cudaFree" or "cuda". */
static size_t function_name(const struct stub *t, const char *s)
{
	size_t start = strlen(t->start), n = 0;
	if (strncmp(s, t->start, start) || !isupper((unsigned char)s[start]))
		return 0;
	while (is_word(s[n]))
		n++;
	return n < NAME_LEN_MAX ? n : 0;
}

static void add_name(struct strlist *names, const char *s, size_t n, const char *suffix)
{
	autofree char *name = xasprintf("%.*s%s", (int)n, s, suffix);
	strlist_add(names, name);
}

/* "CUresult CUDAAPI cuInit(unsigned int Flags)" */
static void find_declared(const struct stub *t, const char *text, struct strlist *names)
{
	size_t len = strlen(t->declares);
	for (const char *s = text; (s = strstr(s, t->declares)); s += len) {
		const char *name = s + len + strspn(s + len, " \t\r\n");
		size_t n = function_name(t, name);
		if (n && name[n + strspn(name + n, " \t\r\n")] == '(')
			add_name(names, name, n, "");
	}
}

/* "#define cuMemAlloc cuMemAlloc_v2", "#define cuMemcpy __CUDA_API_PTDS(cuMemcpy)" */
static void find_renamed(const struct stub *t, const char *text, struct strlist *names)
{
	static const struct {
		const char *macro, *suffix;
	} variants[] = {{"__CUDA_API_PTDS(", "_ptds"}, {"__CUDA_API_PTSZ(", "_ptsz"}};
	static const char define[] = "#define ";
	for (const char *s = text; (s = strstr(s, define)); s += strlen(define)) {
		const char *name = s + strlen(define);
		name += strspn(name, " \t");
		size_t n = function_name(t, name);
		if (!n || (name[n] != ' ' && name[n] != '\t'))
			continue;
		const char *to = name + n + strspn(name + n, " \t");
		const char *suffix = NULL;
		for (size_t i = 0; i < ARRAY_LEN(variants); i++)
			if (!strncmp(to, variants[i].macro, strlen(variants[i].macro))) {
				suffix = variants[i].suffix;
				to += strlen(variants[i].macro);
			}
		n = function_name(t, to);
		if (!n)
			continue;
		add_name(names, to, n, "");
		if (suffix)
			add_name(names, to, n, suffix);
	}
}

static bool make_source(const struct stub *t, const char *header, struct buf *out)
{
	autostrlist struct strlist names = {0};
	find_declared(t, header, &names);
	find_renamed(t, header, &names);
	if (!names.n)
		return false;
	strlist_sort(&names);
	/* One body and many names: a tenth of the compiler's time for as many bodies. */
	buf_addf(out, "static int stub(void) { return %d; }\n", t->result);
	for (size_t i = 0; i < names.n; i++)
		if (i == 0 || strcmp(names.items[i], names.items[i - 1]) != 0)
			buf_addf(out, "int %s(void) __attribute__((alias(\"stub\")));\n",
				 names.items[i]);
	return !out->full;
}

/* A compiler of this machine makes no library for another one. */
static bool can_build_for(const char *arch)
{
	struct utsname u;
	if (uname(&u) < 0)
		return false;
	return !strcmp(u.machine, arch) || (!strcmp(u.machine, "aarch64") && !strcmp(arch, "sbsa"));
}

static bool compile(const struct prefix *p, const struct stub *t, const struct hostcc *cc,
		    struct err *err)
{
	autofree char *dir = xasprintf("%s/.cudaenv", p->staging);
	autofree char *soname = xasprintf("-Wl,-soname,%s", t->soname);
	autoenv char **env = childenv_new(NULL);
	const char *argv[] = {cc->cc,	   "-x",    "c",
			      "-O1",	   "-fPIC", "-shared",
			      "-nostdlib", "-s",    "-Wl,--build-id=none",
			      soname,	   "-o",    "stub.so",
			      "stub.c",	   NULL};
	struct proc run = {.argv = argv,
			   .env = (const char *const *)env,
			   .cwd = dir,
			   .deadline_ms = DEADLINE_MS};
	autoproc struct proc_result r = {0};
	if (!proc_run(&run, &r, err))
		return false;
	if (r.status != 0) {
		char words[64];
		event_debug(p->events, "%s", buf_str(&r.err));
		return err_set(err, ERR_FAILED, "'%s': %s", cc->cc,
			       proc_result_words(&r, words, sizeof words));
	}
	return true;
}

/* false with ERR_FAILED where only this stub cannot be had. */
static bool build(const struct prefix *p, const struct stub *t, const struct hostcc *cc,
		  struct err *err)
{
	autobuf struct buf header = BUF_INIT(HEADER_MAX), source = BUF_INIT(SOURCE_MAX);
	autofree char *folder = xasprintf("targets/%s/lib/stubs", p->target);
	if (!prefix_read(p->include, t->header, &header, err))
		return false;
	if (!make_source(t, buf_str(&header), &source))
		return err_set(err, ERR_FAILED, "no functions in '%s'", t->header);
	autoclose int work = prefix_folder(p, ".cudaenv", err);
	if (work < 0 || !prefix_write(work, "stub.c", source.data, source.len, 0644, err))
		return false;
	bool ok = compile(p, t, cc, err);
	unlinkat(work, "stub.c", 0);
	if (!ok) {
		unlinkat(work, "stub.so", 0);
		return false;
	}
	autoclose int to = prefix_folder(p, folder, err);
	if (to < 0)
		return false;
	/* The loader's name for it is a link, as in NVIDIA's archives where there is one. */
	if (renameat(work, "stub.so", to, t->so) < 0 || fchmodat(to, t->so, 0755, 0) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot put '%s' in place", t->so);
	return true;
}

static bool add_stub(const struct prefix *p, const struct stub *t, struct err *err)
{
	autofree char *folder = xasprintf("targets/%s/lib/stubs", p->target);
	struct hostcc cc;
	autoclose int there = prefix_open(p, folder);
	if (there < 0 || !prefix_has(there, t->so)) {
		if (!prefix_has(p->include, t->header))
			return true;
		bool has = can_build_for(p->release->arch) &&
			   (hostcc_default(&cc) || hostcc_find(&(struct hostcc_limits){0}, &cc));
		if (!has)
			err_set(err, ERR_FAILED, "no compiler for %s", p->release->arch);
		if (!has || !build(p, t, &cc, err)) {
			if (err->code != ERR_FAILED)
				return false;
			event_warn(p->events, "install a host compiler and this version again",
				   "no stub of '%s': %s; linking needs the driver's library", t->so,
				   err->msg);
			return true;
		}
	}
	autoclose int dir = prefix_folder(p, folder, err);
	return dir >= 0 && (prefix_has(dir, t->soname) || prefix_link(dir, t->so, t->soname, err));
}

bool prefix_stubs(const struct prefix *p, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(stubs); i++)
		if (!add_stub(p, &stubs[i], err))
			return false;
	return true;
}
