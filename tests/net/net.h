#pragma once
/* Tests of downloads: httpd.py with one file "f", a folder to fetch into, and what the server was asked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <cmocka.h>

#include "ext/fetch.h"

enum { NET_SIZE = 300000, NET_MIRRORS = 4 };

struct server {
	pid_t pid;
	int in, port;
};

struct net {
	char dir[64];
	char sha256[65];
	unsigned char data[NET_SIZE]; /* of "f" */
	struct server server;
};
extern struct net net;

/* Group set-up and tear-down. */
int net_setup(void **state);
int net_teardown(void **state);
/* Before each test: an empty folder, an empty log. */
int net_fresh(void **state);

/* A second server; options as for httpd.py, NULL-ended. */
void server_start(struct server *s, const char *const *options);
void server_stop(struct server *s);

/* "http://127.0.0.1:PORT/<mode>/f?N": a new URL at each call. Borrowed until 16 calls later. */
const char *net_url(const char *mode);
const char *net_path(const char *file); /* below dir; borrowed likewise */

void net_write(const char *file, const void *data, size_t n);
bool net_exists(const char *file);
off_t net_length(const char *file);

/* One fetch of "f" to dir/d. Fill in what differs from the usual before net_get. */
struct get {
	const char *urls[NET_MIRRORS + 1];
	const char *sha256; /* default: the right one; "": not known */
	uint64_t size;	    /* default: the right one */
	bool no_size;
	uint64_t max;
	struct fetch_opts o;
	int done_calls;
	struct err err;
	char retries[4096]; /* texts of EVENT_RETRY */
	int reused, notes;
	uint64_t last_done, last_total;
	event_fn *hook;
};
#define GET(...) ((struct get){.urls = {__VA_ARGS__}})
bool net_get(struct get *g);
/* net_get must do well and bring the file. */
void net_get_ok(struct get *g);
/* It must fail like that, leave no dest, and say all of these words (NULL-ended). */
void net_get_bad(struct get *g, enum err_code code, ...) __attribute__((sentinel));

/* In a process of its own, where g->hook raises a signal: it must end as interrupted, or be killed. */
void net_get_interrupted(struct get *g);
void net_get_killed(struct get *g);

/* The log: one entry a request that was answered. */
struct request {
	char path[512], range[64], user[64], host[64], accept[128], encoding[64], mode[32];
	long status, sent, connection;
	bool proxy;
};
size_t net_log(struct request *out, size_t max);
size_t net_log_of(const struct server *s, struct request *out, size_t max);
