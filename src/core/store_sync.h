#pragma once
/* Inside of the store: durability, shared by the entries that are ready at the same time. */
#include <stdbool.h>

#include "base/attr.h"
#include "base/err.h"

/*
 * Returns when everything written before the call is on the disk of the file system of fd. path: for
 * messages. From any thread.
 */
must_check bool store_sync(int fd, const char *path, struct err *err);

/* 64 lower-case hexadecimal digits: nothing else becomes a path. */
bool store_valid_sha256(const char *s);
