#pragma once
/*
 * SIGINT, SIGTERM and SIGHUP set a flag; loops ask for it and unwind. A second one kills. One that the
 * caller had ignored (nohup, a script's background job) stays ignored.
 */
#include <stdbool.h>

#include "base/err.h"

void intr_install(void);
bool intr_pending(void);
/* false with ERR_INTERRUPTED when a signal came. */
must_check bool intr_check(struct err *err);
