#include "base/drift.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/cmakecache.h"
#include "base/mesonlog.h"
#include "base/path.h"
#include "base/scan.h"

/* NAMES: entries of one folder. */
enum { TRIES_MAX = 64, NAMES_MAX = 4096 };

struct search {
	const struct layout *l;
	const struct selection *s;
	int tries, found;
	int number;	       /* of the selected toolkit's cuda.h; 0: not looked for yet */
	char folder[PATH_MAX]; /* the one to tell of: the first by name */
	struct cmakecache cache;
	struct mesonlog meson; /* .cuda: it is of Meson, not of CMake */
};

/* Whether this folder becomes the one to tell of. */
static bool is_first(struct search *in, const char *folder)
{
	/* The working folder may be one of the project's. */
	if (in->found && scan_same(folder, in->folder))
		return false;
	if (in->found++ && strcmp(folder, in->folder) >= 0)
		return false;
	snprintf(in->folder, sizeof in->folder, "%s", folder);
	return true;
}

static bool look_for_meson(struct search *in, const char *folder)
{
	struct mesonlog m;
	if (!mesonlog_read(&m, folder))
		return false;
	if (!in->number && in->s->prefix[0])
		in->number = mesonlog_number(in->s->prefix);
	if (m.cuda && in->number && m.cuda / 10 != in->number / 10 && is_first(in, folder)) {
		in->meson = m;
		in->cache = (struct cmakecache){0};
	}
	return true;
}

/* Whether CMake or Meson configured this folder. */
static bool look(struct search *in, const char *folder)
{
	struct cmakecache c;
	in->tries++;
	if (!cmakecache_read(&c, in->l, in->s, folder))
		return look_for_meson(in, folder);
	if ((c.foreign[0] || c.filler[0]) && is_first(in, folder)) {
		in->cache = c;
		in->meson.cuda = 0;
	}
	return true;
}

struct walk {
	struct search *in;
	const char *folder; /* "": the working folder */
	int depth, left;
};

/* build, _build, builddir, cmake-build-debug, Debug, release-12 ... */
static bool is_build_folder(const char *name)
{
	return strcasestr(name, "build") || !strcmp(name, "out") || !strcmp(name, "bld") ||
	       !strncasecmp(name, "debug", 5) || !strncasecmp(name, "release", 7) ||
	       !strcmp(name, "RelWithDebInfo") || !strcmp(name, "MinSizeRel");
}

/* build, out/X and out/build/X. */
static bool entry(void *ctx, const char *name, unsigned char type)
{
	struct walk *w = ctx;
	char path[PATH_MAX];
	bool is_folder = type == DT_DIR || type == DT_LNK || type == DT_UNKNOWN;
	if (name[0] != '.' && is_folder && (w->depth || is_build_folder(name)) &&
	    path_join(path, sizeof path, w->folder, name) && !look(w->in, path) &&
	    (w->depth == 0 || (w->depth == 1 && !strcmp(name, "build"))))
		scan_folder(path, entry,
			    &(struct walk){w->in, path, w->depth + 1, .left = NAMES_MAX});
	return --w->left > 0 && w->in->tries < TRIES_MAX;
}

static void look_in(struct search *in, const char *folder)
{
	look(in, folder[0] ? folder : ".");
	scan_folder(folder[0] ? folder : ".", entry, &(struct walk){in, folder, .left = NAMES_MAX});
}

/* The project's folder, where that is not the working folder. */
static bool project(const struct selection *s, char out[PATH_MAX])
{
	if (s->origin != ORIGIN_FILE)
		return false;
	snprintf(out, PATH_MAX, "%s", s->origin_path);
	char *slash = strrchr(out, '/');
	if (!slash || slash == out)
		return false;
	*slash = '\0';
	return !scan_same(out, ".");
}

/* A word of a command line. */
static const char *quoted(const char *s, char *out, size_t cap)
{
	bool plain = !s[strcspn(s, " \t'\"$`\\*?[]();&|<>!#~")];
	snprintf(out, cap, plain ? "%s" : "'%s'", s);
	return out;
}

