#pragma once
/* The loop over all tasks of a call: slots, network, signals. */
#include <curl/curl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "ext/fetch.h"

struct task;

struct run {
	CURLM *multi;
	struct task *tasks;
	size_t n;
	int jobs;
	fetch_done_fn *done;
	void *ctx;
	const atomic_bool *cancel; /* may be NULL */
	bool apart;		   /* a failure ends that task alone */
	bool failed;
	struct err err;
};

/* Until each task is through, one failed (unless they stand apart), or a signal came. */
void run_all(struct run *r);
/* Stops what still runs and clears all tasks; parts are kept. false: *err is the first error. */
must_check bool run_end(struct run *r, struct err *err);
