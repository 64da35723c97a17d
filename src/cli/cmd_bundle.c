/* bundle: releases for a machine without a network, in one file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/nearest.h"
#include "cli/flags.h"
#include "cli/print.h"
#include "cli/product.h"
#include "cli/request.h"
#include "core/bundle.h"
#include "core/choose.h"
#include "core/product_source.h"

enum { SPECS_MAX = 32 };

static const struct opt options[] = {
	{'o', "output", "FILE", "create: its name (default: cudaenv-VERSION-linux-ARCH.tar here)"},
	{'f', "force", NULL, "create: replace what is there"},
	{'j', "jobs", "N", "create: downloads at once"},
	{0, "profile", "P", "create: minimal, default or full"},
	{0, "components", "A,B", "create: exactly these components instead of a profile"},
	{0, "cudnn", "V", "create: also this cuDNN, built for each toolkit's CUDA"},
	{0, "source", "S", "create: auto, redist or wheels"},
	{0, "mirror", "URL", "create: in place of NVIDIA's host; several: blanks between"},
	{0, "arch", "A", "create: platform: x86_64 or sbsa (default: this machine's)"},
	{0, "offline", NULL, "create: use only what is on this machine"},
	{0},
};

/* What `create` collects. */
struct parcel {
	struct app *app;
	const struct args *a;
	struct source_ctx ctx;
	struct host host;
	const char *sources; /* for choose_release */
	struct bundle_want wants[2 * SPECS_MAX];
	size_t n;
	struct request rq;
	struct buf name; /* "12.4.1-cudnn-9.3.0" */
};

/* What can be held to digests that somebody published. */
static bool find_sources(struct app *app, const char **out, struct err *err)
{
	const char *set = config_get(&app->config, CONFIG_SOURCE);
	*out = !strcmp(set, "auto") ? "redist,wheels" : set;
	if (!strcmp(set, "auto") || !strcmp(set, "redist") || !strcmp(set, "wheels"))
		return true;
	err_set(err, ERR_USAGE,
		"a bundle holds NVIDIA's archives or wheels, not those of source '%s'", set);
	return err_hint(err, "copy its files as they are: 'cudaenv install --from' takes them");
}

static bool add_toolkit(struct parcel *p, const char *spec, struct err *err)
{
	struct bundle_want *w = &p->wants[p->n];
	if (!choose_release(&p->ctx, &p->host, p->sources, spec, "the command line", &p->rq,
			    &w->release, err)) {
		if (err->code == ERR_NO_VERSION) {
			err->hint[0] = '\0';
			err_hint(err,
				 "a bundle holds NVIDIA's archives or wheels; .deb files and "
				 "runfiles are copied as they are, for 'cudaenv install --from'");
		}
		return err_prefix(err, "cannot bundle %s", spec);
	}
	w->product = "cuda";
	w->profile = p->rq.components.n ? "custom" : profile_name(p->rq.profile);
	p->n++;
	buf_addf(&p->name, "%s%s", p->name.len ? "-" : "", w->release.label);
	return true;
}

/* For the toolkit that was added last. */
static bool add_cudnn(struct parcel *p, const char *version, struct err *err)
{
	const struct release *toolkit = &p->wants[p->n - 1].release;
	struct bundle_want *w = &p->wants[p->n];
	autoproducts struct product_catalog known = {0};
	struct product_wish wish = {.arch = p->rq.arch,
				    .source = config_get(&p->app->config, CONFIG_SOURCE)};
	if (!product_by_name("cudnn", &wish.product, err) ||
	    !product_parse_spec(wish.product, version, "--cudnn", &wish.spec, &wish.cuda, err) ||
	    !product_catalog_load(&known, wish.product, NULL, err))
		return false;
	version_parse(toolkit->label, strlen(toolkit->label), &wish.cuda);
	if (!product_find_release(&p->ctx, &known, &wish, &w->release, err))
		return err_prefix(err, "cannot bundle cuDNN");
	w->product = "cudnn";
	w->profile = "custom";
	p->n++;
	return true;
}

static bool collect(struct parcel *p, struct err *err)
{
	const char *cudnn = opt_value(p->a, "cudnn");
	for (int i = 1; i < p->a->n; i++)
		if (!add_toolkit(p, p->a->pos[i], err) || (cudnn && !add_cudnn(p, cudnn, err)))
			return false;
	if (cudnn) {
		const char *label = p->wants[p->n - 1].release.label;
		buf_addf(&p->name, "-cudnn-%.*s", (int)strcspn(label, "-"), label);
	}
	return true;
}

static bool write_it(struct parcel *p, struct err *err)
{
	struct app *app = p->app;
	struct bundle_made made;
	char size[PRINT_TEXT];
	autofree char *usual = xasprintf("cudaenv-%s-linux-%s.tar", buf_str(&p->name), p->rq.arch);
	const char *path = opt_value(p->a, "output") ? opt_value(p->a, "output") : usual;
	if (!bundle_create(&p->ctx, p->wants, p->n, p->rq.arch, path, opt_flag(p->a, "force"),
			   &made, err))
		return false;
	if (app->json) {
		print_json_line(stdout, json_pack("{s:s, s:I, s:I}", "file", path, "bytes",
						  (json_int_t)made.bytes, "members",
						  (json_int_t)made.files));
		return true;
	}
	puts(path);
	event_note(&app->events, "%zu files, %s: 'cudaenv install --from %s' installs from it",
		   made.files, print_size(made.bytes, size), path);
	return true;
}

