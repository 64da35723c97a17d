/*
 * unpack ROOT ARCHIVE...: component archives into the store of ROOT, hashed meanwhile, as an install from the
 * cache does. NO_HASH in the environment: without the hashing. For redist.sh.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/intr.h"
#include "base/path.h"
#include "base/tree.h"
#include "core/growing.h"
#include "core/store.h"
#include "ext/digest.h"

struct item {
	struct component c;
	const char *path;
	struct growing *g;
};

static int failed;

static void on_done(void *ctx, const struct component *c, bool ok, const struct err *err)
{
	(void)ctx;
	if (!ok)
		fprintf(stderr, "%s: %s\n", c->name, err->msg);
	if (!ok)
		failed = (int)err->code;
}

/* The last byte is told when the digest is known: an install publishes nothing before that either. */
static void hash(void *arg)
{
	struct item *it = arg;
	struct err err;
	char hex[65];
	bool ok = getenv("NO_HASH") || digest_file(DIGEST_SHA256, it->path, hex, &err);
	growing_end(it->g, ok);
}

static int larger_first(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	return x->c.size < y->c.size ? 1 : x->c.size > y->c.size ? -1 : 0;
}

int main(int argc, char **argv)
{
	struct layout l = {0};
	struct err err;
	size_t n = argc > 2 ? (size_t)argc - 2 : 0;
	struct item *items = xcalloc(n, sizeof *items);
	if (!n)
		return ERR_USAGE;
	intr_install();
	snprintf(l.root, sizeof l.root, "%s", argv[1]);
	if (!tree_mkdirs(l.root, &err))
		return (int)err.code;
	struct pool *pool = pool_new(0), *readers = pool_new(6), *hashers = pool_new(1);
	struct store_target to = {.l = &l, .arch = "x86_64", .pool = pool, .done = on_done};
	for (size_t i = 0; i < n; i++) {
		struct stat st = {0};
		stat(argv[i + 2], &st);
		items[i].path = argv[i + 2];
		items[i].c = (struct component){
			.name = xstrdup(path_base(argv[i + 2])),
			.version = xstrdup("1"),
			.file = xstrdup(path_base(argv[i + 2])),
			.size = (uint64_t)st.st_size,
			.kind = ARCHIVE_REDIST,
		};
		snprintf(items[i].c.sha256, sizeof items[i].c.sha256, "%064zu", i);
	}
	qsort(items, n, sizeof *items, larger_first);
	for (size_t i = 0; i < n; i++) {
		struct item *it = &items[i];
		it->g = growing_new();
		growing_arrived(it->g, it->path, it->c.size, false);
		if (!store_add_growing(&to, &it->c, it->g, readers, &err))
			on_done(NULL, &it->c, false, &err);
		pool_add(hashers, hash, it);
	}
	pool_free(hashers);
	pool_free(readers);
	pool_free(pool);
	return failed;
}
