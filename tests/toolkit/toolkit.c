/*
 * The parts under test as commands, for toolkit.bats:
 *   toolkit build ROOT LABEL ARCHIVE...     wheels into ROOT's store, assembled as versions/LABEL
 *   toolkit probe PREFIX LEVEL ours|other   judges; prints word, ccbin, detail and hint, a line each
 *   toolkit adopt ROOT MACHINE              links what is below the folder MACHINE; prints name, what tells its
 *                                           release, and what it lacks, a line each
 * The exit status is the error's code.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/path.h"
#include "base/pool.h"
#include "base/tree.h"
#include "core/adopt.h"
#include "core/prefix.h"
#include "core/probe.h"
#include "core/source.h"
#include "core/store.h"
#include "core/wheelname.h"
#include "ext/digest.h"

static const char *const names[][2] = {
	{"nvidia-cuda-runtime", "cuda_cudart"},
	{"nvidia-nvvm", "libnvvm"},
	{"nvidia-nvptxcompiler", "libnvptxcompiler"},
};

static void print_event(void *ctx, const struct event *ev)
{
	(void)ctx;
	if (ev->kind == EVENT_WARNING || ev->kind == EVENT_NOTE)
		fprintf(stderr, "%s\n", ev->text);
	if (ev->kind == EVENT_DEBUG && getenv("TOOLKIT_DEBUG"))
		fprintf(stderr, "debug: %s\n", ev->text);
}

static const struct events events = {print_event, NULL};

static int fail(const struct err *err)
{
	fprintf(stderr, "%s\n", err->msg);
	if (err->hint[0])
		fprintf(stderr, "hint: %s\n", err->hint);
	return (int)err->code;
}

/* "nvidia-cuda-nvcc" is cuda_nvcc in NVIDIA's manifests. */
static char *redist_name(const char *project)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(names[i][0], project))
			return xstrdup(names[i][1]);
	char *name = xstrdup(strncmp(project, "nvidia-", 7) ? project : project + 7);
	for (char *s = name; *s; s++)
		if (*s == '-')
			*s = '_';
	return name;
}

static bool read_component(const char *archive, struct component *c, struct err *err)
{
	struct wheelname w;
	bool fits;
	if (!wheelname_parse(path_base(archive), "x86_64", &w, &fits))
		return err_set(err, ERR_USAGE, "'%s' is no wheel", archive);
	c->name = redist_name(w.project);
	c->package = xstrdup(w.project);
	c->version = xstrdup(w.version);
	c->file = xstrdup(path_base(archive));
	return digest_file(DIGEST_SHA256, archive, c->sha256, err);
}

struct result {
	struct err err;
	bool failed;
};

static void stored(void *ctx, const struct component *c, bool ok, const struct err *err)
{
	struct result *r = ctx;
	(void)c;
	if (ok)
		return;
	r->err = *err;
	r->failed = true;
}

static bool store_all(const struct layout *l, struct release *r, char **archives, struct err *err)
{
	struct pool *pool = pool_new(0);
	struct result res = {0};
	struct store_target to = {l, r->arch, pool, &events, stored, &res};
	bool ok = true;
	for (size_t i = 0; ok && i < r->n; i++)
		ok = store_has(l, r->components[i].sha256) ||
		     store_add(&to, &r->components[i], archives[i], err);
	pool_wait(pool);
	pool_free(pool);
	if (res.failed)
		*err = res.err;
	return ok && !res.failed;
}

static int build(char **argv)
{
	struct err err;
	struct layout l = {0};
	struct release r = {.source = "wheels", .arch = "x86_64"};
	char **archives = argv + 2;
	snprintf(l.root, sizeof l.root, "%s", argv[0]);
	snprintf(r.label, sizeof r.label, "%s", argv[1]);
	autofree char *staging = xasprintf("%s/staging/%s.%ld", l.root, r.label, (long)getpid());
	autofree char *final = xasprintf("%s/versions/%s", l.root, r.label);
	autofree char *versions = xasprintf("%s/versions", l.root);
	autofree char *store = xasprintf("%s/store", l.root);
	bool ok = tree_mkdirs(staging, &err) && tree_mkdirs(versions, &err) &&
		  tree_mkdirs(store, &err);
	while (archives[r.n])
		r.n++;
	r.components = xcalloc(r.n, sizeof *r.components);
	for (size_t i = 0; ok && i < r.n; i++)
		ok = read_component(archives[i], &r.components[i], &err);
	ok = ok && store_all(&l, &r, archives, &err) &&
	     prefix_assemble(&l, &r, staging, final, &events, &err) &&
	     atomic_publish(staging, final, NULL, &err);
	release_clear(&r);
	return ok ? 0 : fail(&err);
}

static int probe(char **argv)
{
	struct err err;
	autoverdict struct verdict v = {0};
	struct probe_opts o = {.ours = !strcmp(argv[2], "ours")};
	if (!probe_level_parse(argv[1], &o.level))
		return ERR_USAGE;
	if (!probe_run(argv[0], argv[0], &o, &events, &v, &err))
		return fail(&err);
	printf("%s\n%s\n%s\n%s\n", v.word, v.ccbin, v.detail, v.hint);
	return 0;
}

static int adopt(char **argv)
{
	struct err err;
	struct layout l = {0};
	autoadopt struct adopt a = {0};
	char *const nowhere[] = {NULL};
	snprintf(l.root, sizeof l.root, "%s", argv[0]);
	if (!adopt_find(&l, argv[1], nowhere, &a, &err))
		return fail(&err);
	for (size_t i = 0; i < a.n; i++) {
		if (!adopt_link(&l, argv[1], &a.items[i], &err))
			return fail(&err);
		printf("%s by %s", a.items[i].name, a.items[i].id.by ? a.items[i].id.by : "nobody");
		for (size_t j = 0; j < a.items[i].lacks.n; j++)
			printf(" lacks %s", a.items[i].lacks.items[j]);
		printf("\n");
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 4 && !strcmp(argv[1], "build"))
		return build(argv + 2);
	if (argc == 5 && !strcmp(argv[1], "probe"))
		return probe(argv + 2);
	if (argc == 4 && !strcmp(argv[1], "adopt"))
		return adopt(argv + 2);
	return ERR_USAGE;
}