/* The project's folder need not be told; one that is not there any more was moved, with us in it. */
static bool is_here(const char *home)
{
	return !home[0] || scan_same(home, ".") || access(home, F_OK) < 0;
}

static void remedy(const struct search *in, struct err *e)
{
	const struct cmakecache *c = &in->cache;
	char folder[sizeof e->hint], home[sizeof e->hint], gen[sizeof c->generator + 2];
	bool here = is_here(c->home);
	bool other_generator = c->generator[0] && strcmp(c->generator, "Unix Makefiles") != 0;
	quoted(in->folder, folder, sizeof folder);
	quoted(c->home, home, sizeof home);
	quoted(c->generator, gen, sizeof gen);
	if (c->cmake[0] > 3 || (c->cmake[0] == 3 && c->cmake[1] >= 24))
		err_hint(e, "cmake --fresh%s%s%s%s -B %s, with your own -D options",
			 other_generator ? " -G " : "", other_generator ? gen : "",
			 here ? "" : " -S ", here ? "" : home, folder);
	else
		err_hint(e, "rm -r %s/CMakeCache.txt %s/CMakeFiles, and configure it again", folder,
			 folder);
}

/* Its libraries would be of two toolkits; or it knows one as lacking that is there now. */
static void tell_filler(const struct search *in, struct err *e)
{
	const char *library = in->cache.filler, *name = path_base(library);
	if (access(library, F_OK) < 0) {
		err_set(e, ERR_NONE, "'%s' is configured for a CUDA %s without %s", in->folder,
			in->s->name, name);
		remedy(in, e);
		return;
	}
	err_set(e, ERR_NONE, "'%s' takes '%s', since CUDA %s has no %s", in->folder, library,
		in->s->name, name);
	err_hint(e, "'cudaenv component which-has %s' tells what to add; then configure it anew",
		 name);
}

static const char *more(const struct search *in, char out[64])
{
	out[0] = '\0';
	if (in->found > 1)
		snprintf(out, 64, " (%d more such folders)", in->found - 1);
	return out;
}

static void tell_meson(const struct search *in, struct err *e)
{
	const struct mesonlog *m = &in->meson;
	char folder[sizeof e->hint], source[sizeof e->hint], others[64];
	err_set(e, ERR_NONE, "'%s' is set up by Meson for CUDA %d.%d, but %s is selected%s",
		in->folder, m->cuda / 1000, m->cuda / 10 % 100, in->s->name, more(in, others));
	err_hint(e, "meson setup --wipe %s%s%s", quoted(in->folder, folder, sizeof folder),
		 is_here(m->source) ? "" : " ",
		 is_here(m->source) ? "" : quoted(m->source, source, sizeof source));
}

static void tell(const struct search *in, struct err *e)
{
	const char *name, *now = in->s->prefix[0] ? in->s->name : "the system's";
	const char *tree = in->cache.foreign;
	char others[64];
	size_t len, ours = cmakecache_version(in->l, tree, &name, &len);
	err_set(e, ERR_NONE, "'%s' is configured by CMake for %s%s%s, but %s is selected%s",
		in->folder, ours ? "CUDA " : "'", ours ? name : tree, ours ? "" : "'", now,
		more(in, others));
	remedy(in, e);
}

bool drift_find(const struct layout *l, const struct selection *s, const char *named,
		struct err *found)
{
	struct search in = {.l = l, .s = s};
	char folder[PATH_MAX];
	if (s->origin == ORIGIN_DEFAULT)
		return false;
	/* A command that names its build folder has to do with no other. */
	if (!named || !look(&in, named)) {
		look_in(&in, "");
		if (project(s, folder))
			look_in(&in, folder);
	}
	if (in.found && in.meson.cuda)
		tell_meson(&in, found);
	else if (in.found && in.cache.foreign[0])
		tell(&in, found);
	else if (in.found)
		tell_filler(&in, found);
	return in.found > 0;
}
