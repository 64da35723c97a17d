#include "core/hostcc.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/proc.h"
#include "core/childenv.h"

enum { ASK_DEADLINE_MS = 10000, ASK_OUTPUT_MAX = 1 << 16, MAJOR_MAX = 999 };

static bool ask(const char *program, const char *option, char *out, size_t cap)
{
	struct err err;
	autoenv char **env = childenv_new(NULL);
	const char *argv[] = {program, option, NULL};
	struct proc p = {.argv = argv,
			 .env = (const char *const *)env,
			 .deadline_ms = ASK_DEADLINE_MS,
			 .max_output = ASK_OUTPUT_MAX};
	autoproc struct proc_result r = {0};
	if (!proc_run(&p, &r, &err) || r.status != 0)
		return false;
	snprintf(out, cap, "%s", buf_str(&r.out));
	return out[0] != '\0';
}

static int major_of(const char *s)
{
	char *end;
	long n = strtol(s, &end, 10);
	return end != s && n > 0 && n <= MAJOR_MAX ? (int)n : 0;
}

/* Asks the compiler itself: clang may stand under the name of gcc. */
static bool identify(struct hostcc *h)
{
	char text[512];
	if (!ask(h->cxx, "--version", text, sizeof text))
		return false;
	const char *clang = strstr(text, "clang version ");
	h->clang = clang != NULL;
	if (clang)
		h->major = major_of(clang + strlen("clang version "));
	else
		h->major = ask(h->cxx, "-dumpversion", text, sizeof text) ? major_of(text) : 0;
	return h->major > 0;
}

bool hostcc_default(struct hostcc *out)
{
	struct hostcc h = {0};
	if (!childenv_find("gcc", h.cc, sizeof h.cc) ||
	    !childenv_find("g++", h.cxx, sizeof h.cxx) || !identify(&h))
		return false;
	*out = h;
	return true;
}

static bool within(int n, int min, int max)
{
	return (!min || n >= min) && (!max || n <= max);
}

bool hostcc_accepted(const struct hostcc_limits *lim, const struct hostcc *cc)
{
	return cc->clang ? within(cc->major, lim->clang_min, lim->clang_max)
			 : within(cc->major, lim->gcc_min, lim->gcc_max);
}

/* "g++-11" is a C++ compiler whose C compiler is "gcc-11"; suffix is "" or "-11". */
static bool split_name(const char *name, bool *clang, const char **suffix)
{
	*clang = !strncmp(name, "clang++", 7);
	if (!*clang && strncmp(name, "g++", 3))
		return false;
	*suffix = name + (*clang ? 7 : 3);
	return !**suffix || (**suffix == '-' && major_of(*suffix + 1) &&
			     strspn(*suffix + 1, "0123456789.") == strlen(*suffix + 1));
}

static bool candidate(const char *dir, const char *name, struct hostcc *out)
{
	const char *suffix;
	char cc[64];
	if (!split_name(name, &out->clang, &suffix))
		return false;
	snprintf(cc, sizeof cc, "%s%s", out->clang ? "clang" : "gcc", suffix);
	return childenv_program(dir, name) && childenv_program(dir, cc) &&
	       path_join(out->cc, sizeof out->cc, dir, cc) &&
	       path_join(out->cxx, sizeof out->cxx, dir, name) && identify(out);
}

static bool better(const struct hostcc *a, const struct hostcc *b)
{
	if (!b->major || a->clang != b->clang)
		return !b->major || b->clang;
	return a->major > b->major;
}

/* A number in the name saves the question to compilers that could not win anyway. */
static bool worth_asking(const char *name, const struct hostcc_limits *lim,
			 const struct hostcc *best)
{
	const char *suffix;
	struct hostcc h = {0};
	if (!split_name(name, &h.clang, &suffix))
		return false;
	if (!*suffix)
		return true;
	h.major = major_of(suffix + 1);
	return hostcc_accepted(lim, &h) && better(&h, best);
}

static void scan(const char *dir, const struct hostcc_limits *lim, struct hostcc *best)
{
	autodir DIR *d = opendir(dir);
	for (struct dirent *e; d && (e = readdir(d));) {
		struct hostcc h = {0};
		if (worth_asking(e->d_name, lim, best) && candidate(dir, e->d_name, &h) &&
		    hostcc_accepted(lim, &h) && better(&h, best))
			*best = h;
	}
}

bool hostcc_find(const struct hostcc_limits *lim, struct hostcc *out)
{
	char dir[PATH_MAX];
	struct hostcc best = {0};
	for (int i = 0; childenv_path(i, dir, sizeof dir); i++)
		scan(dir, lim, &best);
	scan("/usr/bin", lim, &best);
	if (best.major)
		*out = best;
	return best.major != 0;
}
