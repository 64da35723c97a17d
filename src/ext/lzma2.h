#pragma once
/*
 * LZMA2, the compression inside of .xz: chunks of at most 64 KiB that become at most 2 MiB. A decoder of our own,
 * since that of liblzma before 5.8 takes half as long again, and decoding is nine tenths of unpacking a large archive.
 * Nothing here allocates or reads a file: input and output are whole chunks, and both are bounds-checked.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	LZMA2_HEAD_MAX = 6,	 /* bytes of a chunk's header */
	LZMA2_IN_MAX = 64 << 10, /* packed bytes of a chunk */
	LZMA2_OUT_MAX = 2 << 20, /* bytes that they become */
	LZMA2_IN_SLACK =
		64, /* readable bytes that must lie behind the input; their content does not matter */
	LZMA2_OUT_SLACK = 16, /* writable bytes behind the output; their content is void */
};

struct lzma2_len {
	uint16_t choice, choice2, low[16][8], mid[16][8], high[256];
};

/* Probabilities alone: all are set at once. */
struct lzma2_probs {
	uint16_t is_match[12][16], is_rep[12], is_rep0[12], is_rep1[12], is_rep2[12];
	uint16_t is_rep0_long[12][16];
	uint16_t slot[4][64], spec[128], align[16];
	struct lzma2_len match_len, rep_len;
	uint16_t literal[0x300 << 4];
};

struct lzma2 {
	uint64_t since_reset; /* bytes of history */
	uint32_t dict_size;
	uint32_t reps[4], state;
	uint8_t lc, lp, pb;
	bool need_dict, need_props;
	struct lzma2_probs probs;
};

/* One chunk, as its header says. */
struct lzma2_chunk {
	uint8_t control, props;
	size_t head;	/* bytes of the header; that of the end is 1 */
	size_t in, out; /* bytes that follow it, and bytes that they become */
	bool end;
};

/* At the start of a block. dict_size: as the block's header says it. */
void lzma2_init(struct lzma2 *d, uint32_t dict_size);
/* The length of a header by its first byte. */
size_t lzma2_head_size(uint8_t control);
/* head: lzma2_head_size(head[0]) bytes. false: it is none, or not allowed here. */
bool lzma2_head(const struct lzma2 *d, const uint8_t *head, struct lzma2_chunk *c);
/*
 * Decodes a chunk: c->in bytes at in, with LZMA2_IN_SLACK readable ones behind them, into the c->out bytes at
 * out, with LZMA2_OUT_SLACK writable ones behind them. The bytes before out are the history: min(dict_size, all since the last reset) of them must be there.
 * false: damaged; what was written is void.
 */
bool lzma2_chunk(struct lzma2 *d, const struct lzma2_chunk *c, const uint8_t *in, uint8_t *out);
