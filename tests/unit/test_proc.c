#include "scratch.h"

#include <limits.h>
#include <signal.h>

#include "base/intr.h"
#include "base/proc.h"

static bool sh(const char *script, int deadline_ms, size_t max, struct proc_result *r,
	       struct err *e)
{
	const char *argv[] = {"/bin/sh", "-c", script, NULL};
	return proc_run(&(struct proc){.argv = argv, .deadline_ms = deadline_ms, .max_output = max},
			r, e);
}

static void streams_and_status(void **state)
{
	struct err e;
	char words[100];
	autoproc struct proc_result r = {0};
	assert_true(sh("echo out; echo err >&2; exit 3", 0, 0, &r, &e));
	assert_int_equal(r.status, 3);
	assert_int_equal(r.signal, 0);
	assert_false(r.timed_out);
	assert_string_equal(buf_str(&r.out), "out\n");
	assert_string_equal(buf_str(&r.err), "err\n");
	assert_string_equal(proc_result_words(&r, words, sizeof words), "exit status 3");
}

/* What waitpid says of a child that the kernel does not let go. */
static bool kept;
pid_t __real_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options)
{
	if (!kept)
		return __real_waitpid(pid, status, options);
	if (options & WNOHANG)
		return 0;
	fail_msg("waits for a child that never ends");
	return -1;
}

static void kept_by_the_kernel(void **state)
{
	struct err e;
	autoproc struct proc_result r = {0};
	kept = true;
	assert_true(sh("exec sleep 1000", 100, 0, &r, &e));
	kept = false;
	assert_true(r.timed_out);
	assert_int_equal(r.status, -1);
	assert_int_equal(r.signal, SIGKILL);
	assert_true(__real_waitpid(-1, NULL, 0) > 0);
}

static void killed(void **state)
{
	struct err e;
	char words[100];
	autoproc struct proc_result r = {0};
	assert_true(sh("kill -SEGV $$", 0, 0, &r, &e));
	assert_int_equal(r.status, -1);
	assert_int_equal(r.signal, SIGSEGV);
	assert_string_equal(proc_result_words(&r, words, sizeof words),
			    "killed by signal 11 (Segmentation fault)");
}

static void arguments_and_environment(void **state)
{
	struct err e;
	const char *argv[] = {"sh", "-c", "printf '%s|' \"$@\"; env", "-", "a  b", "", "*",
			      "$X", NULL};
	const char *env[] = {"X=1 2", NULL};
	autoproc struct proc_result r = {0};
	assert_true(proc_run(&(struct proc){.argv = argv, .env = env}, &r, &e));
	assert_memory_equal(buf_str(&r.out), "a  b||*|$X|", 11);
	assert_non_null(strstr(buf_str(&r.out), "X=1 2\n"));
	assert_null(strstr(buf_str(&r.out), "HOME="));
}

static void folder_and_input(void **state)
{
	struct err e;
	char want[PATH_MAX];
	const char *argv[] = {"sh", "-c", "pwd -P; cat", NULL};
	assert_int_equal(mkdir("a folder", 0700), 0);
	assert_non_null(realpath("a folder", want));
	autoproc struct proc_result r = {0};
	assert_true(proc_run(&(struct proc){.argv = argv, .cwd = "a folder"}, &r, &e));
	const char *end = strchr(buf_str(&r.out), '\n');
	assert_non_null(end);
	assert_int_equal(end - buf_str(&r.out), strlen(want));
	assert_memory_equal(buf_str(&r.out), want, strlen(want));

	assert_false(proc_run(&(struct proc){.argv = argv, .cwd = "none"}, &r, &e));
	assert_int_equal(e.sys, ENOENT);
}

static void cannot_start(void **state)
{
	struct err e;
	struct proc_result r = {.status = 77};
	const char *none[] = {"/nonexistent/x", NULL},
		   *not_there[] = {"no-such-program-here", NULL};
	const char *closed[] = {"./closed", NULL};
	scratch_file("closed", "#!/bin/sh\n");
	assert_false(proc_run(&(struct proc){.argv = none}, &r, &e));
	assert_int_equal(e.sys, ENOENT);
	assert_string_equal(e.msg, "cannot run '/nonexistent/x': No such file or directory");
	/* A folder on PATH that is closed to this user would make it EACCES. */
	autofree char *path = xstrdup(getenv("PATH"));
	setenv("PATH", "/usr/bin:/bin", 1);
	assert_false(proc_run(&(struct proc){.argv = not_there}, &r, &e));
	assert_int_equal(e.sys, ENOENT);
	setenv("PATH", path, 1);
	assert_false(proc_run(&(struct proc){.argv = closed}, &r, &e));
	assert_int_equal(e.sys, EACCES);
	assert_int_equal(r.status, 77);
}

