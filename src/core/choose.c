#include "core/choose.h"

#include <string.h>

#include "base/attr.h"
#include "core/catalog.h"

static const struct source *const sources[] = {&source_wheels};
const char *const choose_sources[] = {"auto", "wheels", NULL};

/* The label for spec; `label` has room for VERSION_TEXT bytes. */
static bool choose_label(const struct source_ctx *ctx, const struct host *host, const char *source,
			 const struct spec *spec, char *label, struct err *err)
{
	const struct catalog_release *r;
	bool known;
	if (spec->kind == SPEC_SYSTEM || spec->kind == SPEC_NAME) {
		err_set(err, ERR_NO_VERSION, "'%s' is no CUDA version that can be installed",
			spec->text);
		return err_hint(err, "see 'cudaenv list-remote'");
	}
	if (spec->kind == SPEC_SUPPORTED)
		known = host_supported(host, ctx->catalog, source, &r, err);
	else
		known = catalog_select(ctx->catalog, spec, source, &r, err);
	if (known)
		memcpy(label, r->label, strlen(r->label) + 1);
	else if (spec->kind == SPEC_VERSION && spec->v.n >= 3 && err->code == ERR_NO_VERSION)
		memcpy(label, spec->text, strlen(spec->text) + 1);
	else
		return false;
	return true;
}

bool choose_release(const struct source_ctx *ctx, const struct host *host, const char *source,
		    const char *spec_text, const char *where, const struct request *rq,
		    struct release *out, struct err *err)
{
	struct spec spec;
	char label[VERSION_TEXT];
	struct request one = *rq;
	bool automatic = !strcmp(source, "auto"), tried = false;

	if (!spec_parse(spec_text, strlen(spec_text), where, &spec, err) ||
	    !choose_label(ctx, host, automatic ? NULL : source, &spec, label, err))
		return false;
	one.label = label;
	for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
		struct err e;
		if (!automatic && strcmp(source, sources[i]->name) != 0)
			continue;
		if (sources[i]->find(ctx, &one, out, &e)) {
			event_step(ctx->events, "take %s from source %s", out->label,
				   sources[i]->name);
			return true;
		}
		if (tried)
			event_note(ctx->events, "source %s does not serve: %s", sources[i]->name,
				   e.msg);
		else
			*err = e;
		tried = true;
		if (e.code == ERR_INTERRUPTED)
			break;
	}
	if (!tried)
		return err_set(err, ERR_USAGE, "there is no source '%s'", source);
	return false;
}
