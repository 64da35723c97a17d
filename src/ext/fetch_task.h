#pragma once
/* One file on its way: which mirror is asked when, the part on disk, and when it counts as fetched. */
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/event.h"
#include "ext/fetch_mirror.h"
#include "ext/fetch_part.h"
#include "ext/fetch_transfer.h"

struct fetch_answer;
struct fetch_job;
struct fetch_opts;

enum task_state {
	TASK_NEW,   /* needs a slot to look at what is on disk */
	TASK_WHOLE, /* hashes the final file that is there */
	TASK_PART,  /* hashes the part */
	TASK_WAIT,  /* asks the chosen mirror when `due` has come */
	TASK_BUSY,  /* another process has the part: TASK_NEW when `due` has come */
	TASK_READY, /* the transfer may run */
	TASK_RUNNING,
	TASK_DONE,
	TASK_FAILED,
};

struct task {
	struct fetch_job *job; /* a file */
	const char *name;      /* for events */
	const char *sha256;    /* NULL: not known */
	const struct fetch_opts *o;

	enum task_state state;
	uint64_t due; /* ms */
	struct mirrors mirrors;
	struct part part;
	struct transfer transfer;
	int tries;	/* failures in a row that brought nothing */
	int wrong;	/* whole files with a wrong digest */
	bool old_bytes; /* the part holds bytes of an earlier run */
	bool told_busy;
	uint64_t most; /* longest the part ever was */
	uint64_t shown, shown_at;
	uint64_t told; /* bytes on disk that the owner knows of */
	unsigned told_resets;
	bool restarted; /* he knows of bytes of another file */
	uint64_t whole; /* size of the final file */
	bool turns;	/* others wait for the only slot */
	bool turned;	/* waits for its next turn */
	bool no_turns;	/* the server cannot, or its bytes are used as fast as they come */
	struct err err;
};

/* job or answer, not both. */
void task_init_file(struct task *t, struct fetch_job *job, const struct fetch_opts *o,
		    struct hosts *hosts);
void task_init_memory(struct task *t, const char *url, const char *accept, struct fetch_answer *a,
		      const struct fetch_opts *o, struct hosts *hosts);
void task_clear(struct task *t);

/* One piece of work that needs no network. Brings NEW, WHOLE, PART and due WAIT, BUSY on. */
void task_step(struct task *t, uint64_t now);

/* curl is through with the handle of a RUNNING task. */
void task_ended(struct task *t, CURLcode code, uint64_t now);

/* Tells how much is there, at most ten times a second. */
void task_show(struct task *t, uint64_t now);

/* Tells the job's owner what is on disk, if that is news. */
void task_tell(struct task *t, void *ctx);
/* Before he hears that it is whole: what he knows may be void. */
void task_tell_whole(struct task *t, void *ctx);

/* fetch_turn.c. How much came that is not used yet, in steps that matter. */
uint64_t task_behind(const struct task *t, void *ctx);
/* After a turn: whether more are of use. */
void task_turned(struct task *t, void *ctx);
/* Where the next request ends; 0: at the end of the file. */
uint64_t task_turn_end(const struct task *t);

/* Between fetch_task.c and fetch_check.c. */
void task_emit(struct task *t, enum event_kind kind, const char *text, uint64_t done,
	       uint64_t total);
void task_fail(struct task *t, const struct err *err);
/* TASK_WAIT for the mirror to ask next, in turn from `from`, or TASK_FAILED. */
void task_choose(struct task *t, size_t from);
/* The part is whole and right. */
void task_done(struct task *t);
/* The part begins anew; false: TASK_FAILED. */
bool task_reset(struct task *t);
bool task_digest_right(const struct task *t);
/* NEW: what is on disk? Then WHOLE or PART, each piece by piece. */
void task_look(struct task *t, uint64_t now);
void task_check_whole(struct task *t, uint64_t now);
void task_check_part(struct task *t);
