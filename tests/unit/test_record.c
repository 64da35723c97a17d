#include <errno.h>
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

#include "base/io.h"
#include "base/tree.h"
#include "core/record.h"

#define SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static char top[] = "/tmp/record.XXXXXX";

static int setup(void **state)
{
	memcpy(top + sizeof top - 7, "XXXXXX", 6);
	return mkdtemp(top) ? 0 : -1;
}

static int teardown(void **state)
{
	struct err err;
	return tree_remove(top, &err) ? 0 : -1;
}

static void put(const char *name, const char *text)
{
	autofree char *path = xasprintf("%s/.cudaenv/%s", top, name);
	autofree char *dir = xasprintf("%s/.cudaenv", top);
	mkdir(dir, 0755);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static struct record sample(void)
{
	struct record r = {.release = {.label = "13.0.2",
				       .source = "wheels",
				       .arch = "x86_64",
				       .manifest_sha256 = SHA,
				       .pinned = true,
				       .n = 1},
			   .profile = "minimal"};
	struct component c = {.sha256 = SHA, .size = 5000000000, .unpacked = 7};
	c.name = xstrdup("cuda_nvcc");
	c.package = xstrdup("nvidia-cuda-nvcc");
	c.version = xstrdup("13.0.88");
	c.file = xstrdup("nvidia_cuda_nvcc.whl");
	strlist_add(&c.urls, "https://user:secret@host/nvcc.whl");
	r.release.manifest = xstrdup("cuda_toolkit-13.0.2.whl");
	r.release.components = xcalloc(1, sizeof c);
	r.release.components[0] = c;
	return r;
}

static void test_round_trip(void **state)
{
	struct err err;
	struct record r = sample(), got;
	mode_t old = umask(077);
	assert_true(record_write(top, &r, &err));
	umask(old);
	assert_true(record_read(top, &got, &err));
	assert_string_equal(got.release.label, "13.0.2");
	assert_string_equal(got.release.source, "wheels");
	assert_string_equal(got.release.arch, "x86_64");
	assert_string_equal(got.release.manifest, "cuda_toolkit-13.0.2.whl");
	assert_string_equal(got.release.manifest_sha256, SHA);
	assert_true(got.release.pinned);
	assert_string_equal(got.profile, "minimal");
	assert_int_equal(strlen(got.installed), strlen("2025-01-01T00:00:00Z"));
	assert_int_equal(got.release.n, 1);
	const struct component *c = got.release.components;
	assert_string_equal(c->name, "cuda_nvcc");
	assert_string_equal(c->package, "nvidia-cuda-nvcc");
	assert_string_equal(c->version, "13.0.88");
	assert_string_equal(c->file, "nvidia_cuda_nvcc.whl");
	assert_string_equal(c->sha256, SHA);
	assert_true(c->size == 5000000000 && c->unpacked == 7);
	assert_int_equal(c->urls.n, 0);
	record_clear(&got);
	record_clear(&r);
}

/* A shared root serves other users, and a URL may hold a password. */
static void test_modes_and_secrets(void **state)
{
	struct err err;
	struct record r = sample();
	struct stat st;
	mode_t old = umask(077);
	assert_true(record_write(top, &r, &err));
	umask(old);
	record_clear(&r);
	autofree char *path = xasprintf("%s/.cudaenv/record.json", top);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	autobuf struct buf b = BUF_INIT(1 << 20);
	assert_true(io_read_file(path, &b, &err));
	assert_null(strstr(buf_str(&b), "secret"));
	path[strlen(top) + strlen("/.cudaenv")] = '\0';
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0755);
}

static void test_not_ours(void **state)
{
	struct err err;
	struct record got;
	assert_false(record_read(top, &got, &err));
	assert_int_equal(err.code, ERR_FAILED);
	assert_int_equal(err.sys, ENOENT);
}

#define HEAD "{\"format\": 1, \"label\": \"13.0.2\", \"source\": \"wheels\", \"arch\": \"x86_64\", "

