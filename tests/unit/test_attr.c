#include "scratch.h"

static void clean_up_keeps_errno(void **state)
{
	errno = EXDEV;
	{
		autofree char *s = xstrdup("x");
		autoclose int closed = -1;
		autoclose int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
		autodir DIR *d = opendir("/");
		autodir DIR *none = NULL;
		assert_non_null(d);
		errno = EXDEV;
		(void)s, (void)fd, (void)closed, (void)none;
	}
	assert_int_equal(errno, EXDEV);
}

static void take_leaves_nothing_behind(void **state)
{
	char *s = xstrdup("x");
	autofree char *t = take_ptr(s);
	assert_null(s);
	assert_string_equal(t, "x");
	int fd = 7;
	assert_int_equal(take_fd(&fd), 7);
	assert_int_equal(fd, -1);
}

static void memory(void **state)
{
	autofree char *a = xmalloc(0);
	autofree char *b = xcalloc(0, 4);
	autofree char *c = xasprintf("%s-%d", "n", 4);
	autofree char *d = xstrndup("abcdef", 3);
	assert_non_null(a);
	assert_non_null(b);
	assert_string_equal(c, "n-4");
	assert_string_equal(d, "abc");
	a = xrealloc(a, 0);
	assert_non_null(a);
}

static int too_much(void)
{
	/* The sanitizers would stop here in their own way. */
	if (freopen("/dev/null", "w", stderr) == NULL)
		return 99;
	volatile size_t n = SIZE_MAX / 2;
	return xcalloc(n, 16) ? 98 : 97;
}

static void out_of_memory_ends_the_program(void **state)
{
	assert_int_equal(scratch_fork(too_much, false), 1);
}

static void arrays_grow_zeroed(void **state)
{
	struct pair {
		int a;
		char b[20];
	} *v = NULL;
	for (int i = 0; i < 1000; i++) {
		v = array_grow(v, (size_t)i, sizeof *v);
		for (size_t k = 0; k < sizeof v->b; k++)
			assert_int_equal(v[i].b[k], 0);
		v[i].a = i;
		memset(v[i].b, 0x55, sizeof v->b);
	}
	for (int i = 0; i < 1000; i++)
		assert_int_equal(v[i].a, i);
	free(v);
}

static void lists(void **state)
{
	autostrlist struct strlist l = {0};
	assert_false(strlist_has(&l, "a"));
	char name[] = "a";
	strlist_add(&l, name);
	name[0] = 'b';
	strlist_add(&l, "");
	assert_true(strlist_has(&l, "a"));
	assert_true(strlist_has(&l, ""));
	assert_false(strlist_has(&l, "b"));
	strlist_clear(&l);
	assert_int_equal(l.n, 0);
	strlist_clear(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clean_up_keeps_errno),
		cmocka_unit_test(take_leaves_nothing_behind),
		cmocka_unit_test(memory),
		cmocka_unit_test(out_of_memory_ends_the_program),
		cmocka_unit_test(arrays_grow_zeroed),
		cmocka_unit_test(lists),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
