#pragma once
/*
 * Inside of the store: an entry is on the disk before it is published, so that a power cut cannot leave an
 * entry with files cut short, which every later install would trust.
 */
#include <stdbool.h>

/*
 * First, for each file: its data is on its way (see zip_unpack.c), wait until it has arrived. Then a last
 * file, written after that: makes it, and all that it follows, durable. Both: errno on false.
 */
bool store_sync_file(int dirfd, const char *path);
bool store_sync_last(int fd);

/* 64 lower-case hexadecimal digits: nothing else becomes a path. */
bool store_valid_sha256(const char *s);
