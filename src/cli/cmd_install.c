#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/lock.h"
#include "base/pinfile.h"
#include "base/resolve.h"
#include "cli/applock.h"
#include "cli/cmd.h"
#include "cli/flags.h"
#include "cli/from.h"
#include "cli/outcome.h"
#include "cli/product.h"
#include "cli/request.h"
#include "cli/select.h"
#include "core/choose.h"
#include "core/install.h"
#include "core/pin.h"
#include "core/refresh.h"

static const struct opt options[] = {
	{'l', "list", NULL, "list what can be installed, as list-remote does"},
	{'s', "skip-existing", NULL, "say nothing about versions that are there already"},
	{'f', "force", NULL, "build anew and replace what is there"},
	{'n', "dry-run", NULL, "print the plan with sizes, change nothing"},
	{'j', "jobs", "N", "threads that unpack (default: one a processor)"},
	{0, "profile", "P", "minimal, default or full"},
	{0, "components", "A,B", "exactly these components instead of a profile"},
	{0, "cudnn", "V", "also this cuDNN, built for that toolkit's CUDA"},
	{0, "source", "S", "auto, redist, runfile, wheels or deb"},
	{0, "from", "PATH",
	 "files of this machine: archives, wheels, a runfile, a folder, a bundle"},
	{0, "mirror", "URL", "in place of NVIDIA's host; several: blanks between"},
	{0, "allow-unsigned", NULL, "take apt repositories without a look at their signature"},
	{0, "arch", "A", "platform: x86_64 or sbsa (default: this machine's)"},
	{0, "as", "NAME", "name of the folder below versions/"},
	{0, "offline", NULL, "use only what is on this machine"},
	{0, "verify", "LEVEL", "how far it is proved: files, compile, run or bandwidth"},
	{0, "set-global", NULL, "make it the global version"},
	{0, "set-local", NULL, "write it to .cuda-version here"},
	{0, "accept-eula", NULL, "agree to NVIDIA's licence without the note"},
	{0},
};

/* One version that was asked for, and what a version file adds to it. */
struct wish {
	const char *spec, *where;
	const char *profile, *components, *cudnn; /* "": none */
};

static bool set_pins(struct app *app, const struct args *a, const char *name, const char *prefix,
		     struct err *err)
{
	if (opt_flag(a, "set-global") && !pin_global(&app->layout, name, err))
		return false;
	return !opt_flag(a, "set-local") || pin_write(".cuda-version", name, err);
}

static char *folder_name(const struct args *a, const struct release *r, const struct request *rq,
			 const struct host *host)
{
	const char *as = opt_value(a, "as");
	return as			      ? xstrdup(as)
	       : strcmp(rq->arch, host->arch) ? xasprintf("%s-%s", r->label, rq->arch)
					      : xstrdup(r->label);
}

static bool install_found(struct app *app, const struct args *a, const struct release *r,
			  const struct request *rq, const struct host *host, struct err *err)
{
	autofree char *name = folder_name(a, r, rq, host);
	autofree char *prefix = xasprintf("%s/versions/%s", app->layout.root, name);
	struct install_opts o = {
		.name = name,
		.profile = rq->components.n ? "custom" : profile_name(rq->profile),
	};
	autoverdict struct verdict v = {0};
	if (!probe_level_parse(config_get(&app->config, CONFIG_VERIFY), &o.level))
		return err_set(err, ERR_USAGE, "there is no level '%s' of verification",
			       config_get(&app->config, CONFIG_VERIFY));
	if (opt_flag(a, "dry-run")) {
		outcome_plan(app, r);
		return true;
	}
	/* Asked for again with the lock held: another one may have installed it meanwhile. */
	autolock struct lock lock = LOCK_INIT;
	if (!app_lock(app, &lock, err))
		return false;
	if (access(prefix, F_OK) == 0 && !opt_flag(a, "force")) {
		if (!opt_flag(a, "skip-existing"))
			event_note(&app->events, "%s is installed already (-f builds it anew)",
				   name);
		puts(prefix);
		/* The run that published it may have been killed before it came to the rest. */
		return install_prepare(&app->layout, err) &&
		       refresh_root(&app->layout, &app->events, err) &&
		       set_pins(app, a, name, prefix, err);
	}
	if (!config_bool(&app->config, CONFIG_ACCEPT_EULA))
		event_note(&app->events,
			   "by installing you agree to NVIDIA's CUDA licence, which the "
			   "archives carry (--accept-eula hides this note)");
	return install_release(&app->layout, &app->config, r, &o, &app->events, &v, err) &&
	       refresh_root(&app->layout, &app->events, err) &&
	       set_pins(app, a, name, prefix, err) &&
	       (outcome_print(app, name, prefix, &v), outcome_judge(name, &v, err));
}

