#include "scratch.h"

#include <sys/resource.h>

static void mkdirs(void **state)
{
	struct err e;
	struct stat st;
	static const char *const good[] = {"a", "a/b c/d", "a//b2///c/", "./e/../f", "a/b c/d"};
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		assert_true(tree_mkdirs(good[i], &e));
		assert_int_equal(stat(good[i], &st), 0);
		assert_true(S_ISDIR(st.st_mode));
	}
	assert_true(tree_mkdirs("/", &e));
	mode_t old = umask(027);
	assert_true(tree_mkdirs("g/h", &e));
	umask(old);
	assert_int_equal(stat("g", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0750);
	assert_int_equal(symlink("a", "link"), 0);
	assert_true(tree_mkdirs("link/x", &e));
	assert_int_equal(access("a/x", F_OK), 0);
}

static void mkdirs_refused(void **state)
{
	struct err e;
	scratch_file("file", "");
	assert_int_equal(symlink("nowhere", "dangling"), 0);
	assert_false(tree_mkdirs("", &e));
	assert_int_equal(e.sys, ENOENT);
	assert_false(tree_mkdirs("file", &e));
	assert_string_equal(e.msg, "'file' is in the way: not a folder");
	assert_false(tree_mkdirs("file/below", &e));
	assert_int_equal(e.sys, ENOTDIR);
	assert_false(tree_mkdirs("dangling", &e));
	assert_int_equal(e.code, ERR_FILESYSTEM);
}

static int mkdirs_without_rights(void)
{
	struct err e;
	if (!tree_mkdirs("closed", &e) || tree_mkdirs("closed/a/b", &e))
		return 1;
	/* Which folder, and mkdir's own reason. */
	return strstr(e.msg, "'closed/a'") && e.sys == EACCES ? 0 : 2;
}

static void mkdirs_names_the_reason(void **state)
{
	assert_int_equal(mkdir("closed", 0555), 0);
	assert_int_equal(scratch_fork(mkdirs_without_rights, true), 0);
}

static void remove_kinds(void **state)
{
	struct err e;
	assert_int_equal(mkdir("out", 0700), 0);
	scratch_file("out/keep", "kept");
	assert_int_equal(mkdir("t", 0700), 0);
	assert_int_equal(mkdir("t/sub", 0700), 0);
	assert_int_equal(mkdir("t/sub/empty", 0700), 0);
	scratch_file("t/sub/.hidden", "x");
	scratch_file("t/..name", "x");
	assert_int_equal(mkfifo("t/fifo", 0), 0);
	assert_int_equal(symlink("../out", "t/link"), 0);
	assert_int_equal(symlink("none", "t/sub/dangling"), 0);
	assert_int_equal(link("out/keep", "t/hard"), 0);
	assert_true(tree_remove("t", &e));
	assert_int_equal(access("t", F_OK), -1);
	assert_int_equal(access("out/keep", F_OK), 0);

	assert_true(tree_remove("t", &e));
	assert_true(tree_remove("t/not/there", &e));
	assert_int_equal(symlink("out", "link"), 0);
	assert_true(tree_remove("link", &e));
	assert_int_equal(access("out/keep", F_OK), 0);
	assert_true(tree_remove("out/keep", &e));
	assert_int_equal(access("out/keep", F_OK), -1);
}

static int remove_read_only(void)
{
	struct err e;
	umask(0);
	if (mkdir("t", 0700) < 0 || mkdir("t/a", 0700) < 0 || mkdir("t/a/b", 0700) < 0 ||
	    mkdir("t/closed", 0700) < 0)
		return 1;
	scratch_file("t/a/b/file", "x");
	scratch_file("t/closed/file", "x");
	if (chmod("t/a/b/file", 0) < 0 || chmod("t/a/b", 0555) < 0 || chmod("t/a", 0111) < 0 ||
	    chmod("t/closed", 0) < 0 || chmod("t", 0500) < 0)
		return 2;
	if (!tree_remove("t", &e))
		return 3;
	return access("t", F_OK) < 0 ? 0 : 4;
}

static void remove_opens_read_only_folders(void **state)
{
	assert_int_equal(scratch_fork(remove_read_only, true), 0);
}

static int remove_refused(void)
{
	struct err e;
	if (tree_remove("owned/file", &e) || e.sys != EACCES)
		return 1;
	return strcmp(e.msg, "cannot remove 'owned/file': Permission denied") ? 2 : 0;
}

static void remove_names_the_reason(void **state)
{
	assert_int_equal(mkdir("owned", 0755), 0);
	scratch_file("owned/file", "x");
	if (geteuid() != 0)
		assert_int_equal(chmod("owned", 0555), 0);
	assert_int_equal(scratch_fork(remove_refused, true), 0);
	assert_int_equal(access("owned/file", F_OK), 0);
	assert_int_equal(chmod("owned", 0755), 0);
}

