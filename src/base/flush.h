#pragma once
/* Many small files on their way to the disk at once. */
#include <stdbool.h>
#include <stdint.h>

/* Bytes of a file from which a request to the disk costs less than the file itself. */
enum { FLUSH_SMALL = 256 << 10 };

/*
 * Waits until all of fd's file system is on the disk, where that is little more than `ours`, the bytes that the
 * caller wrote and did not send there yet: one request to the disk a file costs as much as making that file, one for
 * all of them does not. false with errno: that failed, or (EBUSY) others wrote much, which would have to be waited
 * for as well, or (ENOSYS) this kernel would not tell what could not be written. fd: opened before the writing.
 */
bool flush_all(int fd, uint64_t ours);
