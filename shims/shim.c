/*
 * The launcher behind every name in shims/: finds the version that applies here and becomes its
 * tool. Users' nvcc passes through it at every compile, so: no shared libraries, no allocation, no
 * stdio, and as few touched pages as can be.
 */
#include <alloca.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/layout.h"
#include "base/path.h"
#include "base/resolve.h"
#include "base/tool.h"
#include "shims/hook.h"

#define NAME "cudaenv-shim"
#define DEPTH "CUDAENV_SHIM_DEPTH="

/* More shims inside each other than any build has: a tool that starts its own shim. */
enum { DEPTH_MAX = 32 };

static const char help[] =
	"usage: TOOL [+SPEC] [ARGUMENT...]    run as nvcc, ptxas, ...: that "
	"tool of the selected version\n"
	"       " NAME " which [+SPEC] TOOL   its path\n"
	"       " NAME " version              the selected version\n"
	"       " NAME " hook SHELL           what the hook of a shell evaluates\n"
	"       " NAME " --help\n";

extern char **environ;

static char *put(char *at, char *end, const char *s)
{
	while (*s && at < end)
		*at++ = *s++;
	return at;
}

/* One write, so that parallel builds do not mix their lines. */
static int fail(const char *tool, const struct err *err)
{
	char text[sizeof err->msg + sizeof err->hint + 512];
	char *at = text, *end = text + sizeof text - 1;
	at = put(at, text + 256, tool);
	*at = '\0';
	err_sanitize(text);
	at = text + strlen(text);
	at = put(at, end, ": cudaenv shim: ");
	at = put(at, end, err->msg);
	if (err->hint[0])
		at = put(at, end, "\nhint: ");
	at = put(at, end, err->hint);
	*at++ = '\n';
	if (write(STDERR_FILENO, text, (size_t)(at - text)) < 0)
		return err->code;
	return err->code;
}

static int say(const char *s)
{
	char text[PATH_MAX + 1];
	char *at = text;
	at = put(at, text + PATH_MAX, s);
	*at++ = '\n';
	return write(STDOUT_FILENO, text, (size_t)(at - text)) < 0 ? ERR_FAILED : 0;
}

static bool find(const char *spec, const char *tool, char *path, size_t cap, struct err *err)
{
	/* This file, as the kernel was told it; /proc need not be there. */
	const char *self = (const char *)getauxval(AT_EXECFN);
	struct layout l;
	struct selection s;
	struct stat st;
	return layout_init_shim(&l, self, err) && resolve_select(&l, spec, &s, err) &&
	       tool_find(&l, &s, tool, self && stat(self, &st) == 0 ? &st : NULL, path, cap, err);
}

/* The slot of CUDAENV_SHIM_DEPTH in the environment, or its end; *depth: its value, 0 for none. */
static size_t find_depth(int *depth)
{
	size_t i = 0;
	*depth = 0;
	while (environ[i] && strncmp(environ[i], DEPTH, sizeof DEPTH - 1) != 0)
		i++;
	for (const char *p = environ[i] ? environ[i] + sizeof DEPTH - 1 : ""; *p; p++)
		if (*p >= '0' && *p <= '9' && *depth <= DEPTH_MAX)
			*depth = *depth * 10 + (*p - '0');
	return i;
}

static int launch(const char *tool, const char *spec, char **args)
{
	struct err err;
	char path[PATH_MAX], counter[sizeof DEPTH + 4];
	int depth;
	size_t slot = find_depth(&depth);
	if (depth >= DEPTH_MAX) {
		err_set(&err, ERR_NOT_EXECUTABLE,
			"started through shims %d times inside each other: '%s' leads back to "
			"itself",
			depth, tool);
		err_hint(&err, NAME " which %s shows the file that does", tool);
		return fail(tool, &err);
	}
	if (!find(spec, tool, path, sizeof path, &err))
		return fail(tool, &err);

	/* The kernel lets arguments and environment take a quarter of the stack at most, pointers
	 * included. */
	char **env = environ;
	if (!env[slot]) {
		env = alloca((slot + 2) * sizeof *env);
		memcpy(env, environ, slot * sizeof *env);
		env[slot + 1] = NULL;
	}
	char *at = counter, *end = counter + sizeof counter;
	at = put(at, end, DEPTH);
	depth++;
	if (depth >= 10)
		*at++ = (char)('0' + depth / 10);
	*at++ = (char)('0' + depth % 10);
	*at = '\0';
	env[slot] = counter;

	args[0] = path;
	execve(path, args, env);
	tool_exec_error(path, errno, &err);
	return fail(tool, &err);
}

static bool takes_spec(char **args)
{
	return args[0] && args[0][0] == '+' && args[0][1];
}

static int which(char **args)
{
	struct err err;
	char path[PATH_MAX];
	const char *spec = takes_spec(args) ? *args++ + 1 : NULL;
	if (!args[0] || args[1]) {
		err_set(&err, ERR_USAGE, "'which' takes the name of one tool");
		return fail(NAME, &err);
	}
	return find(spec, args[0], path, sizeof path, &err) ? say(path) : fail(NAME, &err);
}

static int version(void)
{
	struct err err;
	struct layout l;
	struct selection s;
	return layout_init(&l, &err) && resolve_select(&l, NULL, &s, &err) ? say(s.name)
									   : fail(NAME, &err);
}

static int own_command(int argc, char **args)
{
	struct err err;
	if (argc == 1 && !strcmp(args[0], "--help"))
		return write(STDOUT_FILENO, help, sizeof help - 1) < 0 ? ERR_FAILED : 0;
	if (argc == 1 && !strcmp(args[0], "version"))
		return version();
	if (argc > 1 && !strcmp(args[0], "which"))
		return which(args + 1);
	if (argc == 2 && !strcmp(args[0], "hook"))
		return hook(args[1], &err) ? 0 : fail(NAME, &err);
	err_set(&err, ERR_USAGE,
		"usage: " NAME " which [+SPEC] TOOL | version | hook SHELL | --help");
	return fail(NAME, &err);
}

int main(int argc, char **argv)
{
	const char *tool = argc > 0 ? path_base(argv[0]) : "";
	if (argc < 1 || !*tool || !strcmp(tool, NAME))
		return own_command(argc - 1, argv + 1);
	if (takes_spec(argv + 1))
		return launch(tool, argv[1] + 1, argv + 1);
	return launch(tool, NULL, argv);
}
