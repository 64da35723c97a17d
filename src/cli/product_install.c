/* cudnn|product install, and cuDNN with a toolkit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/pinfile.h"
#include "base/product.h"
#include "cli/applock.h"
#include "cli/outcome.h"
#include "cli/print.h"
#include "cli/product.h"
#include "core/host.h"
#include "core/pin.h"
#include "core/product_install.h"
#include "core/product_source.h"

bool product_parse_spec(const struct product *p, const char *word, const char *where,
			struct spec *spec, struct version *cuda, struct err *err)
{
	struct product_name name;
	char text[VERSION_TEXT];
	cuda->n = 0;
	if (product_name_parse(word, &name)) {
		*cuda = name.cuda;
		version_format(&name.v, text, sizeof text);
		return spec_parse(text, strlen(text), where, spec, err);
	}
	if (!spec_parse(word, strlen(word), where, spec, err))
		return false;
	if (spec->kind == SPEC_VERSION || spec->kind == SPEC_LATEST || spec->kind == SPEC_RANGE)
		return true;
	return err_set(err, ERR_USAGE, "'%s' is not a version of %s, write it like 9.3", word,
		       p->title);
}

bool product_toolkit_cuda(struct app *app, const char *spec, struct version *cuda, struct err *err)
{
	struct selection s;
	if (!resolve_select(&app->layout, spec, &s, err))
		return false;
	if (s.prefix[0] && product_cuda_of(s.prefix, s.name, cuda))
		return true;
	err_set(err, ERR_USAGE, "for which CUDA? '%s' does not tell", s.name);
	return err_hint(err, "say it: --cuda 12");
}

/* --cuda: a number, or a version that is installed; else the selected toolkit's. */
static bool wanted_cuda(const struct product_call *c, struct version *cuda, struct err *err)
{
	const char *option = opt_value(c->a, "cuda");
	if (option && version_parse(option, strlen(option), cuda))
		return true;
	return product_toolkit_cuda(c->app, option, cuda, err);
}

static bool is_path(const char *word)
{
	static const char *const ends[] = {".whl", ".tgz", ".txz", ".gz", ".xz", ".zip", ".tar"};
	size_t n = strlen(word);
	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (n > strlen(ends[i]) && !strcmp(word + n - strlen(ends[i]), ends[i]))
			return true;
	return strchr(word, '/') != NULL;
}

static void print_result(const struct app *app, const struct product *p, const char *label,
			 const char *prefix)
{
	if (app->json)
		print_json_line(stdout, json_pack("{s:s, s:s, s:s}", "product", p->name, "version",
						  label, "prefix", prefix));
	else
		puts(prefix);
}

static bool set_pins(const struct product_call *c, const char *label, struct err *err)
{
	char file[PATH_MAX];
	if (strcmp(c->p->name, "cudnn") != 0)
		return true;
	autofree char *version = xstrndup(label, strcspn(label, "-"));
	if (opt_flag(c->a, "set-global") &&
	    (!layout_path(&c->app->layout, file, sizeof file, "version") ||
	     !product_pin_cudnn(c->app, file, version, err)))
		return false;
	if (opt_flag(c->a, "set-local") &&
	    !product_pin_cudnn(c->app, ".cuda-version", version, err))
		return false;
	return pin_refresh(&c->app->layout, err);
}

static bool already(const struct product_call *c, const char *label, const char *prefix)
{
	if (!opt_flag(c->a, "skip-existing"))
		event_note(&c->app->events, "%s %s is installed already (-f builds it anew)",
			   c->p->title, label);
	print_result(c->app, c->p, label, prefix);
	return true;
}

static bool install_release_of(const struct product_call *c, struct release *r,
			       const struct version *cuda, struct err *err)
{
	struct app *app = c->app;
	if (opt_flag(c->a, "dry-run")) {
		outcome_plan(app, r);
		return true;
	}
	autolock struct lock lock = LOCK_INIT;
	if (!app_lock(app, &lock, err))
		return false;
	autofree char *there = xasprintf("%s/%s/%s", app->layout.root, c->p->name, r->label);
	if (r->label[0] && access(there, F_OK) == 0 && !opt_flag(c->a, "force"))
		return already(c, r->label, there) && set_pins(c, r->label, err);
	if (!config_bool(&app->config, CONFIG_ACCEPT_EULA))
		event_note(&app->events,
			   "by installing you agree to NVIDIA's licence of %s, which comes with it "
			   "(--accept-eula hides this note)",
			   c->p->title);
	if (!product_install(&app->layout, &app->config, c->p, r, cuda, &app->events, err))
		return false;
	autofree char *prefix = xasprintf("%s/%s/%s", app->layout.root, c->p->name, r->label);
	if (!set_pins(c, r->label, err))
		return false;
	print_result(app, c->p, r->label, prefix);
	return true;
}

