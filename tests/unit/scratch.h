#pragma once
/* A private folder for one test, with a blank in its name; and what needs another user. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/attr.h"
#include "base/err.h"
#include "base/tree.h"

/* The working folder during a test; cmocka setup and teardown. */
static inline int scratch_enter(void **state)
{
	const char *tmp = getenv("TMPDIR");
	char *path = xasprintf("%s/cudaenv unit.XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(path) || chmod(path, 0777) < 0 || chdir(path) < 0)
		return -1;
	*state = path;
	return 0;
}

static inline int scratch_leave(void **state)
{
	struct err err;
	autofree char *path = *state;
	if (chdir("/") < 0 || !tree_remove(path, &err))
		return -1;
	return 0;
}

static inline void scratch_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* Runs fn in a child, as a user without rights when this is root; fn's value is the exit status. */
static inline int scratch_fork(int (*fn)(void), bool drop)
{
	int status;
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (drop && geteuid() == 0 &&
		    (setgroups(0, NULL) < 0 || setgid(65534) < 0 || setuid(65534) < 0))
			_exit(99);
		_exit(fn());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
