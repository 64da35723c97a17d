#include "cli/from.h"

#include <stdlib.h>
#include <string.h>

#include "core/bundle_tar.h"
#include "core/choose.h"
#include "core/local.h"
#include "core/pyurl.h"

static const char where[] = "the command line";

struct from {
	struct strlist paths;
	const char *text; /* the version as it was given; NULL: none was */
	struct spec spec;
};

static bool sort_operands(const struct args *a, struct from *f, struct err *err)
{
	strlist_add(&f->paths, opt_value(a, "from"));
	for (int i = 0; i < a->n; i++) {
		struct spec spec;
		struct err no_version;
		const char *s = a->pos[i];
		if (!spec_parse(s, strlen(s), where, &spec, &no_version) ||
		    spec.kind != SPEC_VERSION) {
			strlist_add(&f->paths, s);
			continue;
		}
		if (f->text)
			return err_set(err, ERR_USAGE,
				       "--from takes one version, '%s' and '%s' were given",
				       f->text, s);
		f->text = s;
		f->spec = spec;
	}
	return true;
}

bool from_set_mirror(struct app *app, const char *path, struct err *err)
{
	autofree char *real = realpath(path, NULL);
	autofree char *url = real ? pyurl_from_path(real) : NULL;
	if (!url)
		return err_sys(err, ERR_FILESYSTEM, "cannot read '%s'", path);
	return config_override(&app->config, CONFIG_MIRROR, url, "--from", err);
}

static bool from_mirror(struct app *app, const struct source_ctx *ctx, const struct host *host,
			const struct from *f, const char *label, const struct request *rq,
			struct release *out, struct err *err)
{
	if (!f->text && !label) {
		err_set(err, ERR_USAGE, "'%s' has manifests of several releases",
			f->paths.items[0]);
		return err_hint(err, "name one, as in 'cudaenv install 12.4.1 --from ...'");
	}
	return from_set_mirror(app, f->paths.items[0], err) &&
	       choose_release(ctx, host, "redist", f->text ? f->text : label, where, rq, out, err);
}

bool from_find(struct app *app, const struct args *a, const struct source_ctx *ctx,
	       const struct host *host, struct request *rq, struct release *out, struct err *err)
{
	struct from f = {0};
	struct err unknown;
	const struct catalog_release *known;
	autofree char *label = NULL;
	bool ok = sort_operands(a, &f, err);
	if (ok && f.paths.n == 1 && bundle_is(f.paths.items[0])) {
		ok = from_bundle(app, a, ctx, host, f.paths.items[0], f.text ? &f.spec : NULL, rq,
				 out, err);
	} else if (ok && f.paths.n == 1 && local_is_mirror(f.paths.items[0], &label)) {
		ok = from_mirror(app, ctx, host, &f, label, rq, out, err);
	} else if (ok) {
		if (f.text)
			rq->label = catalog_select(ctx->catalog, &f.spec, NULL, &known, &unknown)
					    ? known->label
					    : f.text;
		ok = local_release(ctx, &f.paths, rq, out, err);
	}
	strlist_clear(&f.paths);
	return ok;
}