static bool create(struct app *app, const struct args *a, struct err *err)
{
	struct parcel p = {
		.app = app,
		.a = a,
		.ctx = {.catalog = &app->catalog,
			.config = &app->config,
			.cache_dir = config_get(&app->config, CONFIG_CACHE_DIR),
			.offline = config_bool(&app->config, CONFIG_OFFLINE),
			.events = &app->events},
		.name = BUF_INIT(200),
	};
	if (a->n < 2 || a->n - 1 > SPECS_MAX) {
		err_set(err, ERR_USAGE, "'bundle create' takes one to %d versions", SPECS_MAX);
		return err_hint(err, "as in 'cudaenv bundle create 12.4.1'");
	}
	host_probe(&p.host);
	bool ok = find_sources(app, &p.sources, err) &&
		  request_make(app, a, "", "", &p.host, &p.rq, err) && collect(&p, err) &&
		  write_it(&p, err);
	for (size_t i = 0; i < p.n; i++)
		release_clear(&p.wants[i].release);
	strlist_clear(&p.rq.components);
	buf_clear(&p.name);
	return ok;
}

static void print_verified(const struct app *app, const char *path, const struct bundle *b,
			   const struct bundle_report *r)
{
	char size[PRINT_TEXT];
	autobuf struct buf what = BUF_INIT(1024);
	json_t *faults = json_array();
	for (size_t i = 0; i < b->n; i++)
		buf_addf(&what, "%s%s %s", i ? ", " : "", b->releases[i].product,
			 b->releases[i].version);
	for (size_t i = 0; i < r->faults.n; i++)
		json_array_append_new(faults, print_json_text(r->faults.items[i]));
	if (app->json)
		print_json_line(stdout, json_pack("{s:s, s:s, s:s, s:I, s:I, s:b, s:o}", "file",
						  path, "holds", buf_str(&what), "arch", b->arch,
						  "archives", (json_int_t)r->files, "bytes",
						  (json_int_t)r->bytes, "whole", r->faults.n == 0,
						  "faults", json_incref(faults)));
	else if (!r->faults.n)
		printf("%s: whole: %s for %s, %zu archives, %s\n", path, buf_str(&what), b->arch,
		       r->files, print_size(r->bytes, size));
	json_decref(faults);
}

static bool verify_one(struct app *app, const char *path, struct err *err)
{
	struct bundle b;
	struct bundle_report r;
	if (!bundle_open(path, &b, err))
		return false;
	bool ok = bundle_verify(&app->catalog, path, &b, &r, err);
	if (ok) {
		print_verified(app, path, &b, &r);
		for (size_t i = 0; i < r.faults.n; i++)
			event_warn(&app->events, NULL, "'%s': %s", path, r.faults.items[i]);
		for (size_t i = 0; i < r.extras.n; i++)
			event_note(&app->events, "'%s': '%s' is in no manifest: nothing reads it",
				   path, r.extras.items[i]);
		if (r.faults.n)
			ok = err_set(err, ERR_INTEGRITY, "'%s' is not whole", path);
		bundle_report_clear(&r);
	}
	bundle_clear(&b);
	return ok;
}

/* All of them; the first one that is not right says the exit status. */
static bool verify(struct app *app, const struct args *a, struct err *err)
{
	struct err first = {0};
	if (a->n < 2) {
		err_set(err, ERR_USAGE, "'bundle verify' needs the name of a file");
		return err_hint(err, "usage: cudaenv bundle verify FILE...");
	}
	for (int i = 1; i < a->n; i++) {
		struct err why = {0};
		if (verify_one(app, a->pos[i], &why))
			continue;
		if (first.code)
			event_warn(&app->events, why.hint[0] ? why.hint : NULL, "%s", why.msg);
		else
			first = why;
		if (why.code == ERR_INTERRUPTED)
			break;
	}
	*err = first;
	return !first.code;
}

static const struct {
	const char *name;
	bool (*run)(struct app *app, const struct args *a, struct err *err);
} actions[] = {{"create", create}, {"verify", verify}};

static bool run(struct app *app, const struct args *a, struct err *err)
{
	const char *names[ARRAY_LEN(actions) + 1] = {0};
	for (size_t i = 0; i < ARRAY_LEN(actions); i++) {
		names[i] = actions[i].name;
		if (!strcmp(a->pos[0], names[i]))
			return flags_override(app, a, err) && actions[i].run(app, a, err);
	}
	const char *near = nearest(a->pos[0], names);
	err_set(err, ERR_USAGE, "'bundle' does not know '%s'", a->pos[0]);
	return near ? err_hint(err, "did you mean 'cudaenv bundle %s'?", near)
		    : err_hint(err, "usage: cudaenv bundle create|verify");
}

const struct command cmd_bundle = {
	.name = "bundle",
	.args = "create SPEC... | verify FILE...",
	.summary = "what another machine needs to install offline, in one file",
	.about =
		"'create' writes one tar with NVIDIA's manifests and the archives of these "
		"releases, as a mirror has them; what is not here is fetched. 'install --from "
		"FILE' installs from it with the same checks. 'verify' checks every member against "
		"the manifests inside.",
	.options = options,
	.min_args = 1,
	.max_args = -1,
	.needs = NEED_CATALOG,
	.run = run,
};
