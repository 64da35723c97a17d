/* cudnn|product list, list-remote, prefix, global, local. */
#include "cli/product.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/lock.h"
#include "base/pinfile.h"
#include "base/product.h"
#include "base/tree.h"
#include "cli/applock.h"
#include "cli/print.h"
#include "cli/table.h"
#include "core/pin.h"
#include "core/product_list.h"

/* What applies here; "" in *s where nothing does, or what is asked for is not there. */
static void selected_cudnn(struct app *app, struct product_selection *s)
{
	struct selection toolkit;
	struct err ignored;
	if (!resolve_select(&app->layout, NULL, &toolkit, &ignored) ||
	    !product_cudnn(&app->layout, &toolkit, s, &ignored))
		s->prefix[0] = '\0';
}

static json_t *entry_json(const struct product_entry *e, bool selected, uint64_t bytes)
{
	char v[VERSION_TEXT], cuda[VERSION_TEXT];
	return json_pack("{ss ss ss ss so ss ss sb sb sI}", "product", e->product->name, "name",
			 e->name, "version", version_format(&e->numbers.v, v, sizeof v), "cuda",
			 version_format(&e->numbers.cuda, cuda, sizeof cuda), "full_version",
			 print_json_text(e->version[0] ? e->version : NULL), "prefix", e->prefix,
			 "source", e->source, "shared", (int)e->shared, "selected", (int)selected,
			 "bytes", (json_int_t)bytes);
}

bool product_run_list(const struct product_call *c, struct err *err)
{
	autoentries struct product_entries all = {0};
	autotable struct table table = TABLE_INIT(5);
	struct product_selection here = {0};
	json_t *list = c->app->json ? json_array() : NULL;
	if (!product_entries_read(&all, &c->app->layout, c->p, err)) {
		json_decref(list);
		return false;
	}
	table.right = 1u << 3;
	selected_cudnn(c->app, &here);
	for (size_t i = 0; i < all.n; i++) {
		const struct product_entry *e = &all.items[i];
		bool selected = !strcmp(here.prefix, e->prefix);
		struct tree_use use = {0};
		struct err ignored;
		char size[PRINT_TEXT];
		if (opt_flag(c->a, "bare") && !list) {
			printf("%s%s%s\n", c->p ? "" : e->product->name, c->p ? "" : " ", e->name);
			continue;
		}
		if (!tree_usage(e->prefix, &use, &ignored))
			use.bytes = 0;
		if (list) {
			json_array_append_new(list, entry_json(e, selected, use.bytes));
			continue;
		}
		autofree char *name = xasprintf("%c %s", selected ? '*' : ' ', e->name);
		table_row(&table,
			  (const char *const[]){c->p ? "" : e->product->name, name, e->version,
						print_size(use.bytes, size), e->source});
	}
	if (list)
		print_json(stdout, list);
	else
		table_print(&table, stdout);
	if (!all.n)
		event_note(&c->app->events, "none is installed yet");
	return true;
}

static const char *sources_of(const struct product_release *r)
{
	return r->redist && r->wheels ? "redist, wheels"
	       : r->redist	      ? "redist"
	       : r->wheels	      ? "wheels"
				      : "download by hand";
}

static json_t *release_json(const struct product_release *r)
{
	json_t *cuda = json_array(), *sources = json_array();
	for (size_t i = 0; i < r->cuda.n; i++)
		json_array_append_new(cuda, json_string(r->cuda.items[i]));
	if (r->redist)
		json_array_append_new(sources, json_string("redist"));
	if (r->wheels)
		json_array_append_new(sources, json_string("wheels"));
	return json_pack("{ss so so so}", "version", r->label, "full_version",
			 print_json_text(r->version[0] ? r->version : NULL), "cuda", cuda,
			 "sources", sources);
}

static bool list_products(const struct app *app)
{
	autotable struct table table = TABLE_INIT(3);
	json_t *list = app->json ? json_array() : NULL;
	for (const struct product *p = products; p->name; p++) {
		if (list)
			json_array_append_new(
				list, json_pack("{ss ss}", "product", p->name, "title", p->title));
		else
			table_row(&table, (const char *const[]){p->name, p->title,
								!p->component ? "wheels"
								: p->wheel    ? "redist, wheels"
									      : "redist"});
	}
	if (list)
		print_json(stdout, list);
	else
		table_print(&table, stdout);
	return true;
}

/* Without --cuda and without a toolkit all are shown. */
static bool filter(const struct product_call *c, struct version *cuda, struct err *err)
{
	const char *option = opt_value(c->a, "cuda");
	cuda->n = 0;
	return !option || version_parse(option, strlen(option), cuda) ||
	       product_toolkit_cuda(c->app, option, cuda, err);
}

bool product_run_list_remote(const struct product_call *c, struct err *err)
{
	autoproducts struct product_catalog known = {0};
	autotable struct table table = TABLE_INIT(3);
	struct version cuda, named;
	struct spec spec = {.kind = SPEC_LATEST};
	if (!c->p)
		return list_products(c->app);
	if (!filter(c, &cuda, err) ||
	    (c->n &&
	     !product_parse_spec(c->p, c->pos[0], "the command line", &spec, &named, err)) ||
	    !product_catalog_load(&known, c->p, NULL, err))
		return false;
	json_t *list = c->app->json ? json_array() : NULL;
	for (size_t i = 0; i < known.n; i++) {
		const struct product_release *r = &known.releases[i];
		char numbers[128];
		if (!product_release_matches(r, &spec) ||
		    (cuda.n && !product_release_fits(r, &cuda)))
			continue;
		if (list) {
			json_array_append_new(list, release_json(r));
			continue;
		}
		if (opt_flag(c->a, "bare")) {
			puts(r->label);
			continue;
		}
		product_release_cuda(r, numbers, sizeof numbers);
		autofree char *words = xasprintf("CUDA %s", r->cuda.n ? numbers : "any");
		table_row(&table, (const char *const[]){r->label, words, sources_of(r)});
	}
	if (list)
		print_json(stdout, list);
	else
		table_print(&table, stdout);
	return true;
}

