/* The shim folder: follows what is installed, repairs, and leaves what is not ours. */
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

#include "base/atomic.h"
#include "base/io.h"
#include "base/tree.h"
#include "core/shimdir.h"

static char base[] = "/tmp/test shimdir.XXXXXX";
static struct layout layout;
static char shim[PATH_MAX];
static char said[8192]; /* the warnings and notes of the last rebuild */

static char *at(const char *sub)
{
	return xasprintf("%s/%s", base, sub);
}

static void put(const char *sub, const char *text, mode_t mode)
{
	struct err err;
	autofree char *path = at(sub), *folder = xstrdup(path);
	*strrchr(folder, '/') = '\0';
	assert_true(tree_mkdirs(folder, &err));
	assert_true(atomic_write(path, text, strlen(text), mode, &err));
}

static void tool(const char *version, const char *name)
{
	autofree char *sub = xasprintf("versions/%s/bin/%s", version, name);
	put(sub, "#!/bin/sh\n", 0755);
}

static void on_event(void *ctx, const struct event *ev)
{
	size_t n = strlen(said);
	snprintf(said + n, sizeof said - n, "%s\n", ev->text);
}

static void rebuild(void)
{
	struct events ev = {on_event, NULL};
	struct err err;
	said[0] = '\0';
	assert_true(shimdir_rebuild(&layout, shim, &ev, &err));
}

/* names: with a blank behind each. */
static void shims_are(const char *names)
{
	autobuf struct buf have = BUF_INIT(4096);
	autostrlist struct strlist l = {0};
	struct err err;
	assert_true(shimdir_list(&layout, &l, &err));
	for (size_t i = 0; i < l.n; i++)
		buf_addf(&have, "%s ", l.items[i]);
	assert_string_equal(buf_str(&have), names);
}

static void is_shim(const char *name, const char *program)
{
	autobuf struct buf b = BUF_INIT(4096);
	struct err err;
	struct stat st;
	autofree char *sub = xasprintf("shims/%s", name), *path = at(sub);
	assert_true(io_read_file(path, &b, &err));
	assert_string_equal(buf_str(&b), program);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0555);
}

static int fresh(void **state)
{
	struct err err;
	snprintf(base, sizeof base, "/tmp/test shimdir.XXXXXX");
	if (!mkdtemp(base))
		return -1;
	snprintf(layout.root, sizeof layout.root, "%s", base);
	snprintf(shim, sizeof shim, "%s/program", base);
	return atomic_write(shim, "one", 3, 0755, &err) ? 0 : -1;
}

static int clean(void **state)
{
	struct err err;
	return tree_remove(base, &err) ? 0 : -1;
}

static void follows_the_versions(void **state)
{
	struct err err;
	struct stat a, b;
	rebuild();
	shims_are("");
	tool("12.4.1", "nvcc");
	tool("12.4.1", "ncu");
	tool("11.8.0", "nvcc");
	tool("11.8.0", "nvprof");
	umask(077);
	rebuild();
	umask(022);
	shims_are("ncu nvcc nvprof ");
	is_shim("nvcc", "one");
	autofree char *version = at("versions/11.8.0"), *nvcc = at("shims/nvcc"),
		      *ncu = at("shims/ncu");
	/* One inode, which is not the program's own. */
	assert_int_equal(stat(nvcc, &a) | stat(ncu, &b), 0);
	assert_int_equal(a.st_ino, b.st_ino);
	assert_int_equal(stat(shim, &b), 0);
	assert_int_not_equal(a.st_ino, b.st_ino);
	assert_true(tree_remove(version, &err));
	rebuild();
	shims_are("ncu nvcc ");
	assert_int_equal(stat(nvcc, &b), 0);
	assert_int_equal(a.st_ino, b.st_ino);
	assert_string_equal(said, "");
}

static void only_programs(void **state)
{
	put("versions/1.0/bin/README", "read me", 0644);
	put("versions/1.0/bin/nvcc.profile", "TOP = $(_HERE_)/..\n", 0755);
	put("versions/1.0/bin/plain", "#!/bin/sh\n", 0644);
	put("versions/1.0/bin/__pycache__/x", "#!/bin/sh\n", 0755);
	put("versions/1.0/nvvm/bin/cicc", "\177ELF", 0744);
	put("outside", "#!/bin/sh\n", 0755);
	autofree char *bin = at("versions/1.0/bin");
	assert_int_equal(chdir(bin), 0);
	assert_int_equal(symlink("nowhere", "dangling"), 0);
	assert_int_equal(symlink("../nvvm/bin/cicc", "cicc"), 0);
	assert_int_equal(symlink("../../../outside", "outsider"), 0);
	assert_int_equal(symlink("/bin/sh", "shell"), 0);
	assert_int_equal(mkfifo("fifo", 0777), 0);
	assert_int_equal(chdir("/"), 0);
	tool("1.0", "new tool");
	tool("1.0", "-x");
	rebuild();
	shims_are("cicc new tool ");
}

