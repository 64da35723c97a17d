#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "core/catalog.h"
#include "core/config.h"
#include "core/local_file.h"
#include "core/pyurl.h"
#include "ext/digest.h"

/* What the catalog knows of a runfile of that name. */
static const struct catalog_runfile *known_runfile(const struct catalog *c, const char *file)
{
	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < c->releases[i].n_runfiles; k++)
			if (!strcmp(c->releases[i].runfiles[k].file, file))
				return &c->releases[i].runfiles[k];
	return NULL;
}

static bool check_known(const char *path, const struct catalog_runfile *known, struct component *c,
			struct err *err)
{
	char md5[33] = "";
	const char *want = known->sha256 ? known->sha256 : known->md5, *got = c->sha256;
	if (!known->sha256 && known->md5) {
		if (!digest_file(DIGEST_MD5, path, md5, err))
			return false;
		got = md5;
	}
	if (!want)
		return true;
	c->unverified = false;
	if (!strcmp(want, got))
		return true;
	err_set(err, ERR_INTEGRITY,
		"'%s' is not the file that NVIDIA published: digest %s, wanted %s", path, got,
		want);
	return err_hint(err, "download it once more");
}

/* One file on its way through the pool. */
struct hashing {
	struct component *c;
	char *path;
	bool ok;
	struct err err;
};

static void hash(void *arg)
{
	struct hashing *h = arg;
	h->ok = digest_file(DIGEST_SHA256, h->path, h->c->sha256, &h->err);
}

static bool take_digest(const struct source_ctx *ctx, const struct hashing *h, struct err *err)
{
	const struct catalog_runfile *known =
		h->c->kind == ARCHIVE_RUNFILE ? known_runfile(ctx->catalog, h->c->file) : NULL;
	if (!h->ok) {
		*err = h->err;
		return false;
	}
	h->c->hashed = h->c->unverified = true;
	return !known || check_known(h->path, known, h->c, err);
}

bool local_digests(const struct source_ctx *ctx, struct release *r, struct err *err)
{
	struct hashing *all = xcalloc(r->n, sizeof *all);
	struct pool *pool = pool_new((int)config_number(ctx->config, CONFIG_JOBS));
	bool ok = true;
	for (size_t i = 0; i < r->n; i++) {
		struct component *c = &r->components[i];
		all[i] = (struct hashing){.c = c, .path = pyurl_to_path(c->urls.items[0])};
		pool_add_weighted(pool, hash, &all[i], c->size);
	}
	pool_free(pool);
	for (size_t i = 0; i < r->n; i++) {
		ok = ok && take_digest(ctx, &all[i], err);
		free(all[i].path);
	}
	free(all);
	return ok;
}
