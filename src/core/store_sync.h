#pragma once
/*
 * Inside of the store: an entry is on the disk before it is published, so that a power cut cannot leave an
 * entry with files cut short, which every later install would trust.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Files of an entry one by one: the data of large ones is on its way (see unpack.c, zip_unpack.c), that of small
 * ones is sent now; waits until all has arrived. Zeroed at first.
 */
struct store_sync {
	int fds[64]; /* on their way */
	size_t n;    /* files so far */
};
bool store_sync_file(struct store_sync *s, int dirfd, const char *path);
/* After the last one, and after a failure. All three: errno on false. */
bool store_sync_end(struct store_sync *s);
/* Then a last file, written after that: makes it, and all that it follows, durable. */
bool store_sync_last(int fd);
