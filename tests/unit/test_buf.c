#include "scratch.h"

#include "base/buf.h"

static void grows_up_to_its_maximum(void **state)
{
	autobuf struct buf b = BUF_INIT(10);
	assert_string_equal(buf_str(&b), "");
	assert_true(buf_adds(&b, "abc"));
	assert_true(buf_addc(&b, 'd'));
	assert_true(buf_addf(&b, "%03d", 7));
	assert_true(buf_adds(&b, "xyz"));
	assert_string_equal(buf_str(&b), "abcd007xyz");
	assert_int_equal(b.len, 10);
	assert_false(b.full);
	assert_true(buf_add(&b, "", 0));

	assert_false(buf_addc(&b, 'e'));
	assert_true(b.full);
	assert_string_equal(buf_str(&b), "abcd007xyz");
	assert_false(buf_addf(&b, "%s", "more"));
	assert_false(buf_add(&b, "x", SIZE_MAX));
	assert_int_equal(b.len, 10);

	buf_clear(&b);
	assert_false(b.full);
	assert_int_equal(b.max, 10);
	assert_true(buf_adds(&b, "again"));
}

static void large_and_binary(void **state)
{
	autobuf struct buf b = BUF_INIT(1 << 20);
	for (int i = 0; i < 100000; i++)
		assert_true(buf_add(&b, "\0\377\n", 3));
	assert_int_equal(b.len, 300000);
	assert_int_equal(b.data[b.len], 0);
	assert_memory_equal(b.data + 299997, "\0\377\n", 3);
}

static void take(void **state)
{
	struct buf b = BUF_INIT(5);
	autofree char *empty = buf_take(&b);
	assert_string_equal(empty, "");
	assert_true(buf_adds(&b, "12345"));
	assert_false(buf_addc(&b, '6'));
	autofree char *s = buf_take(&b);
	assert_string_equal(s, "12345");
	assert_null(b.data);
	assert_false(b.full);
	assert_true(buf_addc(&b, '6'));
	buf_clear(&b);
}

static void nothing_fits_in_nothing(void **state)
{
	autobuf struct buf b = BUF_INIT(0);
	assert_true(buf_adds(&b, ""));
	assert_false(buf_addc(&b, 'x'));
	assert_string_equal(buf_str(&b), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grows_up_to_its_maximum),
		cmocka_unit_test(large_and_binary),
		cmocka_unit_test(take),
		cmocka_unit_test(nothing_fits_in_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
