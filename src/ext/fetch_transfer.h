#pragma once
/* One request for one URL, with its redirects: a curl handle, where the body goes, and how it ended. */
#include <curl/curl.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/err.h"

struct fetch_opts;
struct part;

enum transfer_result {
	TRANSFER_DONE,	  /* the body is there; its digest was not looked at */
	TRANSFER_TURN,	  /* so is a part of it, as asked */
	TRANSFER_HOP,	  /* a redirect: run the handle again */
	TRANSFER_FRESH,	  /* this server cannot continue the part: ask for the whole, at once */
	TRANSFER_RETRY,	  /* may go better later */
	TRANSFER_REFUSED, /* this URL will not serve */
	TRANSFER_FATAL,	  /* no URL will: disk, interruption */
};

struct transfer {
	/* set by the owner before transfer_init */
	const struct fetch_opts *o;
	const char *accept; /* may be NULL */
	struct part *part;  /* where the body goes: this one */
	struct buf *body;   /* or this one */
	uint64_t size, max; /* as in struct fetch_job; max is never 0 */
	bool digest_known;

	/* how it ended */
	struct err err;
	long retry_after; /* seconds, 0: not told */
	bool encoded;	  /* Content-Encoding although asked not to */

	/* its own */
	CURL *easy;
	struct curl_slist *headers;
	enum transfer_result result;
	const char *asked;   /* the URL as given, borrowed */
	char *url;	     /* of this hop, without credentials */
	char *origin;	     /* of this hop */
	struct strlist hops; /* URLs that redirected */
	uint64_t offset;     /* start of the range, 0: the whole */
	uint64_t end;	     /* of the range, 0: that of the file */
	char *content_range;
	bool judged, drop; /* the answer's headers were looked at; its body is of no use */
	uint64_t dropped;
	char head[64]; /* the body's first bytes until it is clear that they are no HTML page */
	size_t head_n;
	bool head_seen;
	bool stored; /* bytes of this answer went into the part */
	char errbuf[CURL_ERROR_SIZE];
};

must_check bool transfer_init(struct transfer *t, struct err *err);
void transfer_clear(struct transfer *t);

/*
 * Makes the handle ready to run; false: `result` and `err` say why not. offset > 0: the rest of the part.
 * end > 0: not beyond that, where the server can.
 */
bool transfer_start(struct transfer *t, const char *url, uint64_t offset, uint64_t end);

/* After curl is through with the handle. */
enum transfer_result transfer_end(struct transfer *t, CURLcode code);

/* fetch_request.c */
bool transfer_set_url(struct transfer *t, const char *url);

/* fetch_answer.c */
void transfer_new_answer(struct transfer *t);
size_t transfer_on_header(char *line, size_t size, size_t n, void *transfer);
size_t transfer_on_body(char *data, size_t size, size_t n, void *transfer);
/* The end of an answer that curl found whole. */
bool transfer_finish_body(struct transfer *t, long status);
/* What came before a cut is kept for the resume, but does not replace a longer part. */
void transfer_keep_body(struct transfer *t);
/* HTTP status, 0 for file://. */
long transfer_status(struct transfer *t);

/* fetch_fail.c: words and verdict. All return false. */
bool transfer_fail(struct transfer *t, enum transfer_result result, enum err_code code,
		   const char *fmt, ...) printf_like(4, 5);
bool transfer_fail_curl(struct transfer *t, CURLcode code);
bool transfer_fail_status(struct transfer *t, long status);
