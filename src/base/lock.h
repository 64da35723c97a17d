#pragma once
/* One lock file, flock, never deleted. It holds the pid of its holder, for the message. */
#include <stdbool.h>

#include "base/err.h"

struct lock {
	int fd; /* -1: not held */
};
#define LOCK_INIT ((struct lock){.fd = -1})

/*
 * Tries at once; then, where it may wait, calls notice(ctx, holder) once (holder: "pid 123" or
 * "another process") and waits at most wait_s seconds. ERR_LOCKED names the holder. The lock ends with the process as well.
 */
typedef void lock_notice_fn(void *ctx, const char *holder);
must_check bool lock_take(struct lock *l, const char *path, int wait_s, lock_notice_fn *notice,
			  void *ctx, struct err *err);
void lock_release(struct lock *l);
#define autolock __attribute__((cleanup(lock_release)))
