#pragma once
/* The JSON files in <prefix>/.cudaenv: record.json and verdict.json. */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum { RECORD_FORMAT = 1 };

/* Writes root to <prefix>/.cudaenv/<name>, readable for everybody whatever the umask is. */
must_check bool record_file_write(const char *prefix, const char *name, const json_t *root,
				  struct err *err);
/* NULL: ERR_FAILED; err->sys == ENOENT where there is none. */
json_t *record_file_read(const char *path, struct err *err);
/* A string member of at most cap - 1 bytes; a missing one is "" unless it is required. */
bool record_file_text(const json_t *o, const char *key, char *out, size_t cap, bool required);
/* UTC, ISO 8601. */
void record_file_now(char *out, size_t cap);
