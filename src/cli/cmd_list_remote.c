/* list-remote: every release that is known, who offers it here, and whether the driver serves it.
 */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/installed.h"
#include "cli/cmd.h"
#include "cli/flags.h"
#include "cli/print.h"
#include "cli/table.h"
#include "core/choose.h"
#include "core/host.h"

static const struct opt options[] = {
	{0, "source", "S", "ask this source what it has: redist, runfile, wheels or deb"},
	{0, "mirror", "URL", "ask there, as install does"},
	{'a', "all", NULL, "runfiles and other architectures too"},
	{'s', "supported", NULL, "only what this driver serves"},
	{0, "bare", NULL, "version numbers alone"},
	{0},
};

static const char *const fit_names[] = {
	[HOST_FIT_UNKNOWN] = "unknown",
	[HOST_FIT_NONE] = "none",
	[HOST_FIT_MINOR] = "minor",
	[HOST_FIT_FULL] = "full",
};

struct listing {
	const struct app *app;
	const struct spec *spec;	   /* NULL: all */
	const struct catalog_release *one; /* with latest and supported: just this one; NULL */
	struct host host;
	struct installed installed;
	struct strlist labels; /* with source: what that one has */
	const char *source;    /* NULL: as the catalog has it */
	bool all, supported;
};

static bool is_installed(const struct listing *l, const char *label)
{
	for (int i = 0; i < l->installed.n; i++)
		if (!strcmp(l->installed.name[i], label))
			return true;
	return false;
}

static bool offered(const struct listing *l, const struct catalog_release *r, const char *source)
{
	return catalog_offers(&l->app->catalog, r, source, l->all ? NULL : l->host.arch);
}

static bool is_shown(const struct listing *l, const struct catalog_release *r)
{
	bool found = false;
	for (const char *const *s = catalog_sources; *s; s++)
		found |= (l->all || l->spec || strcmp(*s, "runfile") != 0) && offered(l, r, *s);
	enum host_fit fit = host_fit(&l->host, r);
	if (l->one)
		return r == l->one;
	if (l->source)
		found = strlist_has(&l->labels, r->label);
	return found && (!l->spec || spec_matches(l->spec, &r->v)) &&
	       (!l->supported || fit == HOST_FIT_FULL || fit == HOST_FIT_MINOR);
}

/* What a source has and the catalog does not know, at the end. */
static void print_unknown(const struct listing *l, bool bare, json_t *rows, struct table *t,
			  size_t *shown)
{
	for (size_t i = 0; i < l->labels.n; i++) {
		const char *label = l->labels.items[i];
		struct version v;
		if (catalog_find(&l->app->catalog, label) || l->supported ||
		    !version_parse(label, strlen(label), &v) ||
		    (l->spec && !spec_matches(l->spec, &v)))
			continue;
		++*shown;
		if (l->app->json)
			json_array_append_new(rows, json_pack("{ss s[s] sb}", "version", label,
							      "sources", l->source, "installed",
							      is_installed(l, label)));
		else if (bare)
			puts(label);
		else
			table_row(t,
				  (const char *const[]){label, "-", l->source, "",
							is_installed(l, label) ? "installed" : ""});
	}
}

/* "wheels (redist, runfile)": in brackets those that this program cannot read yet. */
static void sources_text(const struct listing *l, const struct catalog_release *r, struct buf *out)
{
	autobuf struct buf others = BUF_INIT(out->max);
	if (l->source) {
		buf_adds(out, l->source);
		return;
	}
	for (const char *const *s = catalog_sources; *s; s++) {
		struct buf *b = config_has_word(CONFIG_SOURCE, *s) ? out : &others;
		if (offered(l, r, *s))
			buf_addf(b, "%s%s", b->len ? ", " : "", *s);
	}
	if (others.len)
		buf_addf(out, "%s(%s)", out->len ? " " : "", buf_str(&others));
}

static void fit_text(const struct listing *l, const struct catalog_release *r, struct buf *out)
{
	enum host_fit fit = host_fit(&l->host, r);
	const char *need = r->driver_floor ? r->driver_floor : r->driver_min;
	if (fit == HOST_FIT_FULL)
		buf_adds(out, "driver fits");
	else if (fit == HOST_FIT_MINOR)
		buf_adds(out, "driver fits, but not its PTX");
	else if (fit == HOST_FIT_NONE && need)
		buf_addf(out, "needs driver %s", need);
}

static void print_row(const struct listing *l, const struct catalog_release *r, struct table *t)
{
	autobuf struct buf sources = BUF_INIT(256), fit = BUF_INIT(128);
	sources_text(l, r, &sources);
	fit_text(l, r, &fit);
	table_row(t, (const char *const[]){r->label, r->date[0] ? r->date : "-", buf_str(&sources),
					   buf_str(&fit),
					   is_installed(l, r->label) ? "installed" : ""});
}