bool product_run_prefix(const struct product_call *c, struct err *err)
{
	struct product_selection s = {0};
	struct selection toolkit;
	struct version cuda = {0};
	const char *option = opt_value(c->a, "cuda");
	if (c->n) {
		if (option && !filter(c, &cuda, err))
			return false;
		/* The selected toolkit's, where that can be told. */
		struct err ignored;
		if (!option && !product_toolkit_cuda(c->app, NULL, &cuda, &ignored))
			cuda.n = 0;
		if (!product_find(&c->app->layout, c->p->name, c->pos[0], "the command line",
				  cuda.n ? &cuda : NULL, &s, err))
			return false;
	} else if (!resolve_select(&c->app->layout, NULL, &toolkit, err) ||
		   !product_cudnn(&c->app->layout, &toolkit, &s, err)) {
		return false;
	}
	if (!s.prefix[0]) {
		err_set(err, ERR_NOT_INSTALLED, "no %s is selected here", c->p->title);
		return err_hint(err, "cudaenv local --cudnn VERSION selects one");
	}
	if (c->app->json)
		print_json(stdout, print_json_text(s.prefix));
	else
		puts(s.prefix);
	return true;
}

/* The CUDA number of the toolkit that a version file names, installed or not. */
static bool cuda_of_file(struct app *app, const char *file, struct version *cuda, struct err *err)
{
	struct pinfile pins;
	struct selection s;
	struct spec spec;
	struct err ignored;
	cuda->n = 0;
	if (!pinfile_read(file, &pins, err)) {
		if (err->sys == ENOENT) {
			err_set(err, ERR_USAGE, "'%s' is not there: it has to name a toolkit first",
				file);
			err_hint(err, "cudaenv local VERSION --cudnn VERSION writes both");
		}
		return false;
	}
	const char *word = pins.version[0];
	if (!spec_parse(word, strlen(word), file, &spec, err))
		return false;
	if (resolve_installed(&app->layout, &spec, &s, &ignored) && s.prefix[0] &&
	    product_cuda_of(s.prefix, s.name, cuda))
		return true;
	if (spec.kind == SPEC_VERSION)
		*cuda = spec.v;
	return true;
}

bool product_pin_cudnn(struct app *app, const char *file, const char *version, struct err *err)
{
	autoproducts struct product_catalog known = {0};
	struct product_selection have;
	const struct product *p;
	struct version cuda, named;
	struct spec spec;
	struct err why;
	if (!version)
		return pin_set_key(file, "cudnn", NULL, err);
	if (!strcmp(version, "none") || !strcmp(version, "system"))
		return pin_set_key(file, "cudnn", version, err);
	if (!product_by_name("cudnn", &p, err) ||
	    !product_parse_spec(p, version, "the command line", &spec, &named, err))
		return false;
	if (spec.kind == SPEC_LATEST)
		return err_set(err, ERR_USAGE, "a pin is a version of cuDNN, write it like 9.3");
	if (!cuda_of_file(app, file, &cuda, err) || !product_catalog_load(&known, p, NULL, err) ||
	    (cuda.n && !product_check_pair(&known, p, &spec, &cuda, err)) ||
	    !pin_set_key(file, "cudnn", named.n ? version : spec.text, err))
		return false;
	if (cuda.n && !product_find(&app->layout, "cudnn", version, file, &cuda, &have, &why))
		event_warn(&app->events, why.hint, "%s", why.msg);
	return true;
}

static bool show_pin(const char *file, struct err *err)
{
	struct pinfile pins = {0};
	if (!pinfile_read(file, &pins, err) && err->sys != ENOENT)
		return false;
	puts(pins.versions && pins.cudnn[0] ? pins.cudnn : "none");
	return true;
}

static bool check_unset(const struct product_call *c, struct err *err)
{
	return !opt_flag(c->a, "unset") || !c->n ||
	       err_set(err, ERR_USAGE, "'--unset' takes no version, got '%s'", c->pos[0]);
}

bool product_run_global(const struct product_call *c, struct err *err)
{
	autolock struct lock lock = LOCK_INIT;
	char file[PATH_MAX];
	if (!layout_path(&c->app->layout, file, sizeof file, "version"))
		return err_set(err, ERR_USAGE, "the path of the root is too long");
	if (!check_unset(c, err))
		return false;
	if (!c->n && !opt_flag(c->a, "unset"))
		return show_pin(file, err);
	return app_lock(c->app, &lock, err) && product_pin_cudnn(c->app, file, c->pos[0], err) &&
	       pin_refresh(&c->app->layout, err);
}

bool product_run_local(const struct product_call *c, struct err *err)
{
	char file[PATH_MAX];
	if (!check_unset(c, err))
		return false;
	if (c->n || opt_flag(c->a, "unset"))
		return product_pin_cudnn(c->app, ".cuda-version", c->pos[0], err);
	if (pinfile_find(file, sizeof file))
		return show_pin(file, err);
	puts("none");
	return true;
}
