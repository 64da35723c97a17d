/* store ROOT ARCHIVE...: unpacks wheels into the store of ROOT, as an install does. For wheels.sh.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/intr.h"
#include "base/tree.h"
#include "core/store.h"
#include "ext/digest.h"

static int failed;

static void on_done(void *ctx, const struct component *c, bool ok, const struct err *err)
{
	(void)ctx;
	if (ok)
		return;
	fprintf(stderr, "%s: %s\n", c->name, err->msg);
	if (err->hint[0])
		fprintf(stderr, "hint: %s\n", err->hint);
	failed = err->code;
}

static void on_event(void *ctx, const struct event *ev)
{
	(void)ctx;
	if (getenv("EVENTS"))
		fprintf(stderr, "%d %s %" PRIu64 "/%" PRIu64 "\n", ev->kind, ev->name, ev->done,
			ev->total);
}

int main(int argc, char **argv)
{
	struct layout l = {0};
	struct err err;
	struct events ev = {.fn = on_event};
	struct component *c = xcalloc((size_t)argc, sizeof *c);
	if (argc < 3)
		return ERR_USAGE;
	intr_install();
	snprintf(l.root, sizeof l.root, "%s", argv[1]);
	if (!tree_mkdirs(l.root, &err))
		return err.code;
	struct pool *pool = pool_new(0);
	struct store_target to = {&l, "x86_64", pool, &ev, on_done, NULL};
	for (int i = 2; i < argc; i++) {
		const char *slash = strrchr(argv[i], '/');
		const char *base = slash ? slash + 1 : argv[i];
		c[i].file = xstrdup(base);
		base += strncmp(base, "nvidia_", 7) ? 0 : 7;
		c[i].name = xstrndup(base, strcspn(base, "-"));
		if (!digest_file(DIGEST_SHA256, argv[i], c[i].sha256, &err) ||
		    !store_add(&to, &c[i], argv[i], &err))
			on_done(NULL, &c[i], false, &err);
	}
	pool_free(pool);
	struct rusage r;
	getrusage(RUSAGE_SELF, &r);
	fprintf(stderr, "peak %ld MB, user %ld.%02ld s, system %ld.%02ld s, %ld faults\n",
		r.ru_maxrss >> 10, r.ru_utime.tv_sec, r.ru_utime.tv_usec / 10000, r.ru_stime.tv_sec,
		r.ru_stime.tv_usec / 10000, r.ru_minflt);
	return failed;
}
