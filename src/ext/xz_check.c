#include <stdio.h>
#include <string.h>

#include "ext/digest.h"
#include "ext/xz_priv.h"

bool xz_check_known(lzma_check kind)
{
	return kind == LZMA_CHECK_NONE || kind == LZMA_CHECK_CRC32 || kind == LZMA_CHECK_CRC64 ||
	       kind == LZMA_CHECK_SHA256;
}

bool xz_check_start(struct xz_check *c, lzma_check kind)
{
	xz_check_clear(c);
	c->kind = kind;
	if (kind == LZMA_CHECK_SHA256)
		c->sha256 = digest_new(DIGEST_SHA256);
	return kind != LZMA_CHECK_SHA256 || c->sha256;
}

/* liblzma's sums take a hundredth of the time of decoding: no need for a thread of their own. */
void xz_check_add(struct xz_check *c, const uint8_t *data, size_t n)
{
	if (c->kind == LZMA_CHECK_CRC64)
		c->crc = lzma_crc64(data, n, c->crc);
	else if (c->kind == LZMA_CHECK_CRC32)
		c->crc = lzma_crc32(data, n, (uint32_t)c->crc);
	else if (c->kind == LZMA_CHECK_SHA256)
		digest_update(c->sha256, data, n);
}

/* The lowest byte first. */
static bool crc_fits(const struct xz_check *c, const uint8_t *told)
{
	uint64_t sum = 0;
	for (uint32_t n = lzma_check_size(c->kind); n > 0; n--)
		sum = sum << 8 | told[n - 1];
	return sum == c->crc;
}

static bool sha256_fits(struct xz_check *c, const uint8_t *told)
{
	char want[65], got[65];
	for (size_t i = 0; i < 32; i++)
		snprintf(want + 2 * i, 3, "%02x", told[i]);
	digest_hex(c->sha256, got);
	return !strcmp(want, got);
}

bool xz_check_fits(struct xz_check *c, const uint8_t *told)
{
	if (c->kind == LZMA_CHECK_SHA256)
		return sha256_fits(c, told);
	return (c->kind != LZMA_CHECK_CRC32 && c->kind != LZMA_CHECK_CRC64) || crc_fits(c, told);
}

void xz_check_clear(struct xz_check *c)
{
	digest_free(c->sha256);
	*c = (struct xz_check){0};
}
