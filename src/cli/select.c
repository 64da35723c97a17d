#include "cli/select.h"

#include <stdio.h>
#include <string.h>

#include "core/host.h"
#include "core/toolkits.h"

static bool is_full_fit(enum host_fit fit)
{
	return fit == HOST_FIT_FULL;
}

static bool is_any_fit(enum host_fit fit)
{
	return fit == HOST_FIT_FULL || fit == HOST_FIT_MINOR;
}

static const struct toolkit *newest_that(const struct toolkits *all, const struct catalog *c,
					 const struct host *h, bool (*fits)(enum host_fit))
{
	for (size_t i = 0; i < all->n; i++) {
		const struct catalog_release *r = catalog_find(c, all->items[i].name);
		if (r && !all->items[i].dangling && fits(host_fit(h, r)))
			return &all->items[i];
	}
	return NULL;
}

/* The newest installed one for this driver; none: the error names the one to install. */
static bool supported(struct app *app, char text[VERSION_TEXT], struct err *err)
{
	autotoolkits struct toolkits all = {0};
	const struct catalog_release *r;
	struct host h;
	host_probe(&h);
	if (!catalog_load(&app->catalog, NULL, err) || !toolkits_read(&all, &app->layout, err) ||
	    !host_supported(&h, &app->catalog, NULL, &r, err))
		return false;
	const struct toolkit *t = newest_that(&all, &app->catalog, &h, is_full_fit);
	if (!t)
		t = newest_that(&all, &app->catalog, &h, is_any_fit);
	if (!t) {
		err_set(err, ERR_NOT_INSTALLED,
			"no installed version is one that driver %s supports", h.driver);
		return err_hint(err, "cudaenv install %s", r->label);
	}
	memcpy(text, t->name, strlen(t->name) + 1);
	return true;
}

bool select_to_pin(struct app *app, const char *word, char text[VERSION_TEXT], struct err *err)
{
	struct spec spec;
	struct selection s;
	if (!spec_parse(word, strlen(word), "the command line", &spec, err))
		return false;
	if (spec.kind == SPEC_SUPPORTED)
		return supported(app, text, err);
	if (!resolve_installed(&app->layout, &spec, &s, err))
		return false;
	memcpy(text, spec.kind == SPEC_LATEST ? s.name : spec.text, VERSION_TEXT);
	return true;
}

static enum ld_policy ld_policy(const struct config *c)
{
	const char *word = config_get(c, CONFIG_LD_LIBRARY_PATH);
	return !strcmp(word, "always") ? LD_ALWAYS : !strcmp(word, "never") ? LD_NEVER : LD_AUTO;
}

/* What the table needs besides the selection. o borrows from b. */
struct beside {
	char ccbin[PATH_MAX];
	struct product_selection cudnn;
};

static bool select_all(struct app *app, const char *spec, struct selection *s, struct beside *b,
		       struct toolenv_opts *o, struct err *err)
{
	if (!resolve_select(&app->layout, spec, s, err) ||
	    !toolenv_host_compiler(s, b->ccbin, err) ||
	    !product_cudnn(&app->layout, s, &b->cudnn, err))
		return false;
	*o = (struct toolenv_opts){
		.policy = ld_policy(&app->config),
		.ccbin = b->ccbin[0] ? b->ccbin : NULL,
		.cudnn = b->cudnn.prefix[0] ? b->cudnn.prefix : NULL,
		.compiler_paths = config_bool(&app->config, CONFIG_COMPILER_PATHS),
	};
	return true;
}

bool select_environment(struct app *app, const char *spec, struct selection *s,
			struct product_selection *cudnn, struct toolenv *t, struct err *err)
{
	struct beside b;
	struct toolenv_opts o;
	if (!select_all(app, spec, s, &b, &o, err))
		return false;
	toolenv_build(t, &app->layout, s, &o);
	*cudnn = b.cudnn;
	return true;
}

bool select_wants(struct app *app, const char *spec, struct selection *s,
		  struct toolenv_want w[TOOLENV_WANTS], struct err *err)
{
	struct beside b;
	struct toolenv_opts o;
	if (!select_all(app, spec, s, &b, &o, err))
		return false;
	toolenv_wants(w, s, &o);
	return true;
}

void select_nothing(struct app *app, struct toolenv *t)
{
	struct selection none = {.name = "system"};
	const struct toolenv_opts o = {.policy = LD_NEVER};
	toolenv_build(t, &app->layout, &none, &o);
}

const char *select_why(const struct selection *s, char *out, size_t cap)
{
	int n = strcmp(s->spec, s->name) ? snprintf(out, cap, "from %s, ", s->spec) : 0;
	origin_words(s, out + n, cap - (size_t)n);
	return out;
}

bool select_name(const char *name, struct err *err)
{
	struct spec spec;
	if (!spec_parse(name, strlen(name), "the command line", &spec, err))
		return false;
	if (spec.kind == SPEC_NAME ||
	    (spec.kind == SPEC_VERSION && spec.v.n > 1 && !strcmp(spec.text, name)))
		return true;
	err_set(err, ERR_USAGE, "'%s' cannot be a name: it means something as a version", name);
	return err_hint(err,
			"a name has a letter, like 'system-12.4', or is the number of the release");
}