static bool install_path(const struct product_call *c, const char *path, const char *arch,
			 struct err *err)
{
	struct release r = {0};
	struct version cuda;
	const char *option = opt_value(c->a, "cuda");
	if (!product_local(c->p, path, arch, &r, &cuda, err))
		return false;
	bool ok = (!option || wanted_cuda(c, &cuda, err)) && install_release_of(c, &r, &cuda, err);
	release_clear(&r);
	return ok;
}

/* from: of `install`, which may be a bundle; NULL */
static bool install_spec(const struct product_call *c, const char *word, const char *where,
			 const struct version *for_cuda, const char *from, const char *arch,
			 struct err *err)
{
	struct app *app = c->app;
	autoproducts struct product_catalog known = {0};
	struct product_selection have;
	struct release r = {0};
	struct err ignored;
	struct product_wish w = {
		.product = c->p, .arch = arch, .source = config_get(&app->config, CONFIG_SOURCE)};
	struct source_ctx ctx = {
		.catalog = &app->catalog,
		.config = &app->config,
		.layout = &app->layout,
		.cache_dir = config_get(&app->config, CONFIG_CACHE_DIR),
		.offline = config_bool(&app->config, CONFIG_OFFLINE),
		.events = &app->events,
	};
	if (!product_parse_spec(c->p, word, where, &w.spec, &w.cuda, err) ||
	    (!w.cuda.n && for_cuda && (w.cuda = *for_cuda, false)) ||
	    (!w.cuda.n && !wanted_cuda(c, &w.cuda, err)) ||
	    !product_catalog_load(&known, c->p, NULL, err))
		return false;
	/* An exact one that is there needs no network. */
	if (w.spec.kind == SPEC_VERSION && w.spec.v.n >= 3 && !opt_flag(c->a, "force") &&
	    !opt_flag(c->a, "dry-run") &&
	    product_find(&app->layout, c->p->name, w.spec.text, where, &w.cuda, &have, &ignored))
		return already(c, have.name, have.prefix) && set_pins(c, have.name, err);
	bool found = false;
	bool ok = product_in_bundle(from, c->p, &w.spec, &w.cuda, arch, &found, &r, err) &&
		  (found || product_find_release(&ctx, &known, &w, &r, err)) &&
		  install_release_of(c, &r, NULL, err);
	release_clear(&r);
	return ok;
}

static bool arch_of(const struct product_call *c, const struct host *h, const char **arch,
		    struct err *err)
{
	const char *option = c->a->options ? opt_value(c->a, "arch") : NULL;
	*arch = option ? option : h->arch;
	return host_arch_known(*arch) ||
	       err_set(err, ERR_USAGE, "there is no CUDA for architecture '%s'", *arch);
}

/* Without an operand: what the version file asks for. */
static bool install_pinned(const struct product_call *c, const char *arch, struct err *err)
{
	char path[PATH_MAX], where[WHERE_TEXT];
	struct pinfile pins;
	if (strcmp(c->p->name, "cudnn") != 0 || !pinfile_find(path, sizeof path)) {
		err_set(err, ERR_USAGE, "no version of %s given", c->p->title);
		return err_hint(err, "name one, as in 'cudaenv cudnn install 9.3'");
	}
	if (!pinfile_read(path, &pins, err))
		return false;
	pinfile_where(path, where);
	if (!pins.cudnn[0])
		return err_set(err, ERR_USAGE, "%s asks for no cuDNN", where);
	return install_spec(c, pins.cudnn, where, NULL, NULL, arch, err);
}

bool product_run_install(const struct product_call *c, struct err *err)
{
	struct host host;
	const char *arch;
	host_probe(&host);
	if (!arch_of(c, &host, &arch, err))
		return false;
	if (!c->n)
		return install_pinned(c, arch, err);
	for (int i = 0; i < c->n; i++)
		if (is_path(c->pos[i]) ? !install_path(c, c->pos[i], arch, err)
				       : !install_spec(c, c->pos[i], "the command line", NULL, NULL,
						       arch, err))
			return false;
	return true;
}

bool product_check_cudnn(struct app *app, const char *version, const char *toolkit, struct err *err)
{
	autoproducts struct product_catalog known = {0};
	const struct product *p;
	struct version cuda, named;
	struct spec spec;
	if (!product_by_name("cudnn", &p, err) ||
	    !product_parse_spec(p, version, "--cudnn", &spec, &named, err) ||
	    !product_catalog_load(&known, p, NULL, err))
		return false;
	return !version_parse(toolkit, strlen(toolkit), &cuda) ||
	       product_check_pair(&known, p, &spec, &cuda, err);
}

bool product_add_cudnn(struct app *app, const struct args *a, const char *version,
		       const char *toolkit, struct err *err)
{
	struct product_call c = {.app = app, .a = a};
	const char *from = a->options ? opt_value(a, "from") : NULL;
	struct version cuda;
	struct host host;
	const char *arch;
	host_probe(&host);
	return product_by_name("cudnn", &c.p, err) && arch_of(&c, &host, &arch, err) &&
	       product_toolkit_cuda(app, toolkit, &cuda, err) &&
	       install_spec(&c, version, "--cudnn", &cuda, from, arch, err);
}
