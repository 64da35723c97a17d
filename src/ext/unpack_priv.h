#pragma once
/* What the files of the unpack module share. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "ext/unpack.h"

/* ERR_INTEGRITY "'<archive>': entry '<name>' <why>"; returns false. */
bool unpack_bad(const struct unpack *u, const char *entry, struct err *err, const char *why);

/* unpack_input.c: the tar inside. */
struct archive;
struct unpack_input {
	const struct unpack *u;
	struct err *err;
	struct archive *a;
	struct xz *xz;
	char *in;     /* input that libarchive itself decodes */
	size_t first; /* bytes at the start of `in` that were read to look at them */
	bool failed;  /* *err was set while libarchive asked for more */
};
must_check bool unpack_input_open(struct unpack_input *in);
/* After the last entry: the rest of the input, which belongs to the file as well. */
must_check bool unpack_input_drain(struct unpack_input *in);
/* libarchive gave up: says why, unless the input said it already. Returns false. */
bool unpack_input_bad(struct unpack_input *in);
void unpack_input_close(struct unpack_input *in);

/* unpack_link.c: links are collected while the archive is read, judged and made when all files are there. */
struct unpack_link {
	char *path;   /* of the link, below the destination */
	char *target; /* hard: path below the destination; else the text of the link */
	bool hard;
};
struct unpack_links {
	struct unpack_link *items;
	size_t n;
};
/*
 * path: where the link goes; name: its name in the archive; target: name in the archive (hard) or the
 * text of a symbolic link. The target is mapped as entries are, and the text made anew, so that it fits where
 * link and target moved apart. A link to what is left out is left out.
 */
must_check bool unpack_links_add(struct unpack_links *l, const struct unpack *u, const char *path,
				 const char *name, const char *target, bool hard, struct err *err);
must_check bool unpack_links_make(struct unpack_links *l, const struct unpack *u, struct err *err);
void unpack_links_clear(struct unpack_links *l);

/* unpack_name.c. Without "./" in front and '/' behind; the caller frees. */
char *unpack_name_clean(const char *name);
/* Why it is refused, as the end of a sentence; NULL: it is fine. */
const char *unpack_name_fault(const char *name);

/*
 * unpack_disk.c: a file that is written starts on its way to the disk; whoever publishes the whole waits for it,
 * and starts those that are not on their way yet.
 */
struct unpack_disk {
	int dirfd;	/* opened before the first file was */
	uint64_t small; /* bytes of small files that were not sent */
	pthread_t flusher;
	bool flushing;
	atomic_bool flushed;
	atomic_bool alone; /* they cannot go together */
};
/* fd: all of the file was written. */
void unpack_disk_send(struct unpack_disk *d, int fd, uint64_t size);
void unpack_disk_end(struct unpack_disk *d);
