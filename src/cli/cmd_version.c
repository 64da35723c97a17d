/* version, version-name, version-origin, version-file: what is selected here and why. */
#include <stdio.h>
#include <string.h>

#include "base/product.h"
#include "base/resolve.h"
#include "base/tool.h"
#include "cli/cmd.h"
#include "cli/print.h"
#include "cli/select.h"
#include "core/host.h"
#include "core/nvccask.h"
#include "core/record.h"
#include "core/stale.h"
#include "core/toolkits.h"

/* What `version --verbose` adds. Texts are "" where nothing is known. */
struct facts {
	char release[VERSION_TEXT], nvcc[VERSION_TEXT], tool[PATH_MAX];
	struct verdict verdict;
	char stale[192]; /* why the verdict does not speak of this machine */
	struct host host;
	char driver_cuda[VERSION_TEXT];
	const char *fit;
};

static const char *fit_words(enum host_fit fit)
{
	switch (fit) {
	case HOST_FIT_FULL:
		return "the driver serves this release";
	case HOST_FIT_MINOR:
		return "the driver runs machine code of this release, but not its PTX";
	case HOST_FIT_NONE:
		return "the driver is too old for this release";
	case HOST_FIT_UNKNOWN:
		break;
	}
	return "no driver here";
}

/* From the tree; else, as for the system's, from nvcc itself. */
static void take_release(const struct selection *s, struct facts *f)
{
	char release[VERSION_TEXT];
	bool known = s->prefix[0] && toolkit_release(s->prefix, f->release);
	bool nvcc = s->prefix[0] && toolkit_nvcc(s->prefix, f->nvcc);
	if ((!known || !nvcc) && f->tool[0] && nvcc_ask(f->tool, release, f->nvcc) && !known)
		memcpy(f->release, release, sizeof release);
	else if (!known && s->prefix[0])
		snprintf(f->release, sizeof f->release, "%s", s->name);
}

static bool gather(struct app *app, const struct selection *s, struct facts *f, struct err *err)
{
	const struct catalog_release *r;
	struct spec spec;
	struct err ignored;
	struct stale_now now;
	if (!tool_find(&app->layout, s, "nvcc", NULL, f->tool, sizeof f->tool, &ignored))
		f->tool[0] = '\0';
	host_probe(&f->host);
	if (f->host.cuda)
		snprintf(f->driver_cuda, sizeof f->driver_cuda, "%d.%d", f->host.cuda / 1000,
			 f->host.cuda % 1000 / 10);
	take_release(s, f);
	if (!f->release[0])
		return true;
	if (s->prefix[0])
		verdict_read(s->prefix, &f->verdict);
	stale_look(&now, "");
	if (!stale_is(&now, &f->verdict, f->stale, sizeof f->stale))
		f->stale[0] = '\0';
	stale_clear(&now);
	if (!catalog_load(&app->catalog, NULL, err))
		return false;
	/* A header tells major and minor only: the newest patch level stands for it. */
	bool known = spec_parse(f->release, strlen(f->release), "the tree", &spec, &ignored) &&
		     catalog_select(&app->catalog, &spec, NULL, &r, &ignored);
	f->fit = known ? fit_words(host_fit(&f->host, r)) : "";
	return true;
}

static void print_fact(const char *label, const char *value)
{
	if (value && value[0])
		printf("  %-12s %s\n", label, value);
}

static void print_facts(const struct selection *s, const struct facts *f)
{
	print_fact("prefix", s->prefix);
	print_fact("release", f->release);
	print_fact("nvcc", f->tool);
	print_fact("nvcc number", f->nvcc);
	print_fact("verdict", f->verdict.word);
	print_fact("", f->verdict.detail);
	print_fact("stale", f->stale);
	print_fact("driver", f->host.driver[0] ? f->host.driver : "none");
	print_fact("driver CUDA", f->driver_cuda);
	print_fact("fit", f->fit);
}

/* NULL for "". */
static json_t *known_text(const char *s)
{
	return print_json_text(s && s[0] ? s : NULL);
}

/* What else applies here: the cuDNN that the same pin or CUDAENV_CUDNN_VERSION asks for. */
static bool select_cudnn(struct app *app, const struct selection *s,
			 struct product_selection *cudnn)
{
	struct err err;
	if (product_cudnn(&app->layout, s, cudnn, &err))
		return cudnn->prefix[0] != '\0';
	/* The version is right all the same. */
	event_warn(&app->events, err.hint, "%s", err.msg);
	return false;
}

