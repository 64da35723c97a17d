#pragma once
/*
 * Downloads over http, https and file, several at once (libcurl). A file counts as fetched after curl's
 * code, the HTTP status, the length and the digest were right and it was synced and renamed, in this order.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/event.h"

struct fetch_opts {
	int jobs;	   /* transfers at once; 0: 4, of pages 8 */
	int retries;	   /* failures in a row that may pass and brought nothing; 0: 5 */
	int retry_wait_ms; /* first wait, doubled each time; 0: 1000 (tests set less) */
	int low_speed_s;   /* seconds under 1 KiB/s that count as a stall; 0: 30 */
	bool quick;   /* somebody else may serve: 5 s to connect, no second try after a timeout */
	bool offline; /* any network URL fails with ERR_NETWORK that says so; file:// works */
	const char *ca_file; /* NULL: curl's default (and SSL_CERT_FILE) */
	const char *netrc;   /* NULL: NETRC, else ~/.netrc */
	const char *proxy;   /* URL; "": none; NULL: what the proxy variables say */
	uint64_t turn;	     /* bytes, see `behind`; 0: 16 MiB (tests set less) */
	const struct events *events;
	const atomic_bool
		*cancel; /* when it becomes true all is stopped; err->code is ERR_NONE then */
};

struct fetch_job {
	const char *name;	    /* for events and messages */
	const struct strlist *urls; /* the same file on several mirrors, tried in order */
	const char *dest;	    /* final path; dest + ".part" while not whole */
	const char *sha256;	    /* lower-case hex; NULL: not known */
	uint64_t size;		    /* 0: not known */
	uint64_t max;		    /* more than this is refused; 0: size, or 16 GiB */
	void *user;		    /* the caller's */
	/*
	 * May be NULL. `bytes` of the file lie at path now, told as it grows; restarted: what lay there when this
	 * was told before is void. Only `done` says that the bytes are right. ctx is that of fetch_run.
	 */
	void (*arrived)(void *ctx, struct fetch_job *job, const char *path, uint64_t bytes,
			bool restarted);
	/*
	 * May be NULL. Bytes that were told and not used yet. Where one transfer runs at once and its bytes come
	 * faster than they are used, two files come in turns, so that those of both are used meanwhile.
	 */
	uint64_t (*behind)(void *ctx, struct fetch_job *job);
	bool ok; /* set when whole; err otherwise */
	struct err err;
};

/*
 * Runs all jobs. done (may be NULL) is called on this thread as each one is whole, so that unpacking can
 * start while others still arrive. After a failure those in flight are stopped (their parts are kept; their
 * err.code is ERR_NONE), and the first error is returned. A dest that is there already with the right size and
 * digest is not fetched.
 */
typedef void fetch_done_fn(void *ctx, struct fetch_job *job);
must_check bool fetch_run(struct fetch_job *jobs, size_t n, const struct fetch_opts *o,
			  fetch_done_fn *done, void *ctx, struct err *err);

struct fetch_answer {
	struct buf body; /* set max before the call */
	char content_type[128];
	char url[4096]; /* after redirects, without credentials: a base for relative links */
	long status;	/* HTTP status; 0 for file:// */
};
struct fetch_page {
	const char *url, *accept;   /* accept: header value or NULL */
	struct fetch_answer answer; /* set body.max before the call; fetch_answer_clear it after */
	bool ok;
	struct err err; /* where it is not ok */
};
/*
 * Small answers into memory, side by side and over one connection where the server can (HTTP/2), with the
 * same retries. A page that fails does not end the others; false only when interrupted or out of
 * resources. 404 and 410 are ERR_NETWORK with err.sys == ENOENT, so that a caller can try the next index;
 * 401 and 403 have EACCES.
 */
must_check bool fetch_pages(struct fetch_page *pages, size_t n, const struct fetch_opts *o,
			    struct err *err);
/* One of them. */
must_check bool fetch_memory(const char *url, const char *accept, const struct fetch_opts *o,
			     struct fetch_answer *a, struct err *err);
void fetch_answer_clear(struct fetch_answer *a);

/* url for messages, with "***@" for any user:password@ and "?***" for a query. The caller frees. */
char *fetch_mask(const char *url);
