#pragma once
/*
 * What a repository says of itself: InRelease (or Release with Release.gpg), signed by a key that is trusted for it,
 * in its time, and with the digest of each of its indices.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "core/aptrepo.h"

struct aptrelease {
	char *files; /* lines "sha256 size name"; NULL: an unsigned repository without Release */
	bool by_hash;
	char codename[64];
	char signer[128]; /* "" not signed, which was asked for */
};

/*
 * ERR_NETWORK with sys ENOENT: there is no such repository. ERR_INTEGRITY: unsigned, wrongly signed, expired.
 * ERR_NO_VERSION: not for this architecture.
 */
must_check bool aptrelease_get(const struct aptrepos *all, const struct aptrepo *r,
			       const struct source_ctx *ctx, const char *arch,
			       struct aptrelease *out, struct err *err);
void aptrelease_clear(struct aptrelease *r);

/* Digest and size of a file ("main/binary-amd64/Packages.xz"); false: not listed. */
bool aptrelease_file(const struct aptrelease *r, const char *name, char sha256[65], uint64_t *size);

/* "Sat, 09 Aug 2025 09:16:30 UTC" in seconds since 1970; false: no such date. */
bool aptrelease_date(const char *s, long long *out);
