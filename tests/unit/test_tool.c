#include "scratch.h"

#include "base/tool.h"

/* What shim.bats cannot see from outside: callers that are no shim, and errors of execve that are
 * rare. */

static struct layout l;
static struct err err;
static char out[PATH_MAX];

static int enter(void **state)
{
	if (scratch_enter(state) < 0)
		return -1;
	snprintf(l.root, sizeof l.root, "%s/root", (const char *)*state);
	return mkdir("root", 0755) | mkdir("root/shims", 0755) | mkdir("root/versions", 0755) |
	       mkdir("bin", 0755) | mkdir("sys", 0755);
}

static void program(const char *path)
{
	scratch_file(path, "#!/bin/sh\n");
	assert_int_equal(chmod(path, 0755), 0);
}

static void path_is(const char *first, const char *second)
{
	autofree char *path = xasprintf("%s:%s", first, second);
	setenv("PATH", path, 1);
}

static void a_shim_is_never_the_systems_tool(void **state)
{
	const char *dir = *state;
	const struct selection system = {.origin = ORIGIN_DEFAULT};
	autofree char *bin = xasprintf("%s/bin", dir), *sys = xasprintf("%s/sys", dir);
	autofree char *wanted = xasprintf("%s/sys/nvcc", dir);
	program("root/shims/nvcc");
	program("sys/nvcc");
	assert_int_equal(link("root/shims/nvcc", "bin/nvcc"), 0);
	path_is(bin, sys);
	assert_true(tool_find(&l, &system, "nvcc", NULL, out, sizeof out, &err));
	assert_string_equal(out, wanted);

	struct stat self;
	assert_int_equal(stat("sys/nvcc", &self), 0);
	assert_true(tool_find(&l, &system, "nvcc", &self, out, sizeof out, &err));
	assert_non_null(strstr(out, "/bin/nvcc"));

	assert_int_equal(unlink("sys/nvcc"), 0);
	assert_false(tool_find(&l, &system, "nvcc", NULL, out, sizeof out, &err));
	assert_int_equal(err.code, ERR_NO_TOOL);
	assert_string_equal(err.hint, "cudaenv install latest");
}

static void a_long_part_of_path_is_passed_over(void **state)
{
	const struct selection system = {.origin = ORIGIN_DEFAULT};
	autofree char *sys = xasprintf("%s/sys", (const char *)*state);
	char part[2 * PATH_MAX];
	memset(part, 'x', sizeof part - 1);
	part[0] = '/';
	part[sizeof part - 1] = '\0';
	program("sys/nvcc");
	path_is(part, sys);
	assert_true(tool_find(&l, &system, "nvcc", NULL, out, sizeof out, &err));
	part[PATH_MAX - 2] = '\0';
	path_is(part, sys);
	assert_true(tool_find(&l, &system, "nvcc", NULL, out, sizeof out, &err));
}

/* /usr/local/cuda may be a link to a version of ours; to a tree that was linked it is the system's. */
static void a_link_to_a_version_is_not_the_systems(void **state)
{
	const char *dir = *state;
	const struct selection system = {.origin = ORIGIN_DEFAULT};
	autofree char *local = xasprintf("%s/local/bin", dir), *sys = xasprintf("%s/sys", dir);
	autofree char *wanted = xasprintf("%s/sys/nvcc", dir);
	autofree char *tree = xasprintf("%s/tree", dir);
	assert_int_equal(mkdir("root/versions/12.4.1", 0755) | mkdir("tree", 0755), 0);
	assert_int_equal(mkdir("root/versions/12.4.1/bin", 0755) | mkdir("tree/bin", 0755), 0);
	program("root/versions/12.4.1/bin/nvcc");
	program("tree/bin/nvcc");
	program("sys/nvcc");
	path_is(local, sys);
	assert_int_equal(symlink("root/versions/12.4.1", "local"), 0);
	assert_true(tool_find(&l, &system, "nvcc", NULL, out, sizeof out, &err));
	assert_string_equal(out, wanted);
	assert_int_equal(symlink(tree, "root/versions/mine") | unlink("local"), 0);
	assert_int_equal(symlink("root/versions/mine", "local"), 0);
	assert_true(tool_find(&l, &system, "nvcc", NULL, out, sizeof out, &err));
	assert_non_null(strstr(out, "/local/bin/nvcc"));
}

static void names_that_are_no_tools(void **state)
{
	static const char *const names[] = {"", ".", "..", "a/b", "../nvcc", "x\n", "\033"};
	struct selection s = {.name = "12.4.1"};
	assert_true(layout_path(&l, s.prefix, sizeof s.prefix, "versions/12.4.1"));
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		assert_false(tool_find(&l, &s, names[i], NULL, out, sizeof out, &err));
		assert_int_equal(err.code, ERR_NO_TOOL);
	}
	char name[PATH_MAX];
	memset(name, 'n', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	assert_false(tool_find(&l, &s, name, NULL, out, sizeof out, &err));
	assert_int_equal(err.code, ERR_NO_TOOL);
}

static void says(const char *path, int sys, const char *text)
{
	assert_false(tool_exec_error(path, sys, &err));
	assert_int_equal(err.code, ERR_NOT_EXECUTABLE);
	if (!strstr(err.msg, text))
		fail_msg("%s", err.msg);
}

static void why_it_could_not_run(void **state)
{
	program("p");
	says("p", E2BIG, "cannot run 'p': Argument list too long");
	says("p", EACCES, "cannot run 'p': Permission denied");
	says("none", ENOENT, "cannot run 'none': No such file or directory");
	scratch_file("p", "#!\n");
	says("p", ENOENT, "'p' names an interpreter that is not there");
	scratch_file("p", "#! /x/y  -a\n");
	says("p", ENOENT, "needs the interpreter '/x/y', which is not there");
	scratch_file("p",
		     "no program at all, but long enough to be the header of one, and then some");
	says("p", ENOENT, "'p' names an interpreter that is not there");
	says("p", ENOEXEC, "neither a program nor a script");
	scratch_file("p", "");
	says("p", ENOEXEC, "'p' is empty");
}

/* Program headers that lead anywhere. */
static void a_hostile_program(void **state)
{
	unsigned char head[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
	for (int fill = 0; fill < 256; fill += 5) {
		memset(head + 32, fill, 32);
		head[54] = 56; /* e_phentsize */
		head[55] = 0;
		FILE *f = fopen("p", "w");
		for (int i = 0; i < 70; i++)
			fwrite(head, 1, sizeof head, f);
		fclose(f);
		says("p", ENOENT, "'p' n");
		says("p", ENOEXEC, "'p' is a");
	}
}

#define IN_ROOT(f) cmocka_unit_test_setup_teardown(f, enter, scratch_leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_ROOT(a_shim_is_never_the_systems_tool),
		IN_ROOT(a_long_part_of_path_is_passed_over),
		IN_ROOT(a_link_to_a_version_is_not_the_systems),
		IN_ROOT(names_that_are_no_tools),
		IN_ROOT(why_it_could_not_run),
		IN_ROOT(a_hostile_program),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
