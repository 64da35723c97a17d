#include "scratch.h"

#include "base/pinfile.h"

static struct pinfile p;
static struct err err;

static bool parse(const char *text, size_t len)
{
	/* A block of exactly this size, so that a sanitizer sees a read behind its end. */
	autofree char *copy = xmalloc(len);
	memcpy(copy, text, len);
	return pinfile_parse(copy, len, "'f'", &p, &err);
}

static void spellings_of_one_version(void **state)
{
	static const char *const texts[] = {
		"12.4.1",
		"12.4.1\n",
		"12.4.1\r\n",
		"\357\273\27712.4.1\n",
		"\n  \t12.4.1 \t \n\n",
		"# needed by the sm_70 box\n12.4.1 # do not raise\n",
		"#\n\n#x\n12.4.1 #",
		"\357\273\277# c\r\n\r\n12.4.1\t#c\r\n",
		"12.4.1\nmy_key=1\n",
		"cudnn=9\n12.4.1\n",
	};
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		if (!parse(texts[i], strlen(texts[i])))
			fail_msg("case %zu: %s", i, err.msg);
		assert_int_equal(p.versions, 1);
		assert_string_equal(p.version[0], "12.4.1");
	}
}

static void fallbacks_and_keys(void **state)
{
	static const char text[] = "12.4 >=12.2,<13\tsystem#x system # c\n"
				   "cudnn=9.3\n"
				   "  profile = minimal  # small\r\n"
				   "components=nvcc, cublas\n"
				   "ccbin=/opt/gcc 11/bin/g++#1\n"
				   "future=1\nother=2\n"
				   "cudnn = 9.4";
	assert_true(parse(text, sizeof text - 1));
	assert_int_equal(p.versions, 4);
	assert_string_equal(p.version[0], "12.4");
	assert_string_equal(p.version[1], ">=12.2,<13");
	assert_string_equal(p.version[2], "system#x");
	assert_string_equal(p.version[3], "system");
	assert_string_equal(p.cudnn, "9.4");
	assert_string_equal(p.profile, "minimal");
	assert_string_equal(p.components, "nvcc, cublas");
	assert_string_equal(p.ccbin, "/opt/gcc 11/bin/g++#1");
	assert_string_equal(p.unknown_key, "future");

	assert_true(parse("12.4\nprofile=\n", 14));
	assert_string_equal(p.cudnn, "");
	assert_string_equal(p.profile, "");
	assert_string_equal(p.unknown_key, "");
}

static void a_hash_inside_a_word_stays(void **state)
{
	assert_true(parse("12.4.1#x\n", 9));
	assert_string_equal(p.version[0], "12.4.1#x");
}