static json_t *strings(const struct strlist *l)
{
	json_t *a = json_array();
	for (size_t i = 0; i < l->n; i++)
		json_array_append_new(a, json_string(l->items[i]));
	return a;
}

static json_t *row_json(const struct listing *l, const struct catalog_release *r)
{
	json_t *sources = json_array();
	if (l->source)
		json_array_append_new(sources, json_string(l->source));
	for (const char *const *s = catalog_sources; *s && !l->source; s++)
		if (offered(l, r, *s))
			json_array_append_new(sources, json_string(*s));
	return json_pack("{ss ss? so so sb s{ss? ss? ss} ss?}", "version", r->label, "date",
			 r->date[0] ? r->date : NULL, "sources", sources, "platforms",
			 strings(&r->platforms), "installed", is_installed(l, r->label), "driver",
			 "min", r->driver_min, "floor", r->driver_floor, "fit",
			 fit_names[host_fit(&l->host, r)], "wheels", r->wheels);
}

static void print_all(const struct listing *l, bool bare)
{
	const struct catalog *c = &l->app->catalog;
	autotable struct table t = TABLE_INIT(5);
	json_t *rows = json_array();
	size_t shown = 0;
	for (size_t i = 0; i < c->n; i++) {
		const struct catalog_release *r = &c->releases[i];
		if (!is_shown(l, r))
			continue;
		shown++;
		if (l->app->json)
			json_array_append_new(rows, row_json(l, r));
		else if (bare)
			puts(r->label);
		else
			print_row(l, r, &t);
	}
	print_unknown(l, bare, rows, &t, &shown);
	if (l->app->json)
		print_json(stdout, json_incref(rows));
	table_print(&t, stdout);
	json_decref(rows);
	if (!shown)
		event_note(&l->app->events, "none of these for '%s' here; '--all' shows the others",
			   l->host.arch);
}

/* A SPEC that no release answers is an error with the nearest ones, also where nothing is shown. */
static bool take_spec(struct listing *l, const char *text, struct spec *spec, struct err *err)
{
	const struct catalog_release *r;
	const struct catalog *c = &l->app->catalog;
	if (!spec_parse(text, strlen(text), "the command line", spec, err))
		return false;
	if (spec->kind == SPEC_SUPPORTED) {
		if (!host_supported(&l->host, c, NULL, &r, err))
			return false;
	} else if (!catalog_select(c, spec, NULL, &r, err)) {
		return false;
	}
	l->spec = spec;
	l->one = spec->kind == SPEC_LATEST || spec->kind == SPEC_SUPPORTED ? r : NULL;
	return true;
}

static bool ask_source(struct listing *l, struct app *app, const char *name, struct err *err)
{
	const struct source *source = choose_source(name);
	struct source_ctx ctx = {
		.catalog = &app->catalog,
		.config = &app->config,
		.layout = &app->layout,
		.cache_dir = config_get(&app->config, CONFIG_CACHE_DIR),
		.offline = config_bool(&app->config, CONFIG_OFFLINE),
		.events = &app->events,
	};
	if (!source)
		return true;
	l->source = source->name;
	return source->labels(&ctx, l->host.arch, &l->labels, err);
}

static bool list(struct app *app, const struct args *args, struct listing *l, struct err *err)
{
	struct spec spec;
	if (args->n && !take_spec(l, args->pos[0], &spec, err))
		return false;
	if (l->supported && !l->host.driver[0] && !l->host.cuda) {
		event_warn(&app->events, "building needs no driver; running does",
			   "there is no NVIDIA driver here: all releases are shown");
		l->supported = false;
	}
	installed_list(&app->layout, NULL, &l->installed);
	print_all(l, opt_flag(args, "bare"));
	return true;
}

static bool run_list_remote(struct app *app, const struct args *args, struct err *err)
{
	struct listing l = {
		.app = app, .all = opt_flag(args, "all"), .supported = opt_flag(args, "supported")};
	const char *source = opt_value(args, "source");
	if (!flags_override(app, args, err))
		return false;
	host_probe(&l.host);
	bool ok = (!source || ask_source(&l, app, source, err)) && list(app, args, &l, err);
	strlist_clear(&l.labels);
	return ok;
}

const struct command cmd_list_remote = {
	.name = "list-remote",
	.args = "[SPEC]",
	.summary = "list CUDA releases that can be had",
	.about =
		"Columns: version, date, the sources that offer it for this architecture, whether "
		"the driver here serves it, and whether it is installed; the newest stands last. "
		"Sources in brackets cannot be read by this version of cudaenv. A driver that fits "
		"'but not its PTX' runs machine code of that release (minor-version "
		"compatibility). Releases that only runfiles hold are shown with --all or a SPEC.",
	.options = options,
	.max_args = 1,
	.needs = NEED_CATALOG,
	.run = run_list_remote,
};
