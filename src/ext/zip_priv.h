#pragma once
/* What the files of the zip module share. */
#include "ext/zip.h"

struct zip {
	int fd;
	char *path;    /* for messages */
	uint64_t base; /* where it begins in the file */
	uint64_t file_size;
	struct zip_entry *entries;
	size_t n;
	char *names; /* one block that all entry names point into */
};

/* Numbers in the archive: little-endian, anywhere. */
static inline uint16_t u16(const unsigned char *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t u32(const unsigned char *p)
{
	return u16(p) | (uint32_t)u16(p + 2) << 16;
}

static inline uint64_t u64(const unsigned char *p)
{
	return u32(p) | (uint64_t)u32(p + 4) << 32;
}

/* ERR_INTEGRITY "'<archive>' is no sound zip archive: <why>"; returns false. */
bool zip_bad(const struct zip *z, struct err *err, const char *why);
/* All n bytes or an error. */
must_check bool zip_read_at(const struct zip *z, void *p, size_t n, uint64_t offset,
			    struct err *err);

struct zip_directory {
	uint64_t offset, size, count;
};
/* Where the central directory is: it ends where the end records begin. */
must_check bool zip_find_directory(const struct zip *z, struct zip_directory *d, struct err *err);

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
must_check bool zip_stream(const struct zip *z, const struct zip_entry *e, zip_put_fn *put,
			   void *ctx, struct err *err);