static void refusals(void **state)
{
	static const struct {
		const char *text;
		size_t len;
		const char *why;
	} cases[] = {
		{"", 0, "'f' names no version"},
		{"\357\273\277", 3, "'f' names no version"},
		{" \n\t\n# 12.4\n", 11, "'f' names no version"},
		{"cudnn=9.3\n", 10, "'f' names no version"},
		{"12.4\0\n", 6, "'f' has control characters"},
		{"1\0002\0.\0004\0", 8, "'f' has control characters"},
		{"12.4\n\033[31m=1", 12, "'f' has control characters"},
		{"12.4\n11.8\n", 10, "line 2 of 'f', '11.8', is not 'key=value'"},
		{"\n\n12.4\n\ncudnn 9\n", 16, "line 5 of 'f', 'cudnn 9', is not 'key=value'"},
		{"1 2 3 4 5", 9, "'f' names more than 4 versions"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_false(parse(cases[i].text, cases[i].len));
		assert_int_equal(err.code, ERR_USAGE);
		if (!strstr(err.msg, cases[i].why))
			fail_msg("case %zu: %s", i, err.msg);
	}
}

static void long_values(void **state)
{
	char text[PINFILE_MAX];
	memset(text, '1', sizeof text);
	assert_false(parse(text, sizeof text));
	assert_non_null(strstr(err.msg, "...' in 'f' is too long for a version"));
	memcpy(text, "12\ncudnn=", 9);
	assert_false(parse(text, sizeof text));
	assert_string_equal(err.msg, "the value of 'cudnn' in 'f' is too long");
	memset(text + 3, 'k', 200);
	text[203] = '=';
	assert_true(parse(text, sizeof text));
	assert_int_equal(strlen(p.unknown_key), VERSION_TEXT - 1);
}

static void read_refuses(const char *path, enum err_code code, const char *why)
{
	assert_false(pinfile_read(path, &p, &err));
	assert_int_equal(err.code, code);
	assert_non_null(strstr(err.msg, path));
	if (!strstr(err.msg, why))
		fail_msg("%s: %s", path, err.msg);
}

static void files(void **state)
{
	char big[PINFILE_MAX + 1];
	memset(big, ' ', sizeof big);
	big[0] = '9';
	big[PINFILE_MAX] = '\0';
	scratch_file("max", big);
	assert_true(pinfile_read("max", &p, &err));
	assert_string_equal(p.version[0], "9");
	FILE *f = fopen("max", "a");
	fputc('\n', f);
	fclose(f);
	read_refuses("max", ERR_USAGE, "longer than 4096 bytes");
	assert_int_equal(truncate("max", 50 << 20), 0);
	read_refuses("max", ERR_USAGE, "longer than 4096 bytes");

	scratch_file("empty", "");
	read_refuses("empty", ERR_USAGE, "names no version");
	read_refuses("none", ERR_FILESYSTEM, "No such file");
	assert_int_equal(err.sys, ENOENT);
	assert_int_equal(mkdir("folder", 0755), 0);
	read_refuses("folder", ERR_USAGE, "is a folder");
	assert_int_equal(mkfifo("fifo", 0644), 0);
	read_refuses("fifo", ERR_USAGE, "not a regular file");
	assert_int_equal(symlink("/dev/zero", "zero"), 0);
	read_refuses("zero", ERR_USAGE, "not a regular file");
	assert_int_equal(symlink("loop", "loop"), 0);
	read_refuses("loop", ERR_FILESYSTEM, "cannot read");
	/* A file whose size is told as 0. */
	read_refuses("/proc/self/status", ERR_USAGE, "is not 'key=value'");
}

static int read_unreadable(void)
{
	return !pinfile_read("secret", &p, &err) && err.code == ERR_FILESYSTEM &&
			       err.sys == EACCES && strstr(err.msg, "'secret'")
		       ? 0
		       : 1;
}

static void unreadable(void **state)
{
	scratch_file("secret", "12.4\n");
	assert_int_equal(chmod("secret", 0), 0);
	assert_int_equal(scratch_fork(read_unreadable, true), 0);
}

static void find_is(const char *wanted)
{
	char path[PATH_MAX], here[PATH_MAX];
	if (!wanted) {
		assert_false(pinfile_find(path, sizeof path));
		assert_int_equal(errno, 0);
		return;
	}
	assert_true(pinfile_find(path, sizeof path));
	assert_non_null(realpath(wanted, here));
	/* The file's folder is real; the file itself may be a link. */
	char *slash = strrchr(path, '/');
	assert_string_equal(slash, "/.cuda-version");
	*slash = '\0';
	assert_string_equal(path, here);
}

static void nearest_upward(void **state)
{
	assert_int_equal(mkdir("a", 0755) | mkdir("a/b", 0755) | mkdir("a/b/c", 0755), 0);
	scratch_file("a/.cuda-version", "12.4\n");
	assert_int_equal(chdir("a/b/c"), 0);
	find_is("../..");
	scratch_file("../.cuda-version", "12.4\n");
	find_is("..");
	assert_int_equal(symlink("gone", ".cuda-version"), 0);
	find_is(".");
	assert_int_equal(unlink(".cuda-version"), 0);
	assert_int_equal(mkdir(".cuda-version", 0755), 0);
	find_is(".");
	assert_int_equal(chdir("/"), 0);
	if (access("/.cuda-version", F_OK) != 0)
		find_is(NULL);
}

/* $PWD says T/links/proj, the folder is T/real/proj: the pin of T/real holds. */
static void physical_folder(void **state)
{
	assert_int_equal(mkdir("real", 0755) | mkdir("real/proj", 0755) | mkdir("links", 0755), 0);
	assert_int_equal(symlink("../real/proj", "links/proj"), 0);
	scratch_file("real/.cuda-version", "11.8.0\n");
	scratch_file("links/.cuda-version", "12.4.1\n");
	autofree char *pwd = xasprintf("%s/links/proj", (const char *)*state);
	setenv("PWD", pwd, 1);
	assert_int_equal(chdir("links/proj"), 0);
	find_is("..");
}

static void deleted_folder(void **state)
{
	char path[PATH_MAX];
	assert_int_equal(mkdir("d", 0755), 0);
	assert_int_equal(chdir("d") | rmdir("../d"), 0);
	assert_false(pinfile_find(path, sizeof path));
	assert_int_equal(errno, ENOENT);
}

static char above[PATH_MAX];

static int find_above(void)
{
	char path[PATH_MAX];
	return pinfile_find(path, sizeof path) && !strcmp(path, above) ? 0 : 1;
}

/* sudo -u other in one's own folder: what cannot be searched holds no pin for that user. */
static void closed_folder(void **state)
{
	if (geteuid() != 0)
		skip();
	snprintf(above, sizeof above, "%s/.cuda-version", (const char *)*state);
	scratch_file(".cuda-version", "12.4\n");
	assert_int_equal(mkdir("closed", 0700) | mkdir("closed/open", 0755), 0);
	scratch_file("closed/.cuda-version", "11.8\n");
	assert_int_equal(chdir("closed/open"), 0);
	assert_int_equal(scratch_fork(find_above, true), 0);
}

static void small_buffer(void **state)
{
	char path[8];
	assert_false(pinfile_find(path, sizeof path));
	assert_int_equal(errno, ERANGE);
}

static void words(void **state)
{
	assert_true(pinfile_words(" 12.4\tsystem ", 13, "X", &p, &err));
	assert_int_equal(p.versions, 2);
	assert_string_equal(p.version[1], "system");
	assert_true(pinfile_words("  ", 2, "X", &p, &err));
	assert_int_equal(p.versions, 0);
}

static void quoted_path(void **state)
{
	char out[WHERE_TEXT], path[2000];
	pinfile_where("/p/.cuda-version", out);
	assert_string_equal(out, "'/p/.cuda-version'");
	memset(path, 'x', sizeof path - 1);
	path[sizeof path - 1] = '\0';
	pinfile_where(path, out);
	assert_int_equal(strlen(out), WHERE_TEXT - 1);
	assert_int_equal(out[WHERE_TEXT - 2], '\'');
}

#define IN_SCRATCH(f) cmocka_unit_test_setup_teardown(f, scratch_enter, scratch_leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spellings_of_one_version),
		cmocka_unit_test(fallbacks_and_keys),
		cmocka_unit_test(a_hash_inside_a_word_stays),
		cmocka_unit_test(refusals),
		cmocka_unit_test(long_values),
		cmocka_unit_test(words),
		cmocka_unit_test(quoted_path),
		IN_SCRATCH(files),
		IN_SCRATCH(unreadable),
		IN_SCRATCH(nearest_upward),
		IN_SCRATCH(physical_folder),
		IN_SCRATCH(deleted_folder),
		IN_SCRATCH(closed_folder),
		IN_SCRATCH(small_buffer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
