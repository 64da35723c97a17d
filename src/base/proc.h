#pragma once
/* Child processes: argv arrays, stdin from /dev/null, output captured with a cap, a deadline. */
#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

struct proc {
	const char *const *argv; /* argv[0] is looked up on PATH unless it has a slash */
	const char *const *env;	 /* NULL: this process's environment */
	const char *cwd;	 /* NULL: unchanged */
	/* 0: none; the process group is killed when it passes. One that the kernel keeps is not waited for. */
	int deadline_ms;
	size_t max_output; /* of each stream, 0: 1 MiB; more is read and thrown away */
};

struct proc_result {
	int status; /* exit status; -1 when ended by a signal */
	int signal; /* 0 or the signal */
	bool timed_out;
	struct buf out, err;
};

/*
 * Runs to the end. false only when it could not be started (err->sys says why) or was interrupted:
 * a child that fails is a result, not an error.
 */
must_check bool proc_run(const struct proc *p, struct proc_result *r, struct err *err);
void proc_result_clear(struct proc_result *r);
#define autoproc __attribute__((cleanup(proc_result_clear)))

/* "exit status 2", "killed by signal 9 (Killed)", "no end before the deadline": for messages. */
const char *proc_result_words(const struct proc_result *r, char *out, size_t cap);