static void test_bad_records(void **state)
{
	static const char *const bad[] = {
		"",
		"{",
		"[]",
		"{}",
		HEAD "\"components\": {}}",
		HEAD "\"components\": [{}]}",
		HEAD "\"components\": [7]}",
		HEAD "\"components\": [{\"name\": \"../x\", \"version\": \"1\", \"sha256\": \"" SHA
		     "\"}]}",
		HEAD "\"components\": [{\"name\": \"x\", \"version\": \"1\", \"sha256\": "
		     "\"../../0123456789abcdef0123456789abcdef0123456789abcdef0123456789\"}]}",
		HEAD "\"components\": [{\"name\": \"x\", \"version\": \"1\", \"size\": -1, "
		     "\"sha256\": \"" SHA "\"}]}",
		"{\"format\": 2, \"label\": \"13.0.2\", \"source\": \"wheels\", \"arch\": "
		"\"x86_64\", \"components\": []}",
		"{\"format\": 1, \"label\": \"..\", \"source\": \"wheels\", \"arch\": \"x86_64\", "
		"\"components\": []}",
		"{\"format\": 1, \"label\": \"13.0.2\", \"source\": \"wheels\", \"arch\": "
		"\"an architecture with a long name\", \"components\": []}",
	};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct err err = {0};
		struct record got = {.profile = "kept"};
		put("record.json", bad[i]);
		assert_false(record_read(top, &got, &err));
		assert_int_equal(err.code, ERR_FAILED);
		assert_int_equal(err.sys, 0);
		assert_non_null(strstr(err.msg, "record.json'"));
		assert_string_equal(got.profile, "kept");
	}
}

static void test_unknown_source(void **state)
{
	struct err err;
	struct record got;
	put("record.json", "{\"format\": 1, \"label\": \"x\", \"source\": \"later\", \"arch\": "
			   "\"sbsa\", \"components\": [], \"more\": 1}");
	assert_true(record_read(top, &got, &err));
	assert_string_equal(got.release.source, "unknown");
	record_clear(&got);
}

static void test_verdict(void **state)
{
	struct err err;
	struct verdict v = {.word = "host-compiler-refused",
			    .level = "compile",
			    .detail = "gcc 99 is too new",
			    .hint = "apt-get install g++-11",
			    .ccbin = "/usr/bin/g++-99"};
	struct verdict got;
	assert_false(verdict_read(top, &got));
	assert_string_equal(got.word, "");
	assert_true(verdict_write(top, &v, &err));
	assert_true(verdict_read(top, &got));
	assert_string_equal(got.word, v.word);
	assert_string_equal(got.level, v.level);
	assert_string_equal(got.detail, v.detail);
	assert_string_equal(got.hint, v.hint);
	assert_string_equal(got.ccbin, v.ccbin);
	assert_int_equal(strlen(got.date), strlen("2025-01-01T00:00:00Z"));
	put("verdict.json", "{\"format\": 1, \"verdict\": 5}");
	assert_false(verdict_read(top, &got));
	assert_string_equal(got.word, "");
}

static void test_verdict_good(void **state)
{
	assert_true(verdict_good(&(struct verdict){.word = "ok"}));
	assert_true(verdict_good(&(struct verdict){.word = "compiled"}));
	assert_true(verdict_good(&(struct verdict){.word = "files-ok"}));
	assert_false(verdict_good(&(struct verdict){.word = "tree-incomplete"}));
	assert_false(verdict_good(&(struct verdict){0}));
}

static void test_missing_prefix(void **state)
{
	struct err err;
	struct record r = sample();
	autofree char *path = xasprintf("%s/none", top);
	assert_false(record_write(path, &r, &err));
	assert_int_equal(err.code, ERR_FILESYSTEM);
	assert_int_equal(access(path, F_OK), -1);
	record_clear(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_round_trip, setup, teardown),
		cmocka_unit_test_setup_teardown(test_modes_and_secrets, setup, teardown),
		cmocka_unit_test_setup_teardown(test_not_ours, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bad_records, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unknown_source, setup, teardown),
		cmocka_unit_test_setup_teardown(test_verdict, setup, teardown),
		cmocka_unit_test_setup_teardown(test_verdict_good, setup, teardown),
		cmocka_unit_test_setup_teardown(test_missing_prefix, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
