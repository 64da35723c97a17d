#include <stdlib.h>
#include <string.h>

#include "base/intr.h"
#include "base/pool.h"
#include "core/bundle.h"
#include "core/catalog.h"
#include "core/manifest.h"
#include "core/products.h"
#include "ext/digest.h"

/* One archive on its way through the pool. */
struct check {
	const char *path;
	const struct bundle_member *m;
	char want[65], got[65];
	bool ok;
	struct err err;
};

struct verifying {
	const char *path;
	const struct bundle *b;
	const struct catalog *catalog;
	struct bundle_report *report;
	struct check *checks;
	size_t n;
	struct strlist known; /* members that something names */
};

static void fault(struct verifying *v, const char *name, const char *what)
{
	autofree char *line = xasprintf("'%s' %s", name, what);
	if (!strlist_has(&v->report->faults, line))
		strlist_add(&v->report->faults, line);
}

/* The published digest of a release's manifest; false: none is known. */
static bool pinned(const struct verifying *v, const struct bundle_release *r, char out[65])
{
	const struct catalog_release *known = catalog_find(v->catalog, r->version);
	autoproducts struct product_catalog releases = {0};
	const struct product *p;
	struct err ignored;
	const char *pin = NULL;
	if (!strcmp(r->product, "cuda")) {
		pin = known ? known->manifest_sha256 : NULL;
	} else if (product_by_name(r->product, &p, &ignored) &&
		   product_catalog_load(&releases, p, NULL, &ignored)) {
		for (size_t i = 0; i < releases.n; i++)
			if (!strcmp(releases.releases[i].label, r->version) &&
			    releases.releases[i].sha256[0])
				pin = releases.releases[i].sha256;
	}
	if (pin)
		memcpy(out, pin, 65);
	return pin != NULL;
}

/* false: it cannot be read, which is told. */
static bool read_manifest(struct verifying *v, const struct bundle_release *r, struct manifest *out,
			  struct err *err)
{
	autobuf struct buf text = BUF_INIT(MANIFEST_MAX);
	const struct bundle_member *m = bundle_index_find(&v->b->index, r->manifest);
	char pin[65], hex[65];
	struct err why;
	if (!m) {
		fault(v, r->manifest, "is missing");
		return false;
	}
	if (!bundle_part_read(v->path, m->offset, m->size, &text, err))
		return false;
	if (!digest_part(DIGEST_SHA256, v->path, m->offset, m->size, hex, err))
		return false;
	if (pinned(v, r, pin) && strcmp(pin, hex) != 0)
		fault(v, r->manifest, "is not the manifest that was published");
	if (!manifest_parse(buf_str(&text), text.len, r->manifest, out, &why)) {
		fault(v, r->manifest, "is no manifest");
		return false;
	}
	if ((out->label[0] && strcmp(out->label, r->version) != 0) ||
	    (out->product[0] && strcmp(out->product, r->product) != 0))
		fault(v, r->manifest, "is that of another release");
	return true;
}

static const struct manifest_file *find(const struct manifest *mf, const char *product,
					const char *name)
{
	for (size_t i = 0; i < mf->n; i++) {
		autofree char *as = bundle_member_name(product, mf->files[i].path);
		if (!strcmp(as, name))
			return &mf->files[i];
	}
	return NULL;
}

static void add_check(struct verifying *v, const struct bundle_member *m, uint64_t size,
		      const char *sha256)
{
	if (size && size != m->size) {
		autofree char *what =
			xasprintf("has %llu bytes, its manifest says %llu",
				  (unsigned long long)m->size, (unsigned long long)size);
		fault(v, m->name, what);
		return;
	}
	v->checks = array_grow(v->checks, v->n, sizeof *v->checks);
	struct check *c = &v->checks[v->n++];
	c->path = v->path;
	c->m = m;
	memcpy(c->want, sha256, sizeof c->want);
}

static void look(struct verifying *v, const struct bundle_release *r, const struct manifest *mf,
		 const char *name)
{
	const struct bundle_member *m = bundle_index_find(&v->b->index, name);
	const struct manifest_file *f = find(mf, r->product, name);
	if (strlist_has(&v->known, name) && m)
		return;
	strlist_add(&v->known, name);
	if (!m)
		fault(v, name, "is missing");
	else if (!f)
		fault(v, name, "is not in the manifest");
	else
		add_check(v, m, f->size, f->sha256);
}

/* Nobody but the bundle itself says what they have to be. */
static void look_at_wheels(struct verifying *v, const struct bundle_release *r)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct bundle_file *f = &r->files[i];
		const struct bundle_member *m = bundle_index_find(&v->b->index, f->name);
		strlist_add(&v->known, f->name);
		if (m)
			add_check(v, m, f->size, f->sha256);
		else
			fault(v, f->name, "is missing");
	}
}

static bool look_at_releases(struct verifying *v, struct err *err)
{
	for (size_t i = 0; i < v->b->n; i++) {
		const struct bundle_release *r = &v->b->releases[i];
		struct manifest mf = {0};
		*err = (struct err){0};
		if (bundle_is_wheels(r)) {
			look_at_wheels(v, r);
			continue;
		}
		strlist_add(&v->known, r->manifest);
		bool read = read_manifest(v, r, &mf, err);
		if (!read && err->code)
			return false;
		for (size_t k = 0; k < r->n; k++)
			if (read)
				look(v, r, &mf, r->files[k].name);
			else
				strlist_add(&v->known, r->files[k].name);
		manifest_clear(&mf);
	}
	return true;
}

static void hash(void *arg)
{
	struct check *c = arg;
	c->ok = digest_part(DIGEST_SHA256, c->path, c->m->offset, c->m->size, c->got, &c->err);
}

/* All side by side. */
static bool hash_all(struct verifying *v, struct err *err)
{
	struct pool *pool = pool_new(0);
	for (size_t i = 0; i < v->n; i++)
		pool_add_weighted(pool, hash, &v->checks[i], v->checks[i].m->size);
	pool_free(pool);
	if (!intr_check(err))
		return false;
	for (size_t i = 0; i < v->n; i++) {
		const struct check *c = &v->checks[i];
		if (!c->ok) {
			*err = c->err;
			return false;
		}
		if (strcmp(c->want, c->got) != 0)
			fault(v, c->m->name, "has another sha256 than its manifest says");
		v->report->bytes += c->m->size;
		v->report->files++;
	}
	return true;
}

bool bundle_verify(const struct catalog *catalog, const char *path, const struct bundle *b,
		   struct bundle_report *out, struct err *err)
{
	struct bundle_report report = {0};
	struct verifying v = {.path = path, .b = b, .catalog = catalog, .report = &report};
	strlist_add(&v.known, "bundle.json");
	bool ok = look_at_releases(&v, err) && hash_all(&v, err);
	for (size_t i = 0; i < b->index.n; i++)
		if (!strlist_has(&v.known, b->index.members[i].name))
			strlist_add(&report.extras, b->index.members[i].name);
	strlist_clear(&v.known);
	free(v.checks);
	if (ok)
		*out = report;
	else
		bundle_report_clear(&report);
	return ok;
}

void bundle_report_clear(struct bundle_report *r)
{
	strlist_clear(&r->faults);
	strlist_clear(&r->extras);
	*r = (struct bundle_report){0};
}
