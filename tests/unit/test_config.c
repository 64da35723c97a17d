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

#include "base/attr.h"
#include "base/buf.h"
#include "base/io.h"
#include "core/choose.h"
#include "core/config.h"

static struct layout layout;
static char system_file[PATH_MAX], user_file[PATH_MAX + 16];

static int make_root(void **state)
{
	snprintf(layout.root, sizeof layout.root, "/tmp/test_config.XXXXXX");
	if (!mkdtemp(layout.root))
		return -1;
	snprintf(system_file, sizeof system_file, "%.64s/system.ini", layout.root);
	snprintf(user_file, sizeof user_file, "%s/config.ini", layout.root);
	for (int k = 0; k < CONFIG_KEYS; k++)
		if (config_info((enum config_key)k)->env)
			unsetenv(config_info((enum config_key)k)->env);
	return 0;
}

static int remove_root(void **state)
{
	unlink(system_file);
	unlink(user_file);
	return rmdir(layout.root);
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void load(struct config *c)
{
	struct err err = {0};
	if (!config_load_from(c, &layout, system_file, &err))
		fail_msg("%s", err.msg);
}

static void test_built_in(void **state)
{
	struct config c;
	load(&c);
	for (int k = 0; k < CONFIG_KEYS; k++) {
		assert_non_null(config_get(&c, (enum config_key)k));
		assert_string_equal(c.v[k].origin, "built in");
	}
	autofree char *cache = xasprintf("%s/cache", layout.root);
	assert_string_equal(config_get(&c, CONFIG_CACHE_DIR), cache);
	assert_false(config_bool(&c, CONFIG_OFFLINE));
	assert_int_equal(config_number(&c, CONFIG_JOBS), 0);
	config_clear(&c);
}

static void test_order(void **state)
{
	struct config c;
	struct err err = {0};
	write_file(system_file,
		   "# site\njobs = 2\nprofile = full\nverify = files\noffline = yes\n");
	write_file(user_file, "jobs = 3\r\nprofile = minimal\r\n");
	setenv("CUDAENV_JOBS", "4", 1);
	setenv("CUDAENV_VERIFY", "", 1);
	load(&c);
	assert_int_equal(config_number(&c, CONFIG_JOBS), 4);
	assert_string_equal(c.v[CONFIG_JOBS].origin, "CUDAENV_JOBS");
	assert_string_equal(config_get(&c, CONFIG_PROFILE), "minimal");
	autofree char *user = xasprintf("'%s' line 2", user_file);
	assert_string_equal(c.v[CONFIG_PROFILE].origin, user);
	assert_string_equal(config_get(&c, CONFIG_VERIFY), "files");
	autofree char *system = xasprintf("'%s' line 4", system_file);
	assert_string_equal(c.v[CONFIG_VERIFY].origin, system);
	assert_true(config_bool(&c, CONFIG_OFFLINE));
	assert_true(config_override(&c, CONFIG_JOBS, "5", "--jobs", &err));
	assert_int_equal(config_number(&c, CONFIG_JOBS), 5);
	assert_string_equal(c.v[CONFIG_JOBS].origin, "--jobs");
	assert_false(config_override(&c, CONFIG_JOBS, "many", "--jobs", &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_string_equal(err.msg, "--jobs: 'many' of 'jobs' is no number from 0 to 1024");
	assert_int_equal(config_number(&c, CONFIG_JOBS), 5);
	config_clear(&c);
	unsetenv("CUDAENV_JOBS");
	unsetenv("CUDAENV_VERIFY");
	unlink(system_file);
	unlink(user_file);
}

static void test_refused(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"jobs = -1\n", "line 1: '-1' of 'jobs' is no number from 0 to 1024"},
		{"jobs = 1025\n", "line 1: '1025' of 'jobs' is no number from 0 to 1024"},
		{"jobs = 99999999999999999999\n",
		 "line 1: '99999999999999999999' of 'jobs' is no number from 0 to 1024"},
		{"jobs =\n", "line 1: '' of 'jobs' is no number from 0 to 1024"},
		{"\noffline = maybe\n", "line 2: 'maybe' of 'offline' is neither yes nor no"},
		{"verify = comp\n",
		 "line 1: 'comp' of 'verify' is not one of files|compile|run|bandwidth"},
		{"verify = files|compile\n",
		 "line 1: 'files|compile' of 'verify' is not one of files|compile|run|bandwidth"},
		{"profile =\n", "line 1: '' of 'profile' is not one of minimal|default|full"},
		{"cache_dir = cache\n", "line 1: 'cache' of 'cache_dir' is not an absolute path"},
		{"jbos = 3\n", "line 1: unknown key 'jbos', did you mean 'jobs'?"},
		{"colour = red\n", "line 1: unknown key 'colour'"},
		{"[general]\njobs = 3\n", "line 1: section 'general': this file has none"},
		{"jobs = 1\njobs = 1\n", "line 2: this key stands twice"},
		{"jobs\n", "line 1: neither [section] nor 'key = value'"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct config c = {0};
		struct err err = {0};
		write_file(user_file, cases[i].text);
		assert_false(config_load_from(&c, &layout, system_file, &err));
		assert_int_equal(err.code, ERR_USAGE);
		autofree char *file = xasprintf("'%s' ", user_file);
		assert_memory_equal(err.msg, file, strlen(file));
		const char *rest = err.msg + strlen(file);
		assert_string_equal(rest + (*rest == ':' ? 2 : 0), cases[i].want);
		assert_null(c.v[0].value);
	}
	unlink(user_file);
	setenv("CUDAENV_OFFLINE", "perhaps", 1);
	struct config c = {0};
	struct err err = {0};
	assert_false(config_load_from(&c, &layout, system_file, &err));
	assert_string_equal(err.msg,
			    "CUDAENV_OFFLINE: 'perhaps' of 'offline' is neither yes nor no");
	unsetenv("CUDAENV_OFFLINE");
}

static void test_bools(void **state)
{
	static const char *const yes[] = {"yes", "true", "on", "1", "YES", "True"};
	static const char *const no[] = {"no", "false", "off", "0", "No"};
	struct config c;
	struct err err;
	load(&c);
	for (size_t i = 0; i < ARRAY_LEN(yes); i++) {
		assert_true(config_override(&c, CONFIG_OFFLINE, yes[i], "--offline", &err));
		assert_true(config_bool(&c, CONFIG_OFFLINE));
	}
	for (size_t i = 0; i < ARRAY_LEN(no); i++) {
		assert_true(config_override(&c, CONFIG_OFFLINE, no[i], "--offline", &err));
		assert_false(config_bool(&c, CONFIG_OFFLINE));
	}
	config_clear(&c);
}

static void file_is(const char *want)
{
	autobuf struct buf b = BUF_INIT(4096);
	struct err err = {0};
	assert_true(io_read_file(user_file, &b, &err));
	assert_string_equal(buf_str(&b), want);
}

static void test_write(void **state)
{
	struct err err = {0};
	/* Nothing to take out of a file that is not there, and none is made for it. */
	assert_true(config_write(&layout, CONFIG_JOBS, NULL, &err));
	assert_int_equal(access(user_file, F_OK), -1);
	assert_true(config_write(&layout, CONFIG_JOBS, "3", &err));
	file_is("jobs = 3\n");

	write_file(user_file,
		   "# mine\n\n  jobs=3 ; as many as disks\njobs_x = 1\n#jobs = 9\noffline = no");
	assert_true(config_write(&layout, CONFIG_JOBS, "8", &err));
	file_is("# mine\n\njobs = 8\njobs_x = 1\n#jobs = 9\noffline = no");
	assert_true(config_write(&layout, CONFIG_PROFILE, "full", &err));
	file_is("# mine\n\njobs = 8\njobs_x = 1\n#jobs = 9\noffline = no\nprofile = full\n");
	assert_true(config_write(&layout, CONFIG_JOBS, NULL, &err));
	file_is("# mine\n\njobs_x = 1\n#jobs = 9\noffline = no\nprofile = full\n");
	write_file(user_file, "\xef\xbb\xbfjobs = 3\n");
	assert_true(config_write(&layout, CONFIG_JOBS, "4", &err));
	file_is("\xef\xbb\xbfjobs = 4\n");
	unlink(user_file);
}

/* A value that INI cannot hold must never reach the file: the next start would fail. */
static void test_write_refused(void **state)
{
	static const char *const bad[] = {"http://h/\njobs = 3", " http://h/", "http://h/ ",
					  "http://h/ ; x", "a\tb\x01"};
	struct err err = {0};
	write_file(user_file, "jobs = 3\n");
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		assert_false(config_write(&layout, CONFIG_INDEX, bad[i], &err));
		assert_int_equal(err.code, ERR_USAGE);
		file_is("jobs = 3\n");
	}
	char longest[300];
	memset(longest, 'x', sizeof longest - 1);
	longest[sizeof longest - 1] = '\0';
	assert_false(config_write(&layout, CONFIG_INDEX, longest, &err));
	assert_non_null(strstr(err.hint, "too long"));
	assert_false(config_write(&layout, CONFIG_JOBS, "x", &err));
	file_is("jobs = 3\n");
	unlink(user_file);
}

static void test_write_link(void **state)
{
	struct err err = {0};
	struct stat st;
	write_file(system_file, "jobs = 3\n");
	assert_int_equal(symlink(system_file, user_file), 0);
	assert_true(config_write(&layout, CONFIG_JOBS, "4", &err));
	assert_int_equal(lstat(user_file, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	file_is("jobs = 4\n");
	unlink(user_file);
	unlink(system_file);
}

static void test_keys(void **state)
{
	enum config_key k;
	struct err err;
	assert_true(config_key_parse("ld_library_path", &k, &err));
	assert_int_equal(k, CONFIG_LD_LIBRARY_PATH);
	assert_false(config_key_parse("LD_LIBRARY_PATH", &k, &err));
	/* The words of `source` are the sources that there are. */
	autobuf struct buf words = BUF_INIT(256);
	for (const char *const *s = choose_sources; *s; s++)
		buf_addf(&words, "%s%s", words.len ? "|" : "", *s);
	assert_string_equal(config_info(CONFIG_SOURCE)->type, buf_str(&words));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_built_in),   cmocka_unit_test(test_order),
		cmocka_unit_test(test_refused),	   cmocka_unit_test(test_bools),
		cmocka_unit_test(test_write),	   cmocka_unit_test(test_write_refused),
		cmocka_unit_test(test_write_link), cmocka_unit_test(test_keys),
	};
	return cmocka_run_group_tests(tests, make_root, remove_root);
}
