/* Python frameworks with CUDA inside, by the files that they left: none of them is started. */
#include <dirent.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "core/facts.h"

enum { TEXT_MAX = 1 << 16, FRAMEWORKS_MAX = 32 };

/* The number within quotes behind `key` and a '=' or ':' in a Python file; "" for None. */
static bool quoted_number(const char *text, const char *key, char out[VERSION_TEXT])
{
	for (const char *p = text; (p = strstr(p, key)); p += strlen(key)) {
		const char *end = p + strcspn(p, "\n,}");
		const char *eq = memchr(p, '=', (size_t)(end - p));
		const char *colon = memchr(p + strlen(key), ':', (size_t)(end - p - strlen(key)));
		const char *at = eq ? eq : colon;
		if (!at || (p > text && p[-1] != '\n' && p[-1] != '\'' && p[-1] != '"'))
			continue;
		at += strcspn(at, "'\"\n,}");
		if (*at != '\'' && *at != '"') {
			out[0] = '\0';
			return true;
		}
		size_t n = strcspn(at + 1, "'\"\n");
		snprintf(out, VERSION_TEXT, "%.*s", (int)(n < VERSION_TEXT ? n : VERSION_TEXT - 1),
			 at + 1);
		return true;
	}
	return false;
}

/* As wheels of today bring it, and as those before 2.0 of torch did: there the soname tells. */
static void look_for_cudnn(struct facts_framework *w)
{
	autofree char *wheel = xasprintf("%s/nvidia/cudnn/lib", w->folder),
		      *own = xasprintf("%s/torch/lib/libcudnn.so.", w->folder);
	if (facts_cudnn_version(wheel, w->cudnn, sizeof w->cudnn))
		return;
	w->cudnn[0] = '\0';
	for (int n = 7; n < 12 && !w->cudnn[0]; n++) {
		autofree char *path = xasprintf("%s%d", own, n);
		if (access(path, F_OK) == 0)
			snprintf(w->cudnn, sizeof w->cudnn, "%d", n);
	}
}

static void add(struct facts *f, const struct facts_framework *w, const char *site)
{
	if (f->n_frameworks >= FRAMEWORKS_MAX)
		return;
	f->frameworks = array_grow(f->frameworks, f->n_frameworks, sizeof *f->frameworks);
	f->frameworks[f->n_frameworks] = *w;
	f->frameworks[f->n_frameworks].folder = xstrdup(site);
	look_for_cudnn(&f->frameworks[f->n_frameworks++]);
}

static bool read_below(const char *site, const char *file, struct buf *out)
{
	struct err ignored;
	autofree char *path = xasprintf("%s/%s", site, file);
	return io_read_file(path, out, &ignored);
}

/* torch/version.py: __version__ = '2.3.0+cu121', cuda: Optional[str] = '12.1' or None */
static void look_for_torch(struct facts *f, const char *site)
{
	autobuf struct buf b = BUF_INIT(TEXT_MAX);
	struct facts_framework w = {0};
	if (!read_below(site, "torch/version.py", &b) ||
	    !quoted_number(buf_str(&b), "__version__", w.version))
		return;
	w.cpu = quoted_number(buf_str(&b), "cuda", w.cuda) && !w.cuda[0];
	w.name = xstrdup("torch");
	add(f, &w, site);
}

/* build_info = ...({"cuda_version": "12.3", ..., "is_cuda_build": True}) */
static void look_for_tensorflow(struct facts *f, const char *site)
{
	autobuf struct buf b = BUF_INIT(TEXT_MAX);
	struct facts_framework w = {0};
	if (!read_below(site, "tensorflow/python/platform/build_info.py", &b))
		return;
	w.cpu = !quoted_number(buf_str(&b), "cuda_version", w.cuda);
	w.name = xstrdup("tensorflow");
	add(f, &w, site);
}

/* jax_cuda12_plugin-0.4.30.dist-info, cupy_cuda12x-13.0.0.dist-info: the name has the major. */
static void look_at_dist(struct facts *f, const char *site, const char *name)
{
	static const struct {
		const char *start, *name;
	} known[] = {{"jax_cuda", "jax"}, {"cupy_cuda", "cupy"}};
	const char *dash = strchr(name, '-'), *end = strstr(name, ".dist-info");
	for (size_t i = 0; i < ARRAY_LEN(known) && dash && end && end > dash; i++) {
		size_t n = strlen(known[i].start);
		if (strncmp(name, known[i].start, n) != 0 || name[n] < '0' || name[n] > '9' ||
		    strstr(name, "_pjrt"))
			continue;
		struct facts_framework w = {.name = xstrdup(known[i].name)};
		snprintf(w.cuda, sizeof w.cuda, "%d", (int)strtol(name + n, NULL, 10));
		snprintf(w.version, sizeof w.version, "%.*s",
			 (int)(end - dash < VERSION_TEXT ? end - dash - 1 : VERSION_TEXT - 1),
			 dash + 1);
		add(f, &w, site);
	}
}

static void look_in(struct facts *f, const char *site)
{
	look_for_torch(f, site);
	look_for_tensorflow(f, site);
	autodir DIR *d = opendir(site);
	for (struct dirent *e; d && (e = readdir(d));)
		look_at_dist(f, site, e->d_name);
}

static void look_at(struct facts *f, const char *pattern)
{
	glob_t g = {0};
	if (glob(pattern, 0, NULL, &g) == 0)
		for (size_t i = 0; i < g.gl_pathc; i++)
			look_in(f, g.gl_pathv[i]);
	globfree(&g);
}

/* A name with '[' in it is no pattern of ours. */
static void look_below(struct facts *f, const char *top, const char *rest)
{
	autobuf struct buf b = BUF_INIT(PATH_MAX);
	for (const char *p = top; *p; p++)
		buf_addf(&b, strchr("*?[\\", *p) ? "\\%c" : "%c", *p);
	buf_adds(&b, rest);
	if (!b.full)
		look_at(f, buf_str(&b));
}

/* Those of the active environment; without one those of the user and the system. */
void facts_frameworks(struct facts *f)
{
	const char *venv = getenv("VIRTUAL_ENV"), *conda = getenv("CONDA_PREFIX");
	const char *active = venv && venv[0] ? venv : conda && conda[0] ? conda : NULL;
	if (active) {
		look_below(f, active, "/lib/python3*/site-packages");
		return;
	}
	const char *home = getenv("HOME");
	if (home && home[0])
		look_below(f, home, "/.local/lib/python3*/site-packages");
	look_below(f, f->at.root, "/usr/local/lib/python3*/dist-packages");
	look_below(f, f->at.root, "/usr/lib/python3/dist-packages");
}
