#pragma once
/*
 * A file that is arriving: `<dest>.part`, hashed while it is written, locked against other processes. What
 * was there before is fed to the digest first, so a resume ends with the digest of the whole.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct digest;

struct part {
	char *path;
	const char *dest; /* borrowed */
	uint64_t expect;  /* bytes of the whole for messages, 0: not known */
	struct digest *digest;
	uint64_t len;  /* bytes that are hashed: on disk or in buf */
	uint64_t disk; /* bytes of the file */
	uint64_t sync; /* up to here the kernel was told to write */
	unsigned char *buf;
	size_t fill;
	int fd;		 /* -1: closed */
	unsigned resets; /* how often the content was thrown away */
};
#define PART_INIT ((struct part){.fd = -1})

/* The final file, for part_feed and part_hex only. false (no error) when it is no regular file that can be read. */
bool part_open_whole(struct part *p, const char *dest);

/* Opens or creates the part, with missing folders. *busy: another process writes it, try again later. */
must_check bool part_open(struct part *p, const char *dest, bool *busy, struct err *err);

/* Hashes the next piece of what is on disk; *more: there is more. */
must_check bool part_feed(struct part *p, bool *more, struct err *err);

/* Throws the content away. */
must_check bool part_reset(struct part *p, struct err *err);

must_check bool part_write(struct part *p, const void *data, size_t n, struct err *err);

/* SHA-256 of the first `len` bytes. */
void part_hex(const struct part *p, char *hex);

/* Writes out, syncs, renames to dest and closes. */
must_check bool part_publish(struct part *p, struct err *err);

/* Keeps the file for a later resume, unless it is empty. */
void part_close(struct part *p);