/* More levels than descriptors, a path longer than PATH_MAX, something at each level. */
static int remove_deep(void)
{
	struct err e;
	struct rlimit few = {100, 100};
	int top = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (setrlimit(RLIMIT_NOFILE, &few) < 0 || mkdir("deep", 0700) < 0 || chdir("deep") < 0)
		return 1;
	for (int i = 0; i < 3000; i++) {
		if (i % 500 == 0)
			scratch_file("file", "x");
		if (i % 700 == 0 && mkdir("beside", 0500) < 0)
			return 2;
		if (mkdir("level", 0700) < 0 || chdir("level") < 0)
			return 3;
	}
	if (fchdir(top) < 0 || !tree_remove("deep", &e))
		return 4;
	return access("deep", F_OK) < 0 ? 0 : 5;
}

static void remove_has_no_depth_limit(void **state)
{
	assert_int_equal(scratch_fork(remove_deep, true), 0);
}

struct seen_paths {
	char text[512];
	const char *stop, *unlink;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool note(void *ctx, const char *rel, const struct stat *st, struct err *err)
{
	struct seen_paths *s = ctx;
	char kind = S_ISDIR(st->st_mode) ? 'd' : S_ISLNK(st->st_mode) ? 'l' : 'f';
	size_t n = strlen(s->text);
	snprintf(s->text + n, sizeof s->text - n, "%s=%c\n", rel, kind);
	if (s->stop && !strcmp(rel, s->stop))
		return err_set(err, ERR_INTEGRITY, "stopped at '%s'", rel);
	if (s->unlink && !strcmp(rel, s->unlink)) {
		struct err ignored;
		return tree_remove(rel, &ignored);
	}
	return true;
}

static void walk(void **state)
{
	struct err e;
	struct seen_paths s = {.text = ""};
	assert_true(tree_mkdirs("w/a/b", &e));
	scratch_file("w/a/b/f", "");
	scratch_file("w/z", "");
	assert_int_equal(symlink("a", "w/link"), 0);
	assert_true(tree_walk("w", note, &s, &e));

	char *lines[16], *rest = s.text;
	size_t n = 0;
	const char *a = strstr(s.text, "a=d"), *b = strstr(s.text, "a/b=d");
	assert_true(a && b && a < b);
	for (char *line; (line = strsep(&rest, "\n")) && *line;)
		lines[n++] = line;
	qsort(lines, n, sizeof *lines, by_name);
	static const char *const want[] = {"a/b/f=f", "a/b=d", "a=d", "link=l", "z=f"};
	assert_int_equal(n, ARRAY_LEN(want));
	for (size_t i = 0; i < n; i++)
		assert_string_equal(lines[i], want[i]);
}

static void walk_stops(void **state)
{
	struct err e;
	struct seen_paths s = {.stop = "a/b"};
	assert_true(tree_mkdirs("w/a/b/c", &e));
	assert_false(tree_walk("w", note, &s, &e));
	assert_int_equal(e.code, ERR_INTEGRITY);
	assert_null(strstr(s.text, "a/b/c"));
	assert_false(tree_walk("none", note, &s, &e));
	assert_int_equal(e.sys, ENOENT);
	scratch_file("w/file", "");
	assert_false(tree_walk("w/file", note, &s, &e));
	assert_int_equal(e.sys, ENOTDIR);
}

static void walk_bears_what_vanishes(void **state)
{
	struct err e;
	struct seen_paths s = {.unlink = "a"};
	assert_true(tree_mkdirs("a/b", &e));
	assert_true(tree_walk(".", note, &s, &e));
	assert_string_equal(s.text, "a=d\n");
}

static void usage(void **state)
{
	struct err e;
	struct tree_use u, v;
	char block[8192];
	memset(block, 'x', sizeof block);
	block[sizeof block - 1] = '\0';
	assert_true(tree_mkdirs("u/sub", &e));
	assert_true(tree_usage("u", &u, &e));
	scratch_file("u/one", block);
	assert_int_equal(link("u/one", "u/sub/two"), 0);
	scratch_file("u/own", block);
	scratch_file("outside", block);
	assert_int_equal(link("outside", "u/shared"), 0);
	assert_int_equal(symlink("one", "u/link"), 0);

	struct stat st;
	assert_int_equal(stat("outside", &st), 0);
	uint64_t each = (uint64_t)st.st_blocks * 512;
	assert_true(tree_usage("u", &v, &e));
	assert_int_equal(v.files, 5);
	assert_int_equal(v.shared, each);
	assert_true(v.bytes - u.bytes >= 3 * each && v.bytes - u.bytes < 4 * each);

	v.files = 77;
	assert_false(tree_usage("none", &v, &e));
	assert_int_equal(v.files, 77);
}

#define SCRATCH(f) cmocka_unit_test_setup_teardown(f, scratch_enter, scratch_leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRATCH(mkdirs),
		SCRATCH(mkdirs_refused),
		SCRATCH(mkdirs_names_the_reason),
		SCRATCH(remove_kinds),
		SCRATCH(remove_opens_read_only_folders),
		SCRATCH(remove_names_the_reason),
		SCRATCH(remove_has_no_depth_limit),
		SCRATCH(walk),
		SCRATCH(walk_stops),
		SCRATCH(walk_bears_what_vanishes),
		SCRATCH(usage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