static void more_than_the_maximum_is_thrown_away(void **state)
{
	struct err e;
	autoproc struct proc_result r = {0};
	assert_true(sh("head -c 3000000 /dev/zero | tr '\\0' x; head -c 300000 /dev/zero >&2", 0,
		       1000, &r, &e));
	assert_int_equal(r.status, 0);
	assert_int_equal(r.out.len, 1000);
	assert_true(r.out.full);
	assert_int_equal(r.err.len, 1000);
	autoproc struct proc_result exact = {0};
	assert_true(sh("printf 1234", 0, 4, &exact, &e));
	assert_false(exact.out.full);
}

/* What the killed group still had open would keep this test from ending. */
static void the_deadline_ends_all_of_it(void **state)
{
	struct err e;
	char words[100];
	autoproc struct proc_result r = {0};
	assert_true(sh("echo before; sleep 1000 & sleep 1000", 300, 0, &r, &e));
	assert_true(r.timed_out);
	assert_string_equal(buf_str(&r.out), "before\n");
	assert_string_equal(proc_result_words(&r, words, sizeof words),
			    "no end before the deadline");

	autoproc struct proc_result closed = {0};
	assert_true(sh("exec >&- 2>&-; sleep 1000", 300, 0, &closed, &e));
	assert_true(closed.timed_out);
}

static void closed_streams_are_not_the_end(void **state)
{
	struct err e;
	autoproc struct proc_result r = {0};
	assert_true(sh("echo x; exec >&- 2>&-; sleep 0.2; exit 5", 0, 0, &r, &e));
	assert_int_equal(r.status, 5);
	assert_string_equal(buf_str(&r.out), "x\n");
}

/* The program's end is the end, whatever it left running with its streams. */
static void a_process_left_behind_is_not_waited_for(void **state)
{
	struct err e;
	autoproc struct proc_result r = {0};
	assert_true(sh("sleep 1000 & echo $!; exit 4", 0, 0, &r, &e));
	assert_int_equal(r.status, 4);
	assert_false(r.timed_out);
	pid_t left = (pid_t)strtol(buf_str(&r.out), NULL, 10);
	assert_true(left > 1);
	assert_int_equal(kill(left, SIGKILL), 0);
}

static int interrupted(void)
{
	struct err e;
	struct proc_result r = {0};
	char script[100];
	intr_install();
	snprintf(script, sizeof script, "kill -INT %ld; sleep 1000", (long)getpid());
	if (sh(script, 0, 0, &r, &e))
		return 1;
	return e.code == ERR_INTERRUPTED ? 0 : 2;
}

static int without_standard_streams(void)
{
	struct err e;
	struct proc_result r = {0};
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	if (!sh("echo out; echo err >&2; cat; exit 6", 0, 0, &r, &e))
		return 1;
	return r.status == 6 && !strcmp(buf_str(&r.out), "out\n") &&
			       !strcmp(buf_str(&r.err), "err\n")
		       ? 0
		       : 2;
}

static int children_ignored(void)
{
	struct err e;
	struct proc_result r = {0};
	signal(SIGCHLD, SIG_IGN);
	if (!sh("exit 7", 0, 0, &r, &e))
		return 1;
	return r.status == 7 ? 0 : 2;
}

static int signals_blocked(void)
{
	struct err e;
	struct proc_result r = {0};
	sigset_t all;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	signal(SIGTERM, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	if (!sh("kill -TERM $$; exit 0", 0, 0, &r, &e))
		return 1;
	return r.signal == SIGTERM ? 0 : 2;
}

static void odd_callers(void **state)
{
	assert_int_equal(scratch_fork(interrupted, false), 0);
	assert_int_equal(scratch_fork(without_standard_streams, false), 0);
	assert_int_equal(scratch_fork(children_ignored, false), 0);
	assert_int_equal(scratch_fork(signals_blocked, false), 0);
}

#define SCRATCH(f) cmocka_unit_test_setup_teardown(f, scratch_enter, scratch_leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streams_and_status),
		cmocka_unit_test(killed),
		cmocka_unit_test(kept_by_the_kernel),
		cmocka_unit_test(arguments_and_environment),
		SCRATCH(folder_and_input),
		SCRATCH(cannot_start),
		cmocka_unit_test(more_than_the_maximum_is_thrown_away),
		cmocka_unit_test(the_deadline_ends_all_of_it),
		cmocka_unit_test(closed_streams_are_not_the_end),
		cmocka_unit_test(a_process_left_behind_is_not_waited_for),
		cmocka_unit_test(odd_callers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
