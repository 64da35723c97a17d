/* The environment for a prefix: what is set, what is taken out, what comes back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/toolenv.h"
#include "base/tree.h"

static struct layout layout;
static char base[] = "/tmp/test toolenv.XXXXXX";

static const char *const names[] = {
	"CUDA_HOME",
	"CUDA_PATH",
	"CUDA_ROOT",
	"CUDAToolkit_ROOT",
	"CUDACXX",
	"CUDAHOSTCXX",
	"LD_LIBRARY_PATH",
	"VIRTUAL_ENV",
	"CONDA_PREFIX",
	"CUDAENV_SAVED_CUDA_HOME",
	"CUDAENV_SAVED_CUDACXX",
	"CUDAENV_SAVED_CUDAHOSTCXX",
	"CUDAENV_SAVED_CUDA_PATH",
	"CUDNN_HOME",
	"CUDNN_PATH",
	"CUDNN_ROOT",
	"CPATH",
	"LIBRARY_PATH",
	"CUDAENV_SAVED_CUDNN_PATH",
	"PKG_CONFIG_PATH",
	"CMAKE_LIBRARY_PATH",
};

static int fresh(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		unsetenv(names[i]);
	setenv("PATH", "/usr/bin:/bin", 1);
	return 0;
}

static struct selection at(const char *name)
{
	struct selection s = {0};
	snprintf(s.name, sizeof s.name, "%s", name);
	if (strcmp(name, "system") != 0)
		snprintf(s.prefix, sizeof s.prefix, "%.2000s/versions/%s", layout.root, name);
	return s;
}

/* Makes the changes, as a shell does that evaluates them. */
static void enter(const char *name, enum ld_policy policy, const char *ccbin)
{
	autotoolenv struct toolenv t = {0};
	struct selection s = at(name);
	toolenv_build(&t, &layout, &s, &(struct toolenv_opts){.policy = policy, .ccbin = ccbin});
	for (size_t i = 0; i < t.n; i++) {
		assert_int_equal(t.vars[i].bookkeeping,
				 !strncmp(t.vars[i].name, "CUDAENV_SAVED_", 14));
		if (t.vars[i].value)
			setenv(t.vars[i].name, t.vars[i].value, 1);
		else
			unsetenv(t.vars[i].name);
	}
}

/* "%s" in want is the root. */
static void is(const char *name, const char *want)
{
	char text[8192];
	const char *have = getenv(name);
	size_t n = 0;
	if (!want) {
		assert_null(have);
		return;
	}
	assert_non_null(have);
	for (const char *p = want; *p; p++) {
		if (*p == '%')
			n += (size_t)snprintf(text + n, sizeof text - n, "%s", layout.root);
		else
			text[n++] = *p;
	}
	text[n] = '\0';
	assert_string_equal(have, text);
}

static void sets_all(void **state)
{
	enter("12.4.1", LD_AUTO, NULL);
	is("PATH", "%/versions/12.4.1/bin:/usr/bin:/bin");
	is("CUDA_HOME", "%/versions/12.4.1");
	is("CUDA_PATH", "%/versions/12.4.1");
	is("CUDA_ROOT", "%/versions/12.4.1");
	is("CUDAToolkit_ROOT", "%/versions/12.4.1");
	is("CUDACXX", "%/versions/12.4.1/bin/nvcc");
	is("LD_LIBRARY_PATH", "%/versions/12.4.1/lib64");
	is("CUDAHOSTCXX", NULL);
	is("CUDAENV_SAVED_CUDA_HOME", NULL);
	enter("system", LD_AUTO, NULL);
	is("PATH", "/usr/bin:/bin");
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		is(names[i], NULL);
}

