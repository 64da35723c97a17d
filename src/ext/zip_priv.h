#pragma once
/* What the files of the zip module share. */
#include "ext/zip.h"

struct zip {
	int fd;
	char *path; /* for messages */
	uint64_t file_size;
	struct zip_entry *entries;
	size_t n;
	char *names; /* one block that all entry names point into */
};

/* ERR_INTEGRITY "'<archive>': entry '<name>' ..." for an entry; returns false. */
bool zip_entry_bad(const struct zip *z, const char *name, struct err *err, const char *fmt, ...)
	printf_like(4, 5);

/*
 * Why this name must not be used, or NULL. One '/' at the end is fine (a folder).
 */
const char *zip_name_fault(const char *name, size_t len);
/* Orders names so that "a", "a/" and "a/b" are neighbours: '/' comes before every other byte. */
int zip_name_cmp(const char *a, const char *b);
/* `next` follows `prev` in that order: why the two exclude each other, or NULL. */
const char *zip_name_clash(const char *prev, const char *next);

/*
 * Takes the content of an entry, piece by piece, in order: aligned as O_DIRECT wants it, all of
 * ZIP_PIECE_BYTES but the last.
 */
enum { ZIP_PIECE_BYTES = 256 << 10, ZIP_PIECE_ALIGN = 4096 };
typedef bool zip_put_fn(void *ctx, const void *p, size_t n, struct err *err);
/*
 * Reads, inflates and checks one entry (length, CRC-32, end of the packed data). What put() was given is
 * good only when this returns true.
 */
must_check bool zip_stream(const struct zip *z, const struct zip_entry *e, zip_put_fn *put, void *ctx,
			   struct err *err);
