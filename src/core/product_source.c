#include "core/product_source.h"

#include <stdio.h>
#include <string.h>

#include "core/config.h"

void product_label(char out[32], const char *version, const struct version *cuda)
{
	char number[VERSION_TEXT];
	struct version v, shown = *cuda;
	if (version_parse(version, strlen(version), &v) && v.n > 3)
		v.n = 3;
	/* From 11 on one package serves all minors. */
	shown.n = shown.part[0] >= 11 ? 1 : shown.n > 2 ? 2 : shown.n;
	char text[VERSION_TEXT];
	version_format(&v, text, sizeof text);
	snprintf(out, 32, "%.16s-cuda%.8s", text, version_format(&shown, number, sizeof number));
}

static const struct {
	const char *name;
	bool (*find)(const struct source_ctx *ctx, const struct product_catalog *known,
		     const struct product_wish *w, struct release *out, struct err *err);
} sources[] = {{"redist", product_from_redist}, {"wheels", product_from_wheels}};

static bool has_source(const struct product *p, const char *name)
{
	return !strcmp(name, "redist") ? p->component != NULL : p->wheel != NULL;
}

/*
 * That something is wrong says more than that nobody answered, and that more than that it is not
 * there.
 */
static int weight(const struct err *err)
{
	return err->code == ERR_NO_VERSION ? 1 : err->code == ERR_NETWORK ? 2 : 3;
}

static bool find(const struct source_ctx *ctx, const struct product_catalog *known,
		 const struct product_wish *w, struct release *out, struct err *err)
{
	struct err errs[ARRAY_LEN(sources)] = {0};
	size_t asked = 0, worst = 0, last = ARRAY_LEN(sources);
	bool any = !strcmp(w->source, "auto");
	for (size_t i = 0; i < ARRAY_LEN(sources); i++)
		if ((any || !strcmp(w->source, sources[i].name)) &&
		    has_source(w->product, sources[i].name))
			last = i;
	for (size_t i = 0; i <= last && last < ARRAY_LEN(sources); i++) {
		struct source_ctx now = *ctx;
		if ((!any && strcmp(w->source, sources[i].name) != 0) ||
		    !has_source(w->product, sources[i].name))
			continue;
		now.quick = i < last;
		if (sources[i].find(&now, known, w, out, &errs[i])) {
			for (size_t k = 0; k < i; k++)
				if (errs[k].code)
					event_note(ctx->events, "source %s does not serve: %s",
						   sources[k].name, errs[k].msg);
			event_step(ctx->events, "take %s %s from source %s", w->product->title,
				   out->label, out->source);
			return true;
		}
		if (!asked++ || weight(&errs[i]) > weight(&errs[worst]))
			worst = i;
		if (errs[i].code == ERR_INTERRUPTED)
			break;
	}
	if (!asked)
		return err_set(err, ERR_NO_VERSION, "source '%s' has no %s", w->source,
			       w->product->title);
	*err = errs[worst];
	for (size_t i = 0; i < ARRAY_LEN(sources); i++)
		if (i != worst && errs[i].code && err->code != ERR_INTERRUPTED) {
			size_t n = strlen(err->msg);
			snprintf(err->msg + n, sizeof err->msg - n, "; %s: %.400s", sources[i].name,
				 errs[i].msg);
		}
	return false;
}

/* Neither source has what people must download by hand. A mirror may have anything. */
static bool only_by_hand(const struct source_ctx *ctx, const struct product_catalog *known,
			 const struct product_wish *w, struct err *err)
{
	const struct product_release *first = NULL;
	for (size_t i = 0; i < known->n; i++) {
		const struct product_release *r = &known->releases[i];
		if (!product_release_matches(r, &w->spec) || !product_release_fits(r, &w->cuda))
			continue;
		if (r->redist || r->wheels)
			return false;
		if (!first)
			first = r;
	}
	if (!first || *config_get(ctx->config, CONFIG_MIRROR))
		return false;
	err_set(err, ERR_NO_VERSION, "NVIDIA has %s %s behind a login only", w->product->title,
		first->label);
	err_hint(err, "download its archive with a browser, then 'cudaenv cudnn install PATH'");
	return true;
}

bool product_find_release(const struct source_ctx *ctx, const struct product_catalog *known,
			  const struct product_wish *w, struct release *out, struct err *err)
{
	return product_check_pair(known, w->product, &w->spec, &w->cuda, err) &&
	       !only_by_hand(ctx, known, w, err) && find(ctx, known, w, out, err);
}
