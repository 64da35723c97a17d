#include "scratch.h"

#include <pwd.h>

#include "base/layout.h"

static struct layout l;
static struct err err;

static int clean(void **state)
{
	unsetenv("CUDAENV_SHARED_ROOTS");
	unsetenv("CUDAENV_ROOT");
	return setenv("HOME", "/home/me", 1);
}

static void the_root(void **state)
{
	static const struct {
		const char *root, *home, *wanted;
	} cases[] = {
		{NULL, "/home/me", "/home/me/.cudaenv"},
		{"", "/home/me", "/home/me/.cudaenv"},
		{NULL, "/home/me//", "/home/me/.cudaenv"},
		{"/opt/a b", "/home/me", "/opt/a b"},
		{"/opt/x/", "/home/me", "/opt/x"},
		{"/opt/x///", NULL, "/opt/x"},
		{"/", "/home/me", "/"},
		{"/opt", "relative", "/opt"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		if (cases[i].root)
			setenv("CUDAENV_ROOT", cases[i].root, 1);
		else
			unsetenv("CUDAENV_ROOT");
		if (cases[i].home)
			setenv("HOME", cases[i].home, 1);
		else
			unsetenv("HOME");
		assert_true(layout_init(&l, &err));
		assert_string_equal(l.root, cases[i].wanted);
	}
}

static void no_home(void **state)
{
	const struct passwd *pw = getpwuid(getuid());
	if (!pw)
		skip();
	autofree char *wanted = xasprintf("%s/.cudaenv", pw->pw_dir);
	unsetenv("HOME");
	assert_true(layout_init(&l, &err));
	assert_string_equal(l.root, wanted);
	setenv("HOME", "", 1);
	assert_true(layout_init(&l, &err));
	assert_string_equal(l.root, wanted);
}

static void relative(void **state)
{
	setenv("CUDAENV_ROOT", "x/y", 1);
	assert_false(layout_init(&l, &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_string_equal(err.msg, "CUDAENV_ROOT is 'x/y', which is not an absolute path");
	unsetenv("CUDAENV_ROOT");
	setenv("HOME", "~", 1);
	assert_false(layout_init(&l, &err));
	assert_string_equal(err.msg, "HOME is '~', which is not an absolute path");
	setenv("HOME", "/h", 1);
	setenv("CUDAENV_SHARED_ROOTS", "/a::b:/c", 1);
	assert_false(layout_init(&l, &err));
	assert_string_equal(err.msg, "CUDAENV_SHARED_ROOTS has 'b', which is not an absolute path");
}

/* Nothing below such a folder could be put on PATH. */
static void with_colon(void **state)
{
	setenv("CUDAENV_ROOT", "/x:y", 1);
	assert_false(layout_init(&l, &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_string_equal(err.msg,
			    "CUDAENV_ROOT is '/x:y': a folder with ':' cannot stand on PATH");
	assert_non_null(strstr(err.hint, "CUDAENV_ROOT"));
	unsetenv("CUDAENV_ROOT");
	setenv("HOME", "/h:i", 1);
	assert_false(layout_init(&l, &err));
	assert_non_null(strstr(err.msg, "HOME is '/h:i'"));
}

static void too_long(void **state)
{
	char root[PATH_MAX + 10];
	memset(root, 'x', sizeof root - 1);
	root[0] = '/';
	root[sizeof root - 1] = '\0';
	setenv("CUDAENV_ROOT", root, 1);
	assert_false(layout_init(&l, &err));
	assert_string_equal(err.msg, "CUDAENV_ROOT is too long");
}

static void paths(void **state)
{
	char out[64];
	setenv("CUDAENV_ROOT", "/r", 1);
	assert_true(layout_init(&l, &err));
	assert_true(layout_path(&l, out, sizeof out, "cache/x"));
	assert_string_equal(out, "/r/cache/x");
	assert_false(layout_path(&l, out, 10, "cache/x"));
	assert_true(layout_root_path(&l, 0, "versions", "12.4", out, sizeof out));
	assert_string_equal(out, "/r/versions/12.4");
	assert_false(layout_root_path(&l, 0, "versions", "12.4", out, 16));
	assert_false(layout_root_path(&l, 1, "versions", "12.4", out, sizeof out));
	setenv("CUDAENV_ROOT", "/", 1);
	assert_true(layout_init(&l, &err));
	assert_true(layout_path(&l, out, sizeof out, "shims"));
	assert_string_equal(out, "/shims");
}

static void shared(void **state)
{
	char out[64];
	setenv("CUDAENV_SHARED_ROOTS", ":/a::/b c/:/", 1);
	assert_true(layout_init(&l, &err));
	assert_true(layout_root(&l, 0, out, sizeof out));
	assert_string_equal(out, "/home/me/.cudaenv");
	assert_true(layout_root(&l, 1, out, sizeof out));
	assert_string_equal(out, "/a");
	assert_true(layout_root(&l, 2, out, sizeof out));
	assert_string_equal(out, "/b c");
	assert_true(layout_root(&l, 3, out, sizeof out));
	assert_string_equal(out, "/");
	assert_false(layout_root(&l, 4, out, sizeof out));
	assert_false(layout_root(&l, 2, out, 4));
	setenv("CUDAENV_SHARED_ROOTS", ":", 1);
	assert_true(layout_init(&l, &err));
	assert_false(layout_root(&l, 1, out, sizeof out));
}

/* tests/cli/shim.bats has those that are on disk. */
static void of_a_shim(void **state)
{
	static const struct {
		const char *self, *root, *wanted;
	} cases[] = {
		{"/home/me/.cudaenv/shims/nvcc", NULL, "/home/me/.cudaenv"},
		{"/none/shims/nvcc", NULL, "/home/me/.cudaenv"},
		{"/home/me/.cudaenv/shims//nvcc", "/opt", "/opt"},
		{"/shims/nvcc", NULL, "/home/me/.cudaenv"},
		{"shims/nvcc", NULL, "/home/me/.cudaenv"},
		{"nvcc", NULL, "/home/me/.cudaenv"},
		{"/", NULL, "/home/me/.cudaenv"},
		{"", NULL, "/home/me/.cudaenv"},
		{NULL, NULL, "/home/me/.cudaenv"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		if (cases[i].root)
			setenv("CUDAENV_ROOT", cases[i].root, 1);
		else
			unsetenv("CUDAENV_ROOT");
		assert_true(layout_init_shim(&l, cases[i].self, &err));
		assert_string_equal(l.root, cases[i].wanted);
	}
	setenv("CUDAENV_SHARED_ROOTS", "relative", 1);
	assert_false(layout_init_shim(&l, "/home/me/.cudaenv/shims/nvcc", &err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_root, clean), cmocka_unit_test_setup(no_home, clean),
		cmocka_unit_test_setup(relative, clean), cmocka_unit_test_setup(with_colon, clean),
		cmocka_unit_test_setup(too_long, clean), cmocka_unit_test_setup(paths, clean),
		cmocka_unit_test_setup(shared, clean),	 cmocka_unit_test_setup(of_a_shim, clean),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
