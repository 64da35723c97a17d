#pragma once
/*
 * What the copied buffers hold, so that every byte of a copy can be judged: pages of fixed words, each
 * page stamped with its own number and the salt of the test in its first and last word. The host works
 * by memcpy and memcmp, which are fast also in a program that was compiled without optimisation.
 */
#include "proof.h"

enum { PATTERN_PAGE = 4096, PATTERN_WORDS = PATTERN_PAGE / 8, PATTERN_CLEAR = 0x5a };

typedef unsigned long long pattern_t;

__host__ __device__ static inline pattern_t pattern_word(size_t i, unsigned salt)
{
	pattern_t page = i / PATTERN_WORDS, at = i % PATTERN_WORDS;
	if (at == 0 || at == PATTERN_WORDS - 1)
		return (page << 20 ^ at) * 0x9e3779b97f4a7c15ull ^ salt;
	return (at + 1) * 0xd1342543de82ef95ull;
}

/* bytes is a multiple of 8 here and below. */
static inline void pattern_fill_host(void *to, size_t bytes, unsigned salt)
{
	pattern_t page[PATTERN_WORDS];
	for (size_t i = 0; i < PATTERN_WORDS; i++)
		page[i] = pattern_word(i, salt);
	for (size_t at = 0; at < bytes; at += PATTERN_PAGE) {
		page[0] = pattern_word(at / 8, salt);
		page[PATTERN_WORDS - 1] = pattern_word(at / 8 + PATTERN_WORDS - 1, salt);
		memcpy((char *)to + at, page,
		       bytes - at < PATTERN_PAGE ? bytes - at : (size_t)PATTERN_PAGE);
	}
}

/* The index of the first wrong word, or bytes / 8 when all are right. */
static inline size_t pattern_check_host(const void *buffer, size_t bytes, unsigned salt)
{
	pattern_t page[PATTERN_WORDS], word;
	for (size_t i = 0; i < PATTERN_WORDS; i++)
		page[i] = pattern_word(i, salt);
	for (size_t at = 0; at < bytes; at += PATTERN_PAGE) {
		const char *got = (const char *)buffer + at;
		size_t n = bytes - at < PATTERN_PAGE ? bytes - at : (size_t)PATTERN_PAGE;
		page[0] = pattern_word(at / 8, salt);
		page[PATTERN_WORDS - 1] = pattern_word(at / 8 + PATTERN_WORDS - 1, salt);
		if (!memcmp(got, page, n))
			continue;
		for (size_t i = 0; i < n / 8; i++) {
			memcpy(&word, got + 8 * i, 8);
			if (word != page[i])
				return at / 8 + i;
		}
	}
	return bytes / 8;
}

struct pattern_result {
	pattern_t wrong, at; /* how many words, and one of them */
};

__global__ void pattern_fill(pattern_t *to, size_t words, unsigned salt)
{
	size_t step = (size_t)gridDim.x * blockDim.x;
	for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < words; i += step)
		to[i] = pattern_word(i, salt);
}

__global__ void pattern_check(const pattern_t *buffer, size_t words, unsigned salt,
			      pattern_result *result)
{
	size_t step = (size_t)gridDim.x * blockDim.x;
	for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < words; i += step)
		if (buffer[i] != pattern_word(i, salt)) {
			atomicAdd(&result->wrong, 1ull);
			atomicExch(&result->at, (pattern_t)i);
		}
}
