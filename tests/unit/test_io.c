#include "scratch.h"

#include <signal.h>

#include "base/io.h"

static void reads_up_to_the_maximum(void **state)
{
	struct err e;
	autobuf struct buf b = BUF_INIT(5);
	scratch_file("five", "12345");
	scratch_file("six", "123456");
	scratch_file("empty", "");
	assert_true(io_read_file("five", &b, &e));
	assert_string_equal(buf_str(&b), "12345");
	buf_clear(&b);
	assert_true(io_read_file("empty", &b, &e));
	assert_int_equal(b.len, 0);
	assert_false(io_read_file("six", &b, &e));
	assert_int_equal(e.code, ERR_FILESYSTEM);
	assert_string_equal(e.msg, "'six' is longer than 5 bytes");
}

static void appends_and_leaves_alone_on_failure(void **state)
{
	struct err e;
	autobuf struct buf b = BUF_INIT(40000);
	FILE *f = fopen("long", "w");
	assert_non_null(f);
	for (int i = 0; i < 50000; i++)
		fputc('x', f);
	fclose(f);
	assert_true(buf_adds(&b, "before"));
	assert_false(io_read_file("long", &b, &e));
	assert_string_equal(buf_str(&b), "before");
	assert_false(b.full);
	scratch_file("short", "+after");
	assert_true(io_read_file("short", &b, &e));
	assert_string_equal(buf_str(&b), "before+after");
}

static void only_regular_files(void **state)
{
	struct err e;
	autobuf struct buf b = BUF_INIT(100);
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(mkdir("folder", 0700), 0);
	assert_int_equal(symlink("/dev/zero", "endless"), 0);
	assert_int_equal(symlink("loop", "loop"), 0);
	static const char *const names[] = {"fifo", "folder", "endless", "/dev/null"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		assert_false(io_read_file(names[i], &b, &e));
		assert_int_equal(e.code, ERR_FILESYSTEM);
		assert_non_null(strstr(e.msg, names[i]));
		assert_non_null(strstr(e.msg, "not a regular file"));
	}
	assert_false(io_read_file("none", &b, &e));
	assert_int_equal(e.sys, ENOENT);
	assert_false(io_read_file("loop", &b, &e));
	assert_int_equal(e.sys, ELOOP);
}

/* A pipe that takes little at a time and a signal that keeps coming. */
static void ignore(int sig)
{
	(void)sig;
}

static void writes_across_interruptions(void **state)
{
	enum { SIZE = 1 << 20 };
	autofree char *data = xmalloc(SIZE), *back = xmalloc(SIZE);
	int p[2];
	for (int i = 0; i < SIZE; i++)
		data[i] = (char)(i * 7);
	assert_int_equal(pipe(p), 0);
	struct sigaction sa = {.sa_handler = ignore}, old;
	sigaction(SIGALRM, &sa, &old);
	pid_t pid = fork();
	if (pid == 0) {
		close(p[0]);
		ualarm(2000, 2000);
		_exit(io_write_all(p[1], data, SIZE) ? 0 : 1);
	}
	close(p[1]);
	size_t got = 0;
	for (ssize_t n; (n = read(p[0], back + got, SIZE - got < 9999 ? SIZE - got : 9999)) > 0;) {
		got += (size_t)n;
		usleep(300);
	}
	int status;
	waitpid(pid, &status, 0);
	close(p[0]);
	sigaction(SIGALRM, &old, NULL);
	assert_int_equal(status, 0);
	assert_int_equal(got, SIZE);
	assert_memory_equal(data, back, SIZE);
}

static void write_errors(void **state)
{
	autoclose int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	assert_false(io_write_all(full, "x", 1));
	assert_int_equal(errno, ENOSPC);
	assert_true(io_write_all(full, "", 0));
	assert_false(io_write_all(-1, "x", 1));
	assert_int_equal(errno, EBADF);
}

static void pread_to_the_end(void **state)
{
	char b[16];
	scratch_file("digits", "0123456789");
	autoclose int fd = open("digits", O_RDONLY | O_CLOEXEC);
	assert_int_equal(io_pread_all(fd, b, 4, 3), 4);
	assert_memory_equal(b, "3456", 4);
	assert_int_equal(io_pread_all(fd, b, sizeof b, 8), 2);
	assert_int_equal(io_pread_all(fd, b, sizeof b, 100), 0);
	assert_int_equal(io_pread_all(fd, b, 1, -5), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reads_up_to_the_maximum, scratch_enter,
						scratch_leave),
		cmocka_unit_test_setup_teardown(appends_and_leaves_alone_on_failure, scratch_enter,
						scratch_leave),
		cmocka_unit_test_setup_teardown(only_regular_files, scratch_enter, scratch_leave),
		cmocka_unit_test(writes_across_interruptions),
		cmocka_unit_test(write_errors),
		cmocka_unit_test_setup_teardown(pread_to_the_end, scratch_enter, scratch_leave),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
