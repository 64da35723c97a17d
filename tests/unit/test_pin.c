/* Pins: only the version changes in a file that people write by hand. */
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
#include "base/pinfile.h"
#include "base/tree.h"
#include "core/pin.h"

static char base[] = "/tmp/test pin.XXXXXX";
static char file[PATH_MAX];
static struct layout layout;

static void put(const char *text)
{
	struct err err;
	assert_true(atomic_write(file, text, strlen(text), 0640, &err));
}

static void holds(const char *path, const char *want)
{
	autobuf struct buf b = BUF_INIT(PINFILE_MAX);
	struct err err;
	assert_true(io_read_file(path, &b, &err));
	assert_string_equal(buf_str(&b), want);
}

static void versions(void **state)
{
	static const char *const cases[][2] = {
		{"12.4.1\n", "13.0\n"},
		{"12.4.1", "13.0"},
		{"", "13.0\n"},
		{"\n\n", "\n\n13.0\n"},
		{"# only words", "# only words\n13.0\n"},
		{"  12.4 system  # do not raise\ncudnn=9.3\n",
		 "  13.0  # do not raise\ncudnn=9.3\n"},
		{"# a\r\n12.4\r\ncudnn=9\r\n", "# a\r\n13.0\r\ncudnn=9\r\n"},
		{"\xef\xbb\xbf"
		 "12.4\n",
		 "\xef\xbb\xbf"
		 "13.0\n"},
		{"cudnn=9.3\n", "13.0\ncudnn=9.3\n"},
		{"# c\ncudnn = 9.3", "# c\n13.0\ncudnn = 9.3"},
		{">=12,<13\nmy=own\n", "13.0\nmy=own\n"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err;
		put(cases[i][0]);
		assert_true(pin_write(file, "13.0", &err));
		holds(file, cases[i][1]);
	}
}

static void keys(void **state)
{
	static const struct {
		const char *before, *value, *after;
	} cases[] = {
		{"12.4\n", "9.3", "12.4\ncudnn=9.3\n"},
		{"12.4", "9.3", "12.4\ncudnn=9.3\n"},
		{"12.4\r\n", "9.3", "12.4\r\ncudnn=9.3\r\n"},
		{"12.4\ncudnn=8 # old\nprofile=full\n", "9.3",
		 "12.4\ncudnn=9.3 # old\nprofile=full\n"},
		{"12.4\n cudnn = 8\n", "9.3", "12.4\n cudnn = 9.3\n"},
		{"12.4\ncudnn=\n", "9.3", "12.4\ncudnn=9.3\n"},
		{"12.4\ncudnn=# none\n", "9.3", "12.4\ncudnn=9.3\n"},
		{"12.4\ncudnn=1\ncudnn=2\n", "9.3", "12.4\ncudnn=9.3\n"},
		{"12.4\ncudnn=8\nprofile=full", NULL, "12.4\nprofile=full"},
		{"12.4\n", NULL, "12.4\n"},
		{"12.4\n# cudnn=8\ncudnns=1\n", NULL, "12.4\n# cudnn=8\ncudnns=1\n"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err;
		put(cases[i].before);
		assert_true(pin_set_key(file, "cudnn", cases[i].value, &err));
		holds(file, cases[i].after);
	}
}

static void file_stays_what_it_was(void **state)
{
	struct err err;
	struct stat st;
	char link[PATH_MAX + 8];
	put("12.4\n");
	snprintf(link, sizeof link, "%s.link", file);
	assert_int_equal(symlink(file, link), 0);
	assert_true(pin_write(link, "13.0", &err));
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	holds(file, "13.0\n");
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	assert_int_equal(unlink(link), 0);
}

static void refused(void **state)
{
	static const char *const cases[] = {
		"12.4\nsome words\n",
		"12.4\n\033[2J\n",
	};
	struct err err;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		put(cases[i]);
		assert_false(pin_write(file, "13.0", &err));
		assert_int_equal(err.code, ERR_USAGE);
		assert_non_null(strstr(err.msg, file));
		holds(file, cases[i]);
	}
	assert_int_equal(unlink(file), 0);
	assert_false(pin_set_key(file, "cudnn", "9.3", &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_int_not_equal(access(file, F_OK), 0);
	assert_false(pin_write(base, "13.0", &err));
	assert_int_equal(err.code, ERR_FILESYSTEM);
}

static void long_file(void **state)
{
	char text[PINFILE_MAX + 1];
	struct err err;
	memset(text, '#', sizeof text);
	memcpy(text, "12\n", 3);
	text[PINFILE_MAX - 1] = '\0';
	put(text);
	assert_false(pin_write(file, "12.4.1", &err));
	assert_int_equal(err.code, ERR_USAGE);
	holds(file, text);
}

static void current_is(const char *want)
{
	char path[PATH_MAX], target[PATH_MAX];
	assert_true(layout_path(&layout, path, sizeof path, "current"));
	ssize_t n = readlink(path, target, sizeof target - 1);
	if (!want) {
		assert_int_equal(n, -1);
		return;
	}
	assert_true(n > 0);
	target[n] = '\0';
	assert_string_equal(target, want);
}

static void make(const char *sub)
{
	char path[PATH_MAX];
	struct err err;
	assert_true(layout_path(&layout, path, sizeof path, sub));
	assert_true(tree_mkdirs(path, &err));
}

static void global(void **state)
{
	struct err err;
	char path[PATH_MAX];
	make("versions/12.4.0");
	make("versions/13.0.2");
	assert_true(layout_path(&layout, path, sizeof path, "version"));
	assert_true(pin_global(&layout, "12.4", &err));
	holds(path, "12.4\n");
	current_is("versions/12.4.0");
	make("versions/12.4.10");
	current_is("versions/12.4.0");
	assert_true(pin_refresh(&layout, &err));
	current_is("versions/12.4.10");
	assert_true(pin_global(&layout, "system", &err));
	current_is(NULL);
	assert_true(pin_global(&layout, "9.9", &err));
	current_is(NULL);
	assert_true(atomic_write(path, "9.9 13\n", 7, 0644, &err));
	assert_true(pin_refresh(&layout, &err));
	current_is("versions/13.0.2");
	/* What nobody can read selects nothing, and keeps nobody from installing. */
	assert_true(atomic_write(path, "a/b\n", 4, 0644, &err));
	assert_true(pin_refresh(&layout, &err));
	current_is(NULL);
	assert_true(pin_global(&layout, NULL, &err));
	assert_int_not_equal(access(path, F_OK), 0);
	assert_true(pin_global(&layout, NULL, &err));
}

static void global_of_a_shared_root(void **state)
{
	struct err err;
	char want[PATH_MAX];
	struct layout shared = layout;
	autofree char *other = xasprintf("%s/shared", base);
	make("../shared/versions/9.2.0");
	shared.shared = other;
	assert_true(pin_global(&shared, "9.2", &err));
	snprintf(want, sizeof want, "%s/versions/9.2.0", other);
	current_is(want);
	assert_true(pin_global(&shared, NULL, &err));
}

static int open_base(void **state)
{
	if (!mkdtemp(base))
		return -1;
	snprintf(layout.root, sizeof layout.root, "%s/own", base);
	make("");
	snprintf(file, sizeof file, "%s/.cuda-version", base);
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
		cmocka_unit_test(versions),
		cmocka_unit_test(keys),
		cmocka_unit_test(file_stays_what_it_was),
		cmocka_unit_test(refused),
		cmocka_unit_test(long_file),
		cmocka_unit_test(global),
		cmocka_unit_test(global_of_a_shared_root),
	};
	return cmocka_run_group_tests(tests, open_base, close_base);
}