static void print_selection_json(const struct selection *s, const struct facts *f,
				 const struct product_selection *cudnn)
{
	static const char *const origins[] = {
		[ORIGIN_ARGUMENT] = "argument", [ORIGIN_ENV] = "environment",
		[ORIGIN_FILE] = "file",		[ORIGIN_GLOBAL] = "global",
		[ORIGIN_SITE] = "site",		[ORIGIN_DEFAULT] = "default",
	};
	json_t *o = json_pack("{ss ss so ss so}", "name", s->name, "spec", s->spec, "prefix",
			      known_text(s->prefix), "origin", origins[s->origin], "origin_path",
			      known_text(s->origin_path));
	json_object_set_new(o, "cudnn", print_json_text(cudnn ? cudnn->name : NULL));
	json_object_set_new(o, "cudnn_prefix", print_json_text(cudnn ? cudnn->prefix : NULL));
	if (f) {
		json_object_set_new(o, "release", known_text(f->release));
		json_object_set_new(o, "nvcc", known_text(f->tool));
		json_object_set_new(o, "nvcc_number", known_text(f->nvcc));
		json_object_set_new(o, "verdict", known_text(f->verdict.word));
		json_object_set_new(o, "stale", known_text(f->stale));
		json_object_set_new(o, "driver", known_text(f->host.driver));
		json_object_set_new(o, "driver_cuda", known_text(f->driver_cuda));
		json_object_set_new(o, "fit", known_text(f->fit));
	}
	print_json(stdout, o);
}

static bool run_version(struct app *app, const struct args *args, struct err *err)
{
	char why[PATH_MAX + VERSION_TEXT + 32];
	struct selection s;
	struct product_selection cudnn;
	struct facts f = {0};
	if (!resolve_select(&app->layout, NULL, &s, err) ||
	    (app->verbose && !gather(app, &s, &f, err)))
		return false;
	bool has_cudnn = select_cudnn(app, &s, &cudnn);
	if (app->json) {
		print_selection_json(&s, app->verbose ? &f : NULL, has_cudnn ? &cudnn : NULL);
	} else {
		printf("%s (%s)\n", s.name, select_why(&s, why, sizeof why));
		if (has_cudnn)
			printf("cudnn %s (from %s, %s)\n", cudnn.name, cudnn.spec,
			       cudnn.by_env ? "set by CUDAENV_CUDNN_VERSION"
					    : origin_words(&s, why, sizeof why));
		if (app->verbose)
			print_facts(&s, &f);
	}
	verdict_clear(&f.verdict);
	return true;
}

const struct command cmd_version = {
	.name = "version",
	.args = "",
	.summary = "say which version is selected here, and why",
	.about = "And which cuDNN, where one is. With --verbose also: its prefix, nvcc's own "
		 "number, the verdict, the driver of "
		 "this machine, "
		 "the CUDA number of the driver, and whether driver and release fit.",
	.run = run_version,
};

static bool run_name(struct app *app, const struct args *args, struct err *err)
{
	struct selection s;
	if (!resolve_select(&app->layout, NULL, &s, err))
		return false;
	puts(s.name);
	return true;
}

const struct command cmd_version_name = {
	.name = "version-name",
	.args = "",
	.summary = "print the name of the selected version",
	.run = run_name,
};

/* A version that is not installed was asked for by somebody all the same. */
static bool select_origin(struct app *app, struct selection *s, struct err *err)
{
	return resolve_select(&app->layout, NULL, s, err) || err->code == ERR_NOT_INSTALLED;
}

static bool run_origin(struct app *app, const struct args *args, struct err *err)
{
	struct selection s;
	if (!select_origin(app, &s, err))
		return false;
	puts(s.origin == ORIGIN_ENV ? "CUDAENV_VERSION"
	     : s.origin_path[0]	    ? s.origin_path
				    : "default");
	return true;
}

const struct command cmd_version_origin = {
	.name = "version-origin",
	.args = "",
	.summary = "print what selects the version: a file, CUDAENV_VERSION or 'default'",
	.run = run_origin,
};

static bool run_file(struct app *app, const struct args *args, struct err *err)
{
	struct selection s;
	char path[PATH_MAX];
	if (!select_origin(app, &s, err))
		return false;
	if (!layout_path(&app->layout, path, sizeof path, "version"))
		return err_set(err, ERR_USAGE, "the path of the root is too long");
	puts(s.origin_path[0] ? s.origin_path : path);
	return true;
}

const struct command cmd_version_file = {
	.name = "version-file",
	.args = "",
	.summary = "print the file that selects the version; without one, the global file",
	.run = run_file,
};