/* The toolkit, then the cuDNN that goes with it. A wrong pair is refused before anything is fetched. */
static bool install_both(struct app *app, const struct args *a, const struct release *r,
			 const struct request *rq, const char *cudnn, const struct host *host,
			 struct err *err)
{
	autofree char *name = folder_name(a, r, rq, host);
	if (cudnn[0] && !product_check_cudnn(app, cudnn, r->label, err))
		return false;
	if (!install_found(app, a, r, rq, host, err))
		return false;
	return !cudnn[0] || opt_flag(a, "dry-run") || product_add_cudnn(app, a, cudnn, name, err) ||
	       err_prefix(err, "%s is installed, its cuDNN is not", name);
}

static bool install_one(struct app *app, const struct args *a, const struct wish *w,
			const struct host *host, struct err *err)
{
	struct request rq;
	struct release r = {0};
	struct source_ctx ctx = {
		.catalog = &app->catalog,
		.config = &app->config,
		.layout = &app->layout,
		.cache_dir = config_get(&app->config, CONFIG_CACHE_DIR),
		.offline = config_bool(&app->config, CONFIG_OFFLINE),
		.events = &app->events,
	};
	bool ok = request_make(app, a, w->profile, w->components, host, &rq, err) &&
		  (opt_value(a, "from")
			   ? from_find(app, a, &ctx, host, &rq, &r, err)
			   : choose_release(&ctx, host, config_get(&app->config, CONFIG_SOURCE),
					    w->spec, w->where, &rq, &r, err)) &&
		  install_both(app, a, &r, &rq, w->cudnn, host, err);
	release_clear(&r);
	strlist_clear(&rq.components);
	return ok;
}

static bool run(struct app *app, const struct args *a, struct err *err)
{
	char path[PATH_MAX];
	struct pinfile pin = {0};
	struct host host;
	struct wish w = {.profile = "", .components = "", .cudnn = opt_value(a, "cudnn")};

	if (opt_flag(a, "list")) {
		struct args none = {
			.options = command_find("list-remote")->options, .pos = a->pos, .n = a->n};
		return command_find("list-remote")->run(app, &none, err);
	}
	if (opt_value(a, "as") && a->n > 1 && !opt_value(a, "from"))
		return err_set(err, ERR_USAGE, "--as takes one version, %d were given", a->n);
	if (opt_value(a, "as") && !select_name(opt_value(a, "as"), err))
		return false;
	if (!w.cudnn)
		w.cudnn = "";
	if (!flags_override(app, a, err))
		return false;
	host_probe(&host);
	if (opt_value(a, "from"))
		return install_one(app, a, &w, &host, err);
	for (int i = 0; i < a->n; i++) {
		w.spec = a->pos[i];
		w.where = "the command line";
		if (!install_one(app, a, &w, &host, err))
			return false;
	}
	if (a->n)
		return true;
	if (!pinfile_find(path, sizeof path)) {
		err_set(err, ERR_USAGE, "no version given, and no .cuda-version here or above");
		return err_hint(err, "name one, as in 'cudaenv install 13.0', or see "
				     "'cudaenv list-remote'");
	}
	if (!pinfile_read(path, &pin, err))
		return false;
	w = (struct wish){pin.version[0], path, pin.profile, pin.components,
			  w.cudnn[0] ? w.cudnn : pin.cudnn};
	return install_one(app, a, &w, &host, err);
}

const struct command cmd_install = {
	.name = "install",
	.args = "[SPEC...]",
	.summary = "download, unpack and prove toolkits",
	.about = "Without SPEC it installs what the nearest .cuda-version asks for. The prefix is "
		 "printed; everything else goes to standard error.",
	.options = options,
	.min_args = 0,
	.max_args = -1,
	.needs = NEED_CATALOG,
	.run = run,
};