static void path_lists(void **state)
{
	static const struct {
		const char *before, *inside, *after;
	} cases[] = {
		{"/usr/bin", "N:/usr/bin", "/usr/bin"},
		{"", "N", NULL},
		{":", "N::", ":"},
		{":/bin:", "N::/bin:", ":/bin:"},
		{"/a::/b", "N:/a::/b", "/a::/b"},
		{"%/shims:/bin", "N:%/shims:/bin", "%/shims:/bin"},
		{"%/shims:%/versions/11.8.0/bin:/bin", "N:%/shims:/bin", "%/shims:/bin"},
		{"/bin:%/versions/12.4.1/bin/:/a", "N:/bin:/a", "/bin:/a"},
		{"%/current/bin:/bin", "N:/bin", "/bin"},
		{"%/currently/bin:/bin", "N:%/currently/bin:/bin", "%/currently/bin:/bin"},
		{"%/versions/bin:/bin", "N:%/versions/bin:/bin", "%/versions/bin:/bin"},
		{"%/versions/1/x/bin:/bin", "N:%/versions/1/x/bin:/bin", "%/versions/1/x/bin:/bin"},
		{"/shared/versions/9.2/bin:/bin", "N:/bin", "/bin"},
		{"/x%/versions/9.2/bin:/b", "N:/x%/versions/9.2/bin:/b", "/x%/versions/9.2/bin:/b"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char value[8192], want[512];
		size_t n = 0;
		for (const char *p = cases[i].before; *p; p++)
			n += (size_t)snprintf(value + n, sizeof value - n,
					      *p == '%' ? "%s" : "%.1s",
					      *p == '%' ? layout.root : p);
		value[n] = '\0';
		setenv("PATH", value, 1);
		snprintf(want, sizeof want, "%%/versions/12.4.1/bin%s", cases[i].inside + 1);
		enter("12.4.1", LD_NEVER, NULL);
		is("PATH", want);
		enter("12.4.1", LD_NEVER, NULL);
		is("PATH", want);
		enter("system", LD_NEVER, NULL);
		is("PATH", cases[i].after);
	}
}

static void no_path_at_all(void **state)
{
	unsetenv("PATH");
	enter("12.4.1", LD_NEVER, NULL);
	is("PATH", "%/versions/12.4.1/bin");
	enter("system", LD_NEVER, NULL);
	is("PATH", NULL);
}

static void library_policy(void **state)
{
	setenv("LD_LIBRARY_PATH", "/mine", 1);
	enter("12.4.1", LD_AUTO, NULL);
	is("LD_LIBRARY_PATH", "%/versions/12.4.1/lib64:/mine");
	setenv("VIRTUAL_ENV", "/venv", 1);
	enter("12.4.1", LD_AUTO, NULL);
	is("LD_LIBRARY_PATH", "/mine");
	enter("12.4.1", LD_ALWAYS, NULL);
	is("LD_LIBRARY_PATH", "%/versions/12.4.1/lib64:/mine");
	unsetenv("VIRTUAL_ENV");
	enter("12.4.1", LD_NEVER, NULL);
	is("LD_LIBRARY_PATH", "/mine");
	setenv("CONDA_PREFIX", "/conda", 1);
	enter("12.4.1", LD_AUTO, NULL);
	is("LD_LIBRARY_PATH", "/mine");
	setenv("CONDA_PREFIX", "", 1);
	enter("12.4.1", LD_AUTO, NULL);
	is("LD_LIBRARY_PATH", "%/versions/12.4.1/lib64:/mine");
	/* A tree of another make has lib only, or no libraries at all. */
	enter("conda", LD_ALWAYS, NULL);
	is("LD_LIBRARY_PATH", "%/versions/conda/lib:/mine");
	enter("none", LD_ALWAYS, NULL);
	is("LD_LIBRARY_PATH", "/mine");
}

static void enter_cudnn(const char *name, enum ld_policy policy, const char *cudnn, bool paths)
{
	autotoolenv struct toolenv t = {0};
	char prefix[PATH_MAX];
	struct selection s = at(name);
	snprintf(prefix, sizeof prefix, "%.2000s/cudnn/%s", layout.root, cudnn ? cudnn : "");
	const struct toolenv_opts o = {
		.policy = policy, .cudnn = cudnn ? prefix : NULL, .compiler_paths = paths};
	toolenv_build(&t, &layout, &s, &o);
	for (size_t i = 0; i < t.n; i++)
		if (t.vars[i].value)
			setenv(t.vars[i].name, t.vars[i].value, 1);
		else
			unsetenv(t.vars[i].name);
}

static void cudnn(void **state)
{
	setenv("LD_LIBRARY_PATH", "/mine", 1);
	setenv("CUDNN_PATH", "/theirs", 1);
	enter_cudnn("12.4.1", LD_ALWAYS, "9.3.0-cuda12", true);
	is("CUDNN_HOME", "%/cudnn/9.3.0-cuda12");
	is("CUDNN_PATH", "%/cudnn/9.3.0-cuda12");
	is("CUDNN_ROOT", "%/cudnn/9.3.0-cuda12");
	is("LD_LIBRARY_PATH", "%/cudnn/9.3.0-cuda12/lib:%/versions/12.4.1/lib64:/mine");
	is("CPATH", "%/cudnn/9.3.0-cuda12/include:%/versions/12.4.1/include");
	is("LIBRARY_PATH", "%/cudnn/9.3.0-cuda12/lib:%/versions/12.4.1/lib64");
	enter_cudnn("12.4.1", LD_ALWAYS, "8.9.7-cuda12", false);
	is("CUDNN_HOME", "%/cudnn/8.9.7-cuda12");
	is("LD_LIBRARY_PATH", "%/cudnn/8.9.7-cuda12/lib:%/versions/12.4.1/lib64:/mine");
	is("CPATH", NULL);
	enter_cudnn("12.4.1", LD_NEVER, NULL, false);
	is("CUDNN_HOME", NULL);
	is("CUDNN_PATH", "/theirs");
	is("LD_LIBRARY_PATH", "/mine");
	enter_cudnn("12.4.1", LD_NEVER, "8.9.7-cuda12", false);
	enter("system", LD_NEVER, NULL);
	is("CUDNN_ROOT", NULL);
	is("CUDNN_PATH", "/theirs");
}

/* What the toolkit lacks is refused in front of the machine's folders. */
static void lacks(void **state)
{
	struct err err;
	autofree char *top = xasprintf("%s/versions/12.4.1/.cudaenv/lacks", layout.root);
	autofree char *include = xasprintf("%s/include", top), *lib = xasprintf("%s/lib", top);
	assert_true(tree_mkdirs(include, &err) && tree_mkdirs(lib, &err));
	enter_cudnn("12.4.1", LD_NEVER, NULL, true);
	is("CPATH", "%/versions/12.4.1/include:%/versions/12.4.1/.cudaenv/lacks/include");
	is("LIBRARY_PATH", "%/versions/12.4.1/lib64:%/versions/12.4.1/.cudaenv/lacks/lib");
	is("CMAKE_LIBRARY_PATH", "%/versions/12.4.1/.cudaenv/lacks/lib");
	enter("system", LD_NEVER, NULL);
	is("CPATH", NULL);
	is("LIBRARY_PATH", NULL);
	is("CMAKE_LIBRARY_PATH", NULL);
	setenv("CMAKE_LIBRARY_PATH", "/mine", 1);
	enter("12.4.1", LD_NEVER, NULL);
	is("CPATH", NULL);
	is("CMAKE_LIBRARY_PATH", "%/versions/12.4.1/.cudaenv/lacks/lib:/mine");
	enter("11.8.0", LD_NEVER, NULL);
	is("CMAKE_LIBRARY_PATH", "/mine");
	assert_true(tree_remove(top, &err));
}

static void pkg_config(void **state)
{
	setenv("PKG_CONFIG_PATH", "/mine", 1);
	enter("pc", LD_NEVER, NULL);
	is("PKG_CONFIG_PATH", "%/versions/pc/lib64/pkgconfig:/mine");
	enter("pc", LD_NEVER, NULL);
	is("PKG_CONFIG_PATH", "%/versions/pc/lib64/pkgconfig:/mine");
	/* conda's lib/pkgconfig tells of much else than CUDA. */
	enter("conda", LD_NEVER, NULL);
	is("PKG_CONFIG_PATH", "/mine");
	enter("pc", LD_NEVER, NULL);
	enter("system", LD_NEVER, NULL);
	is("PKG_CONFIG_PATH", "/mine");
	unsetenv("PKG_CONFIG_PATH");
	enter("pc", LD_NEVER, NULL);
	is("PKG_CONFIG_PATH", "%/versions/pc/lib64/pkgconfig");
	enter("system", LD_NEVER, NULL);
	is("PKG_CONFIG_PATH", NULL);
}

static void foreign_values_come_back(void **state)
{
	setenv("CUDA_HOME", "/usr/local/cuda", 1);
	enter("12.4.1", LD_AUTO, NULL);
	enter("11.8.0", LD_AUTO, NULL);
	is("CUDA_HOME", "%/versions/11.8.0");
	is("CUDAENV_SAVED_CUDA_HOME", "/usr/local/cuda");
	enter("system", LD_AUTO, NULL);
	is("CUDA_HOME", "/usr/local/cuda");
	is("CUDAENV_SAVED_CUDA_HOME", NULL);
	/* Nothing of ours is there: nothing changes. */
	enter("system", LD_AUTO, NULL);
	is("CUDA_HOME", "/usr/local/cuda");
}

static void changed_meanwhile_is_left_alone(void **state)
{
	setenv("CUDA_HOME", "/old", 1);
	enter("12.4.1", LD_AUTO, NULL);
	setenv("CUDA_HOME", "/new", 1);
	unsetenv("CUDACXX");
	enter("system", LD_AUTO, NULL);
	is("CUDA_HOME", "/new");
	is("CUDAENV_SAVED_CUDA_HOME", NULL);
	is("CUDACXX", NULL);
}

static void host_compiler(void **state)
{
	enter("11.8.0", LD_AUTO, "/usr/bin/g++-11");
	is("CUDAHOSTCXX", "/usr/bin/g++-11");
	enter("12.4.1", LD_AUTO, NULL);
	is("CUDAHOSTCXX", NULL);
	is("CUDAENV_SAVED_CUDAHOSTCXX", NULL);
	setenv("CUDAHOSTCXX", "/mine", 1);
	enter("12.4.1", LD_AUTO, NULL);
	is("CUDAHOSTCXX", "/mine");
	enter("11.8.0", LD_AUTO, "/usr/bin/g++-11");
	enter("11.8.0", LD_AUTO, "/usr/bin/g++-10");
	is("CUDAHOSTCXX", "/usr/bin/g++-10");
	enter("system", LD_AUTO, NULL);
	is("CUDAHOSTCXX", "/mine");
	is("CUDAENV_SAVED_CUDAHOSTCXX", NULL);
	/* It was there before us: it stays when we go. */
	enter("11.8.0", LD_AUTO, "/mine");
	enter("system", LD_AUTO, NULL);
	is("CUDAHOSTCXX", "/mine");
}

static int open_base(void **state)
{
	struct err err;
	char path[PATH_MAX];
	static const char *const folders[] = {"versions/12.4.1/lib64", "versions/11.8.0/lib64",
					      "versions/conda/lib/pkgconfig", "versions/none",
					      "versions/pc/lib64/pkgconfig"};
	if (!mkdtemp(base))
		return -1;
	snprintf(layout.root, sizeof layout.root, "%s", base);
	layout.shared = "/shared:/other";
	for (size_t i = 0; i < ARRAY_LEN(folders); i++)
		if (!layout_path(&layout, path, sizeof path, folders[i]) ||
		    !tree_mkdirs(path, &err))
			return -1;
	return 0;
}

static int close_base(void **state)
{
	struct err err;
	return tree_remove(base, &err) ? 0 : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(sets_all, fresh),
		cmocka_unit_test_setup(path_lists, fresh),
		cmocka_unit_test_setup(no_path_at_all, fresh),
		cmocka_unit_test_setup(library_policy, fresh),
		cmocka_unit_test_setup(cudnn, fresh),
		cmocka_unit_test_setup(lacks, fresh),
		cmocka_unit_test_setup(pkg_config, fresh),
		cmocka_unit_test_setup(foreign_values_come_back, fresh),
		cmocka_unit_test_setup(changed_meanwhile_is_left_alone, fresh),
		cmocka_unit_test_setup(host_compiler, fresh),
	};
	return cmocka_run_group_tests(tests, open_base, close_base);
}
