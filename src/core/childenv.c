#include "core/childenv.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/path.h"

extern char **environ;

enum { PATH_TEXT_MAX = 1 << 20 };

/* A name that ends in '*' stands for all that begin so. */
static const char *const left_out[] = {
	"CPATH",
	"C_INCLUDE_PATH",
	"CPLUS_INCLUDE_PATH",
	"LIBRARY_PATH",
	"LD_RUN_PATH",
	"GCC_EXEC_PREFIX",
	"COMPILER_PATH",
	"DEPENDENCIES_OUTPUT",
	"NVCC_*",
	"CUDA*",
	"SUNPRO_DEPENDENCIES",
	"NVVM*",
	"CICC_PATH",
	"LC_*",
	"LANG",
	"LANGUAGE",
	"PATH",
};

static bool is_left_out(const char *var)
{
	size_t n = strcspn(var, "=");
	for (size_t i = 0; i < ARRAY_LEN(left_out); i++) {
		size_t len = strlen(left_out[i]);
		bool open = left_out[i][len - 1] == '*';
		if (open ? n >= len - 1 && !strncmp(var, left_out[i], len - 1)
			 : n == len && !strncmp(var, left_out[i], len))
			return true;
	}
	return false;
}

bool childenv_path(int i, char *out, size_t cap)
{
	const char *p = getenv("PATH");
	if (!p)
		p = "/usr/local/bin:/usr/bin:/bin";
	for (;; p++) {
		size_t n = strcspn(p, ":");
		if (*p == '/' && n < cap && i-- == 0) {
			memcpy(out, p, n);
			out[n] = '\0';
			return true;
		}
		p += n;
		if (!*p)
			return false;
	}
}

bool childenv_program(const char *dir, const char *name)
{
	char path[PATH_MAX];
	struct stat st;
	return path_join(path, sizeof path, dir, name) && stat(path, &st) == 0 &&
	       S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

bool childenv_find(const char *name, char *out, size_t cap)
{
	char dir[PATH_MAX];
	for (int i = 0; childenv_path(i, dir, sizeof dir); i++)
		if (childenv_program(dir, name))
			return path_join(out, cap, dir, name);
	return false;
}

/* A folder of another toolkit, unless the compiler or what it calls is found in it too. */
static bool is_toolkit(const char *dir)
{
	static const char *const own[] = {"nvcc", "ptxas", "cicc", "fatbinary"};
	static const char *const needed[] = {"gcc", "g++", "cc", "as", "ld", "clang", "sh"};
	bool toolkit = false;
	for (size_t i = 0; i < ARRAY_LEN(own); i++)
		toolkit |= childenv_program(dir, own[i]);
	for (size_t i = 0; toolkit && i < ARRAY_LEN(needed); i++)
		if (childenv_program(dir, needed[i]))
			return false;
	return toolkit;
}

static char *clean_path(void)
{
	char dir[PATH_MAX];
	struct buf b = BUF_INIT(PATH_TEXT_MAX);
	buf_adds(&b, "PATH=");
	for (int i = 0; childenv_path(i, dir, sizeof dir); i++)
		if (!is_toolkit(dir))
			buf_addf(&b, "%s:", dir);
	/* nvcc calls sh, and gcc calls as and ld. */
	buf_adds(&b, "/usr/bin:/bin");
	return buf_take(&b);
}

static void add(char ***env, size_t *n, char *var)
{
	*env = array_grow(*env, *n, sizeof **env);
	(*env)[(*n)++] = var;
}

char **childenv_new(const char *tmpdir)
{
	size_t n = 0;
	char **env = NULL;
	for (char **e = environ; *e; e++)
		if (!is_left_out(*e) && !(tmpdir && !strncmp(*e, "TMPDIR=", 7)))
			add(&env, &n, xstrdup(*e));
	add(&env, &n, clean_path());
	add(&env, &n, xstrdup("LC_ALL=C"));
	if (tmpdir)
		add(&env, &n, xasprintf("TMPDIR=%s", tmpdir));
	add(&env, &n, NULL);
	return env;
}

char **childenv_for_gpu(const char *tmpdir, const char *visible, const char *libraries)
{
	static const char *const own[] = {"TMPDIR=", "LC_ALL=", "CUDA_CACHE_DISABLE=",
					  "CUDA_FORCE_PTX_JIT=", "CUDA_DISABLE_PTX_JIT="};
	size_t n = 0;
	char **env = NULL;
	for (char **e = environ; *e; e++) {
		size_t i = 0;
		while (i < ARRAY_LEN(own) && strncmp(*e, own[i], strlen(own[i])) != 0)
			i++;
		if (i == ARRAY_LEN(own) &&
		    !(visible && !strncmp(*e, "CUDA_VISIBLE_DEVICES=", 21)) &&
		    !(libraries && !strncmp(*e, "LD_LIBRARY_PATH=", 16)))
			add(&env, &n, xstrdup(*e));
	}
	add(&env, &n, xasprintf("TMPDIR=%s", tmpdir));
	add(&env, &n, xstrdup("LC_ALL=C"));
	add(&env, &n, xstrdup("CUDA_CACHE_DISABLE=1"));
	const char *more = getenv("LD_LIBRARY_PATH");
	if (libraries)
		add(&env, &n,
		    xasprintf("LD_LIBRARY_PATH=%s%s%s", libraries, more && *more ? ":" : "",
			      more ? more : ""));
	if (visible)
		add(&env, &n, xasprintf("CUDA_VISIBLE_DEVICES=%s", visible));
	add(&env, &n, NULL);
	return env;
}

void childenv_free(char ***env)
{
	for (char **e = *env; e && *e; e++)
		free(*e);
	free(*env);
	*env = NULL;
}
