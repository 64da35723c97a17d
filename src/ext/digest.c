#include "ext/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/intr.h"

enum { DIGEST_CHUNK = 256 * 1024 };

struct digest {
	EVP_MD_CTX *ctx;
	const EVP_MD *md;
};

struct digest *digest_new(enum digest_kind kind)
{
	struct digest *d = xcalloc(1, sizeof *d);
	d->md = kind == DIGEST_MD5 ? EVP_md5() : EVP_sha256();
	d->ctx = EVP_MD_CTX_new();
	if (d->ctx && EVP_DigestInit_ex(d->ctx, d->md, NULL))
		return d;
	digest_free(d);
	return NULL;
}

void digest_update(struct digest *d, const void *p, size_t n)
{
	EVP_DigestUpdate(d->ctx, p, n);
}

static void final_hex(EVP_MD_CTX *ctx, char *out)
{
	static const char digits[] = "0123456789abcdef";
	unsigned char raw[EVP_MAX_MD_SIZE];
	unsigned n = 0;
	EVP_DigestFinal_ex(ctx, raw, &n);
	for (unsigned i = 0; i < n; i++) {
		*out++ = digits[raw[i] >> 4];
		*out++ = digits[raw[i] & 15];
	}
	*out = '\0';
}

void digest_hex(struct digest *d, char *out)
{
	final_hex(d->ctx, out);
	EVP_DigestInit_ex(d->ctx, d->md, NULL);
}

void digest_peek(const struct digest *d, char *out)
{
	EVP_MD_CTX *copy = EVP_MD_CTX_new();
	*out = '\0';
	if (copy && EVP_MD_CTX_copy_ex(copy, d->ctx))
		final_hex(copy, out);
	EVP_MD_CTX_free(copy);
}

void digest_free(struct digest *d)
{
	if (d)
		EVP_MD_CTX_free(d->ctx);
	free(d);
}

bool digest_is_sha256(const char *s)
{
	return strlen(s) == 64 && strspn(s, "0123456789abcdef") == 64;
}

static bool feed_file(struct digest *d, int fd, uint64_t offset, uint64_t size, const char *path,
		      struct err *err)
{
	autofree unsigned char *chunk = xmalloc(DIGEST_CHUNK);
	for (uint64_t at = 0;;) {
		size_t want = size - at < DIGEST_CHUNK ? (size_t)(size - at) : DIGEST_CHUNK;
		ssize_t n = pread(fd, chunk, want, (off_t)(offset + at));
		if (!intr_check(err))
			return false;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, ERR_FILESYSTEM, "cannot read '%s'", path);
		if (n == 0)
			return true;
		digest_update(d, chunk, (size_t)n);
		at += (uint64_t)n;
	}
}

bool digest_part(enum digest_kind kind, const char *path, uint64_t offset, uint64_t size, char *hex,
		 struct err *err)
{
	struct stat st;
	autoclose int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot open '%s'", path);
	if (fstat(fd, &st) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot stat '%s'", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_FILESYSTEM, "'%s' is not a regular file", path);
	struct digest *d = digest_new(kind);
	if (!d)
		return err_set(err, ERR_HOST, "cannot hash '%s': OpenSSL offers no %s here", path,
			       kind == DIGEST_MD5 ? "MD5" : "SHA-256");
	posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	bool ok = feed_file(d, fd, offset, size, path, err);
	if (ok)
		digest_hex(d, hex);
	digest_free(d);
	return ok;
}

bool digest_file(enum digest_kind kind, const char *path, char *hex, struct err *err)
{
	return digest_part(kind, path, 0, UINT64_MAX, hex, err);
}
