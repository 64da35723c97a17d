#include "scratch.h"

#include <signal.h>

#include "base/buf.h"
#include "base/intr.h"
#include "base/io.h"
#include "base/lock.h"

struct notices {
	int n;
	char holder[80];
};

static void notice(void *ctx, const char *holder)
{
	struct notices *s = ctx;
	s->n++;
	snprintf(s->holder, sizeof s->holder, "%s", holder);
}

static void taken_and_given_back(void **state)
{
	struct err e;
	struct lock a = LOCK_INIT, b = LOCK_INIT;
	struct notices s = {0};
	char want[80];
	snprintf(want, sizeof want, "pid %ld", (long)getpid());

	assert_true(lock_take(&a, "lock", 0, notice, &s, &e));
	assert_true(a.fd >= 0);
	assert_true(fcntl(a.fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(s.n, 0);

	/* No waiting: no notice, the error names the holder. */
	assert_false(lock_take(&b, "lock", 0, notice, &s, &e));
	assert_int_equal(e.code, ERR_LOCKED);
	assert_int_equal(s.n, 0);
	assert_int_equal(b.fd, -1);
	assert_non_null(strstr(e.msg, want));
	assert_non_null(strstr(e.msg, "'lock'"));
	assert_true(e.hint[0]);

	lock_release(&a);
	assert_int_equal(a.fd, -1);
	lock_release(&a);
	assert_true(lock_take(&b, "lock", 0, NULL, NULL, &e));
	lock_release(&b);
	assert_int_equal(access("lock", F_OK), 0);
}

/* Holds the lock in a child until told to end; *go is the telling end. */
static pid_t holder(int *go, bool write_pid)
{
	int ready[2], end[2];
	char c;
	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	assert_int_equal(pipe2(end, O_CLOEXEC), 0);
	pid_t pid = fork();
	if (pid == 0) {
		struct err e;
		struct lock l = LOCK_INIT;
		close(end[1]);
		if (!lock_take(&l, "lock", 0, NULL, NULL, &e))
			_exit(1);
		if (!write_pid && ftruncate(l.fd, 0) < 0)
			_exit(2);
		if (write(ready[1], "", 1) != 1 || read(end[0], &c, 1) < 0)
			_exit(3);
		usleep(250000);
		_exit(0);
	}
	close(end[0]);
	close(ready[1]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	*go = end[1];
	return pid;
}

static void waits_for_the_holder(void **state)
{
	struct err e;
	struct lock l = LOCK_INIT;
	struct notices s = {0};
	char want[80];
	int go, status;
	pid_t pid = holder(&go, true);
	snprintf(want, sizeof want, "pid %ld", (long)pid);
	close(go);
	assert_true(lock_take(&l, "lock", 60, notice, &s, &e));
	assert_int_equal(s.n, 1);
	assert_string_equal(s.holder, want);
	lock_release(&l);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void a_nameless_holder_and_an_end_of_patience(void **state)
{
	struct err e;
	struct lock l = LOCK_INIT;
	struct notices s = {0};
	int go;
	pid_t pid = holder(&go, false);
	assert_false(lock_take(&l, "lock", 1, notice, &s, &e));
	assert_int_equal(e.code, ERR_LOCKED);
	assert_int_equal(s.n, 1);
	assert_string_equal(s.holder, "another process");
	close(go);
	waitpid(pid, NULL, 0);
}

/* kill -9 leaves the file with a stale pid, but no lock. */
static void a_killed_holder_is_no_holder(void **state)
{
	struct err e;
	struct lock l = LOCK_INIT;
	struct notices s = {0};
	int go;
	autobuf struct buf text = BUF_INIT(100);
	pid_t pid = holder(&go, true);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(go);
	assert_true(lock_take(&l, "lock", 0, notice, &s, &e));
	assert_int_equal(s.n, 0);
	assert_true(io_read_file("lock", &text, &e));
	assert_int_equal(strtol(buf_str(&text), NULL, 10), getpid());
	lock_release(&l);
}

static int interrupted_while_waiting(void)
{
	struct err e;
	struct lock l = LOCK_INIT;
	intr_install();
	signal(SIGALRM, SIG_IGN);
	pid_t me = getpid();
	if (fork() == 0) {
		usleep(150000);
		kill(me, SIGINT);
		_exit(0);
	}
	if (lock_take(&l, "lock", 600, NULL, NULL, &e))
		return 1;
	return e.code == ERR_INTERRUPTED ? 0 : 2;
}

static void waiting_can_be_interrupted(void **state)
{
	struct err e;
	struct lock l = LOCK_INIT;
	assert_true(lock_take(&l, "lock", 0, NULL, NULL, &e));
	assert_int_equal(scratch_fork(interrupted_while_waiting, false), 0);
	lock_release(&l);
}

static void cannot_be_opened(void **state)
{
	struct err e;
	struct lock l = LOCK_INIT;
	assert_false(lock_take(&l, "none/lock", 0, NULL, NULL, &e));
	assert_int_equal(e.code, ERR_FILESYSTEM);
	assert_int_equal(e.sys, ENOENT);
	assert_int_equal(l.fd, -1);
	/* What a link in its place leads to stays as it is. */
	scratch_file("precious", "text");
	assert_int_equal(symlink("precious", "lock"), 0);
	assert_false(lock_take(&l, "lock", 0, NULL, NULL, &e));
	assert_int_equal(e.sys, ELOOP);
	struct stat st;
	assert_int_equal(stat("precious", &st), 0);
	assert_int_equal(st.st_size, 4);
}

#define SCRATCH(f) cmocka_unit_test_setup_teardown(f, scratch_enter, scratch_leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCRATCH(taken_and_given_back),
		SCRATCH(waits_for_the_holder),
		SCRATCH(a_nameless_holder_and_an_end_of_patience),
		SCRATCH(a_killed_holder_is_no_holder),
		SCRATCH(waiting_can_be_interrupted),
		SCRATCH(cannot_be_opened),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
