/* exec: run a command with the whole environment of a version. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/drift.h"
#include "base/installed.h"
#include "base/path.h"
#include "base/tool.h"
#include "cli/cmd.h"
#include "cli/select.h"

extern char **environ;

static void apply(const struct toolenv *t, const struct selection *s,
		  const struct product_selection *cudnn)
{
	for (size_t i = 0; i < t->n; i++) {
		if (t->vars[i].value)
			setenv(t->vars[i].name, t->vars[i].value, 1);
		else
			unsetenv(t->vars[i].name);
	}
	/* Shims and cudaenv itself must agree with us, wherever the command goes. */
	setenv("CUDAENV_VERSION", s->name, 1);
	if (cudnn->name[0])
		setenv("CUDAENV_CUDNN_VERSION", cudnn->name, 1);
}

/* As a shell looks on PATH. 0, or errno: ENOENT, or EACCES when a file of this name cannot be run.
 */
static int search(const char *name, char *out, size_t cap)
{
	int result = ENOENT;
	const char *p = getenv("PATH");
	while (p) {
		struct stat st;
		size_t n = strcspn(p, ":");
		autofree char *folder = n ? xstrndup(p, n) : xstrdup(".");
		p = p[n] ? p + n + 1 : NULL;
		if (!path_join(out, cap, folder, name) || stat(out, &st) < 0 ||
		    !S_ISREG(st.st_mode))
			continue;
		if (access(out, X_OK) == 0)
			return 0;
		result = EACCES;
	}
	return result;
}

static bool not_found(struct app *app, const struct selection *s, const char *name, char *path,
		      size_t cap, struct err *err)
{
	struct installed have;
	installed_list(&app->layout, name, &have);
	if (have.n)
		return tool_find(&app->layout, s, name, NULL, path, cap, err);
	if (s->prefix[0])
		return err_set(err, ERR_NO_TOOL, "'%s' is neither in version '%s' nor on PATH",
			       name, s->name);
	return err_set(err, ERR_NO_TOOL, "'%s' is not on PATH", name);
}

static bool find(struct app *app, const struct selection *s, const char *name, char *path,
		 size_t cap, struct err *err)
{
	if (!name[0])
		return err_set(err, ERR_USAGE, "the command to run is empty");
	if (strchr(name, '/')) {
		if ((size_t)snprintf(path, cap, "%s", name) >= cap)
			return err_set(err, ERR_NO_TOOL, "the path of the command is too long");
		return access(path, F_OK) == 0 ||
		       err_set(err, ERR_NO_TOOL, "'%s' is not there", name);
	}
	int why = search(name, path, cap);
	if (why == EACCES)
		return err_set(err, ERR_NOT_EXECUTABLE, "'%s' is on PATH, but not executable",
			       name);
	return why == 0 || not_found(app, s, name, path, cap, err);
}

/* The build folder that cmake, ninja, make or meson is told of: "--build B", "-C B", "-CB"; NULL: none. */
static const char *build_folder(char **argv)
{
	for (char **arg = argv; *arg; arg++) {
		const char *a = *arg;
		bool is_short = a[0] == '-' && (a[1] == 'C' || a[1] == 'B');
		if ((is_short && !a[2]) || !strcmp(a, "--build"))
			return arg[1];
		if (is_short)
			return a + 2;
		if (!strncmp(a, "--directory=", 12))
			return a + 12;
	}
	return NULL;
}

/* Whoever configures anew need not be told to. */
static void warn_of_drift(struct app *app, const struct selection *s, char **argv)
{
	struct err found;
	for (char **arg = argv; *arg; arg++)
		if (!strcmp(*arg, "--fresh") || !strcmp(*arg, "--wipe"))
			return;
	if (drift_find(&app->layout, s, build_folder(argv), &found))
		event_warn(&app->events, found.hint, "%s", found.msg);
}

static bool run(struct app *app, const struct args *args, struct err *err)
{
	char **argv = args->pos, path[PATH_MAX];
	const char *spec = NULL;
	autotoolenv struct toolenv t = {0};
	struct product_selection cudnn;
	struct selection s;

	if (argv[0][0] == '+')
		spec = *argv++ + 1;
	if (argv[0] && strcmp(argv[0], "--") == 0)
		argv++;
	if (!argv[0]) {
		err_set(err, ERR_USAGE, "no command to run");
		return err_hint(err, "usage: cudaenv exec [+SPEC] COMMAND [argument...]");
	}
	if (!select_environment(app, spec, &s, &cudnn, &t, err))
		return false;
	apply(&t, &s, &cudnn);
	if (!find(app, &s, argv[0], path, sizeof path, err))
		return false;
	warn_of_drift(app, &s, argv);
	/* nvcc finds its tree by the name it is started with. */
	size_t n = strlen(s.prefix);
	if (n && strncmp(path, s.prefix, n) == 0 && path[n] == '/')
		argv[0] = path;
	event_debug(&app->events, "exec '%s'", path);
	execve(path, argv, environ);
	return tool_exec_error(path, errno, err);
}

const struct command cmd_exec = {
	.name = "exec",
	.args = "[+SPEC] COMMAND [argument...]",
	.summary = "run a command with the environment of a version",
	.about = "Sets PATH, CUDA_HOME and the other variables that 'cudaenv env' prints, and "
		 "CUDAENV_VERSION. The "
		 "exit status is the command's; 126: it cannot be run, 127: there is no such "
		 "command.",
	.min_args = 1,
	.max_args = -1,
	.needs = ARGS_PASS,
	.run = run,
};
