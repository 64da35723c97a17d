#pragma once
/* The lock of the root, for a command that changes it only sometimes; the others say NEED_LOCK. */
#include <stdbool.h>

#include "base/err.h"
#include "base/lock.h"

struct app;

/* Creates the root where it is not there. Says so when it has to wait; CUDAENV_LOCK_WAIT seconds at most. */
must_check bool app_lock(struct app *app, struct lock *lock, struct err *err);
