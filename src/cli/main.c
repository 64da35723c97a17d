/* The dispatcher: global options, the table of commands, what a command needs, the exit status. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/intr.h"
#include "base/tree.h"
#include "cli/applock.h"
#include "cli/cmd.h"
#include "cli/help.h"
#include "cli/opts.h"
#include "cli/report.h"

/*
 * A closed standard stream is opened so that writing to it fails as before and no file of ours gets
 * its number. A program that exec starts finds it closed again.
 */
static void hold_standard_streams(void)
{
	static const int modes[] = {O_WRONLY, O_RDONLY, O_RDONLY};
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", modes[fd] | O_CLOEXEC) < 0)
			_exit(ERR_FAILED);
}

static bool unknown_command(const char *name, struct err *err)
{
	const char *near = command_nearest(name);
	err_set(err, ERR_USAGE, "unknown command '%s'", name);
	if (near)
		return err_hint(err, "did you mean '%s'?", near);
	return err_hint(err, "'cudaenv help' lists all commands");
}

static bool check_operands(const struct command *c, const struct args *a, struct err *err)
{
	if (a->n < c->min_args)
		err_set(err, ERR_USAGE, "'%s' needs %s", c->name, c->args);
	else if (c->max_args >= 0 && a->n > c->max_args)
		err_set(err, ERR_USAGE, "'%s' does not take '%s'", c->name, a->pos[c->max_args]);
	else
		return true;
	return err_hint(err, "usage: cudaenv %s%s %s", c->name, c->options ? " [options]" : "",
			c->args);
}

static void set_flags(struct app *app, const struct globals *g)
{
	const char *debug = getenv("CUDAENV_DEBUG");
	app->quiet = g->quiet;
	app->verbose = g->verbose || g->debug;
	app->debug = g->debug || (debug && debug[0] && strcmp(debug, "0") != 0);
	app->json = g->json;
}

/* What the command needs, in the order in which the later ones need the earlier. */
static bool open_app(struct app *app, unsigned needs, struct lock *lock, struct err *err)
{
	if (needs & NEED_NOTHING)
		return true;
	if (!layout_init(&app->layout, err) || !config_load(&app->config, &app->layout, err))
		return false;
	if (needs & NEED_ROOT && !tree_mkdirs(app->layout.root, err))
		return false;
	if (needs & NEED_CATALOG && !catalog_load(&app->catalog, NULL, err))
		return false;
	return !(needs & NEED_LOCK) || app_lock(app, lock, err);
}

static bool start(struct app *app, const struct command *c, const struct args *a, struct err *err)
{
	autolock struct lock lock = LOCK_INIT;
	/* What exec starts must find the signals as they were. */
	if (!(c->needs & ARGS_PASS)) {
		intr_install();
		signal(SIGPIPE, SIG_IGN);
	}
	report_open(app);
	bool ok = open_app(app, c->needs, &lock, err) && c->run(app, a, err);
	config_clear(&app->config);
	catalog_clear(&app->catalog);
	return ok;
}

static bool print_version(void)
{
	puts("cudaenv " VERSION);
	return true;
}

/* words: the command's name and what stands behind it. */
static bool run_command(struct app *app, char **words, struct globals *g, struct err *err)
{
	autoargs struct args args = {0};
	const struct command *c = command_find(words[0]);
	if (!c)
		return unknown_command(words[0], err);
	bool ok = opts_parse(words + 1, c->options, c->needs & ARGS_PASS, &args, g, err);
	set_flags(app, g);
	if (!ok)
		return err_hint(err, "see 'cudaenv help %s'", c->name);
	if (g->version)
		return print_version();
	if (g->help) {
		/* The function that `init` prints evaluates what comes from stdout. */
		help_command(getenv("CUDAENV_SHELL") ? stderr : stdout, c);
		return true;
	}
	return check_operands(c, &args, err) && start(app, c, &args, err);
}

static bool dispatch(struct app *app, char **argv, struct err *err)
{
	struct globals g = {0};
	autoargs struct args args = {0};
	bool ok = opts_parse(argv, NULL, true, &args, &g, err);
	set_flags(app, &g);
	if (!ok)
		return err_hint(err, "see 'cudaenv help'");
	if (args.n)
		return run_command(app, args.pos, &g, err);
	if (g.version)
		return print_version();
	help_overview(g.help ? stdout : stderr);
	app->exit_status = g.help ? 0 : ERR_USAGE;
	return true;
}

/* A result that did not reach its reader is an error; a reader that has seen enough is none. */
static bool flush_stdout(struct err *err)
{
	bool bad = ferror(stdout);
	if (fflush(stdout) == 0 && !bad)
		return true;
	if (errno == EPIPE) {
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	return err_sys(err, ERR_FILESYSTEM, "cannot write to standard output");
}

/* For what nobody below had a better word for. */
static void hint_by_cause(struct err *err)
{
	if (err->sys == ENOSPC || err->sys == EDQUOT)
		err_hint(err,
			 "make room there ('cudaenv cache clear' and 'cudaenv prune' help), or set "
			 "CUDAENV_ROOT to another disk");
	else if (err->sys == EROFS)
		err_hint(err,
			 "it is mounted read-only: CUDAENV_ROOT and CUDAENV_CACHE_DIR say where "
			 "cudaenv writes");
}

int main(int argc, char **argv)
{
	struct app app = {0};
	struct err err = {0}, flush_err;
	hold_standard_streams();
	/* A line is one write, so that those of parallel runs do not mix. */
	setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
	bool ok = dispatch(&app, argv + (argc > 0), &err);
	report_close(&app);
	if (!ok) {
		hint_by_cause(&err);
		report_error(&app, &err);
	}
	if (!flush_stdout(&flush_err)) {
		if (ok)
			report_error(&app, &flush_err);
		return ok ? (int)flush_err.code : (int)err.code;
	}
	return ok ? app.exit_status : (int)err.code;
}
