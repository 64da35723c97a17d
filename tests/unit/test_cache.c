#include "core/cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/tree.h"

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static char dir[] = "/tmp/cache.XXXXXX";

static int setup(void **state)
{
	memcpy(dir + sizeof dir - 7, "XXXXXX", 6);
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	struct err err;
	return tree_remove(dir, &err) ? 0 : -1;
}

static void make(const char *name, size_t n)
{
	autofree char *path = xasprintf("%s/%s", dir, name);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	for (size_t i = 0; i < n; i++)
		fputc('x', f);
	fclose(f);
}

static bool there(const char *name)
{
	struct stat st;
	autofree char *path = xasprintf("%s/%s", dir, name);
	return lstat(path, &st) == 0;
}

static void paths(void **state)
{
	static const char *const cases[][2] = {
		{"x.whl", "x.whl"},   {"a/b/x.whl", "x.whl"},
		{"../../x", "x"},     {".hidden", "_hidden"},
		{"..", "_."},	      {"", "_"},
		{"a/", "_"},	      {"a\nb\x1b", "a_b_"},
		{"x.part", "x.part"},
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		autofree char *want = xasprintf("/c/%s.%s", A, cases[i][1]);
		autofree char *path = cache_path("/c", A, cases[i][0]);
		assert_string_equal(path, want);
	}
}

/* The longest name still is one file name with ".part", and its end is kept. */
static void long_name(void **state)
{
	char name[1000];
	memset(name, 'n', sizeof name);
	memcpy(name + sizeof name - 5, ".whl", 5);
	autofree char *path = cache_path("/c", A, name);
	assert_true(strlen(path) < strlen("/c/") + 255 - strlen(".part"));
	assert_string_equal(path + strlen(path) - 4, ".whl");
}

static void listed(void **state)
{
	struct err err;
	struct cache_list l;
	make(B ".alpha.whl", 3);
	make(A ".beta.whl.part", 7);
	make(A ".alpha.whl", 5);
	make(A ".beta.whl", 1);
	/* not ours */
	make("notes.txt", 9);
	make(A, 9);
	make(A ".", 9);
	make(A ".part", 9);
	make("A" A ".x", 9);
	autofree char *folder = xasprintf("%s/%s.folder", dir, A);
	mkdir(folder, 0755);
	autofree char *link = xasprintf("%s/%s.link", dir, A);
	assert_int_equal(symlink("/etc/passwd", link), 0);

	assert_true(cache_read(dir, &l, &err));
	static const struct {
		const char *file, *sha256;
		uint64_t size;
		bool part;
	} want[] = {{"alpha.whl", A, 5, false},
		    {"alpha.whl", B, 3, false},
		    {"beta.whl", A, 1, false},
		    {"beta.whl", A, 7, true},
		    {"part", A, 9, false}};
	assert_int_equal(l.n, ARRAY_LEN(want));
	for (size_t i = 0; i < l.n; i++) {
		assert_string_equal(l.entries[i].file, want[i].file);
		assert_string_equal(l.entries[i].sha256, want[i].sha256);
		assert_int_equal(l.entries[i].size, want[i].size);
		assert_int_equal(l.entries[i].part, want[i].part);
	}
	cache_list_clear(&l);
	cache_list_clear(&l);

	uint64_t freed = 0;
	assert_true(cache_clear(dir, &freed, &err));
	assert_int_equal(freed, 5 + 3 + 1 + 7 + 9);
	assert_true(there("notes.txt") && there(A) && there("A" A ".x") && there(A ".folder") &&
		    there(A ".link"));
	assert_false(there(A ".alpha.whl") || there(A ".beta.whl.part"));
	assert_true(cache_clear(dir, &freed, &err));
	assert_int_equal(freed, 0);
}

static void missing(void **state)
{
	struct err err;
	struct cache_list l = {0};
	uint64_t freed = 1;
	assert_true(cache_read("/nonexistent/cache", &l, &err));
	assert_int_equal(l.n, 0);
	assert_true(cache_clear("/nonexistent/cache", &freed, &err));
	assert_int_equal(freed, 0);
	/* a file in its place */
	make("file", 1);
	autofree char *path = xasprintf("%s/file", dir);
	freed = 42;
	assert_false(cache_read(path, &l, &err));
	assert_int_equal(err.code, ERR_FILESYSTEM);
	assert_false(cache_clear(path, &freed, &err));
	assert_int_equal(freed, 42);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths),
		cmocka_unit_test(long_name),
		cmocka_unit_test_setup_teardown(listed, setup, teardown),
		cmocka_unit_test_setup_teardown(missing, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
