#include "scratch.h"

#include "base/io.h"
#include "core/rcfile.h"

static void assert_text(const char *text)
{
	struct err e;
	autobuf struct buf b = BUF_INIT(10000);
	assert_true(io_read_file("rc", &b, &e));
	assert_string_equal(buf_str(&b), text);
}

static bool block(const char *text)
{
	struct err e;
	bool changed = false;
	assert_true(rcfile_block("rc", text, &changed, &e));
	return changed;
}

/* In, in again, in with other lines, out: the bytes of before. */
static void comes_and_goes(void **state)
{
	static const char *const files[] = {
		"",	  "a\n",  "a",	   "a\n\n", "\n",	   "a\r\n",
		"a\r\nb", "a \\", "a\n\r", "\\\n",  "# >>> x >>>", "# <<< cudaenv <<<",
	};
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		scratch_file("rc", files[i]);
		assert_true(block("one\n"));
		assert_false(block("one\n"));
		assert_true(block("two\nthree\n"));
		assert_true(block(NULL));
		assert_text(files[i]);
		assert_false(block(NULL));
		assert_text(files[i]);
	}
}

static void keeps_what_is_around(void **state)
{
	scratch_file("rc", "a");
	assert_true(block("one\n"));
	autobuf struct buf b = BUF_INIT(10000);
	struct err e;
	assert_true(io_read_file("rc", &b, &e));
	assert_true(buf_adds(&b, "later"));
	scratch_file("rc", buf_str(&b));
	assert_true(block("two\n"));
	assert_true(block(NULL));
	assert_text("a\nlater");

	scratch_file(
		"rc",
		"a\n# >>> cudaenv >>>\nx\n# <<< cudaenv <<<\nb\n# >>> cudaenv >>>\r\n# <<< cudaenv "
		"<<<\r\nc");
	assert_true(block("one\n"));
	assert_text("a\n# >>> cudaenv >>>\none\n# <<< cudaenv <<<\nb\nc");
	assert_true(block(NULL));
	assert_text("a\nb\nc");
}

static void refuses(void **state)
{
	static const char half[] = "a\n# >>> cudaenv >>>\nb\n";
	struct err e;
	bool changed = false;
	scratch_file("rc", half);
	assert_false(rcfile_block("rc", "one\n", &changed, &e));
	assert_int_equal(e.code, ERR_FAILED);
	assert_false(rcfile_block("rc", NULL, &changed, &e));
	assert_text(half);

	/* A link stays a link. */
	assert_int_equal(symlink("nowhere", "link"), 0);
	assert_false(rcfile_block("link", "one\n", &changed, &e));
	assert_int_equal(e.code, ERR_FILESYSTEM);
	assert_non_null(strstr(e.msg, "not there"));
	assert_true(rcfile_block("link", NULL, &changed, &e));
	assert_false(changed);
	assert_int_equal(access("nowhere", F_OK), -1);
	scratch_file("rc", "a\n");
	assert_int_equal(symlink("rc", "good"), 0);
	assert_true(rcfile_block("good", "one\n", &changed, &e));
	assert_true(changed);
	assert_int_equal(readlink("good", (char[8]){0}, 8), 2);
}

static int in_a_closed_file(void)
{
	struct err e;
	bool changed = false;
	return !rcfile_block("rc", "one\n", &changed, &e) && e.code == ERR_FILESYSTEM ? 0 : 1;
}

/* Although the folder would allow it to be replaced. */
static void heeds_modes(void **state)
{
	scratch_file("rc", "a\n");
	assert_int_equal(chmod("rc", 0444), 0);
	assert_int_equal(scratch_fork(in_a_closed_file, true), 0);
	assert_text("a\n");
}

#define SCRATCH(f) cmocka_unit_test_setup_teardown(f, scratch_enter, scratch_leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRATCH(comes_and_goes),
		SCRATCH(keeps_what_is_around),
		SCRATCH(refuses),
		SCRATCH(heeds_modes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
