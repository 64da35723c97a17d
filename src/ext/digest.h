#pragma once
/* Streaming SHA-256 and MD5 (OpenSSL EVP). */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/err.h"

struct digest;
enum digest_kind { DIGEST_SHA256, DIGEST_MD5 };

/* NULL where OpenSSL does not offer it (MD5 on a host in FIPS mode). */
struct digest *digest_new(enum digest_kind kind);
void digest_update(struct digest *d, const void *p, size_t n);
/* Writes lower-case hex with the NUL (65 or 33 bytes) and starts anew. */
void digest_hex(struct digest *d, char *out);
/* The same of what came so far; more may follow. */
void digest_peek(const struct digest *d, char *out);
void digest_free(struct digest *d);

/* Whether s is a SHA-256 as digest_hex writes it: 64 digits, lower case. */
bool digest_is_sha256(const char *s);

/* Of a whole regular file; checks for interruption on the way. */
must_check bool digest_file(enum digest_kind kind, const char *path, char *hex, struct err *err);
/* The same of `size` bytes of it from offset on, fewer where it ends. */
must_check bool digest_part(enum digest_kind kind, const char *path, uint64_t offset, uint64_t size,
			    char *hex, struct err *err);