static void what_builds_need_is_left_out(void **state)
{
	static const char *const names[] = {"sh",      "env",	     "tar",    "sed", "[",
					    "ld",      "gcc",	     "g++",    "cc",  "cmake",
					    "python3", "python3.11", "gcc-11", "make"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		tool("1.0", names[i]);
	tool("1.0", "nvcc");
	rebuild();
	shims_are("nvcc ");
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		autofree char *quoted = xasprintf("'%s' of 1.0 ", names[i]);
		assert_non_null(strstr(said, quoted));
	}
}

static void of_a_linked_tree_only_known_tools(void **state)
{
	put("conda/bin/nvcc", "#!/bin/sh\n", 0755);
	put("conda/bin/cuda-gdb", "#!/bin/sh\n", 0755);
	put("conda/bin/jq", "#!/bin/sh\n", 0755);
	autofree char *versions = at("versions"), *env = at("versions/env"),
		      *gone = at("versions/gone");
	assert_int_equal(mkdir(versions, 0777), 0);
	assert_int_equal(symlink("../conda", env), 0);
	assert_int_equal(symlink("/nonexistent", gone), 0);
	rebuild();
	shims_are("cuda-gdb nvcc ");
	assert_string_equal(said, "");
}

static void upgrade(void **state)
{
	struct err err;
	autofree char *version = at("versions/11.8.0");
	tool("12.4.1", "nvcc");
	tool("11.8.0", "nvprof");
	rebuild();
	assert_true(atomic_write(shim, "two", 3, 0755, &err));
	assert_true(tree_remove(version, &err));
	rebuild();
	shims_are("nvcc ");
	is_shim("nvcc", "two");
	assert_string_equal(said, "");
}

static void repairs(void **state)
{
	autofree char *nvcc = at("shims/nvcc"), *ptxas = at("shims/ptxas");
	tool("12.4.1", "nvcc");
	tool("12.4.1", "ptxas");
	rebuild();
	/* Written through: the private copy and all names have it. */
	assert_int_equal(chmod(nvcc, 0755), 0);
	FILE *f = fopen(nvcc, "w");
	assert_non_null(f);
	fputs("x", f);
	fclose(f);
	rebuild();
	is_shim("nvcc", "one");
	is_shim("ptxas", "one");
	assert_string_equal(said, "");
	/* Put in its place. */
	put("shims/nvcc", "x", 0644);
	assert_int_equal(unlink(ptxas), 0);
	assert_int_equal(symlink("/bin/true", ptxas), 0);
	rebuild();
	is_shim("nvcc", "one");
	is_shim("ptxas", "one");
	assert_non_null(strstr(said, nvcc));
	assert_non_null(strstr(said, ptxas));
}

static void foreign_files_stay(void **state)
{
	autofree char *folder = at("shims/nvprof");
	struct err err;
	tool("12.4.1", "nvcc");
	tool("12.4.1", "nvprof");
	put("shims/mine", "#!/bin/sh\n", 0755);
	put("shims/.nvcc.1.0.tmp", "left over", 0644);
	assert_true(tree_mkdirs(folder, &err));
	rebuild();
	shims_are("mine nvcc nvprof ");
	assert_non_null(strstr(said, "shims/mine' is not a shim"));
	assert_non_null(strstr(said, "shims/nvprof' is a folder"));
	assert_null(strstr(said, ".tmp"));
}

static void without_a_program(void **state)
{
	struct err err;
	assert_int_equal(unlink(shim), 0);
	rebuild();
	tool("12.4.1", "nvcc");
	assert_false(shimdir_rebuild(&layout, shim, NULL, &err));
	assert_non_null(strstr(err.msg, shim));
	assert_non_null(strstr(err.hint, "CUDAENV_SHIM"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(follows_the_versions, fresh, clean),
		cmocka_unit_test_setup_teardown(only_programs, fresh, clean),
		cmocka_unit_test_setup_teardown(what_builds_need_is_left_out, fresh, clean),
		cmocka_unit_test_setup_teardown(of_a_linked_tree_only_known_tools, fresh, clean),
		cmocka_unit_test_setup_teardown(upgrade, fresh, clean),
		cmocka_unit_test_setup_teardown(repairs, fresh, clean),
		cmocka_unit_test_setup_teardown(foreign_files_stay, fresh, clean),
		cmocka_unit_test_setup_teardown(without_a_program, fresh, clean),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
