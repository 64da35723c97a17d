#include "ext/lzma2.h"

#include <string.h>

enum {
	PROB_BITS = 11,
	PROB_HALF = 1 << (PROB_BITS - 1),
	MOVE_BITS = 5,
	TOP = 1 << 24,
	RC_INIT = 5,	    /* bytes */
	LITERAL_STATES = 7, /* states below: the last thing was a literal */
	MATCH_MIN = 2,
	SLOT_MODEL_START = 4, /* slots below stand for themselves */
	SLOT_MODEL_END = 14,  /* from here on there are bits without a model */
	ALIGN_BITS = 4,
	COPY = 16, /* bytes that are copied at once, maybe more than asked for */
};

/* The range coder. Its input is not checked at each byte, but once a symbol. */
struct rc {
	uint32_t range, code;
	const uint8_t *in;
};

#define inline_always static inline __attribute__((always_inline))

inline_always void normalize(struct rc *rc)
{
	if (rc->range < TOP) {
		rc->range <<= 8;
		rc->code = rc->code << 8 | *rc->in++;
	}
}

/* One that is mostly foreseen. */
inline_always bool bit(struct rc *rc, uint16_t *prob)
{
	normalize(rc);
	uint32_t p = *prob, bound = (rc->range >> PROB_BITS) * p;
	if (rc->code < bound) {
		rc->range = bound;
		*prob = (uint16_t)(p + (((1u << PROB_BITS) - p) >> MOVE_BITS));
		return false;
	}
	rc->range -= bound;
	rc->code -= bound;
	*prob = (uint16_t)(p - (p >> MOVE_BITS));
	return true;
}

/*
 * A bit whose lower part ends at bound: 0 gives all ones, and *next = lower. Without a jump: bits of literals are
 * as good as random, and a wrong guess costs more than all of this. gcc makes jumps of the C below.
 */
inline_always uint32_t choose(struct rc *rc, uint32_t bound, uint32_t *next, uint32_t lower)
{
	uint32_t range = rc->range - bound, code = rc->code, zero;
#ifdef __x86_64__
	__asm__("sub %[bound], %[code]\n\t"
		"cmovb %[lower], %[next]\n\t"
		"cmovb %[bound], %[range]\n\t"
		"cmovb %[old], %[code]\n\t"
		"sbb %[zero], %[zero]"
		: [code] "+&r"(code), [range] "+&r"(range), [next] "+&r"(*next), [zero] "=&r"(zero)
		: [bound] "r"(bound), [old] "r"(rc->code), [lower] "r"(lower)
		: "cc");
	rc->range = range;
	rc->code = code;
#else
	zero = 0 - (uint32_t)(code < bound);
	rc->code = code - (bound & ~zero);
	rc->range = (bound & zero) | (range & ~zero);
	*next = (lower & zero) | (*next & ~zero);
#endif
	return zero;
}

/* p moved towards the bit: rounds as the two lines of bit() do. */
inline_always uint16_t moved(uint32_t p, uint32_t zero)
{
	const int32_t towards = (1 << MOVE_BITS) - 1 - (1 << PROB_BITS);
	return (uint16_t)(p - (uint32_t)(((int32_t)p + (int32_t)(zero & (uint32_t)towards)) >>
					 MOVE_BITS));
}

/*
 * Down a tree of bits. Both probabilities that may come next are read before it is known which one it is, since
 * that is what each step waits for.
 */
inline_always uint32_t tree(struct rc *rc, uint16_t *probs, int bits)
{
	uint32_t at = 1, p = probs[1];
	for (int i = 0; i < bits; i++) {
		bool last = i == bits - 1;
		uint32_t lower = last ? 0 : probs[2 * at], next = last ? 0 : probs[2 * at + 1];
		normalize(rc);
		uint32_t zero = choose(rc, (rc->range >> PROB_BITS) * p, &next, lower);
		probs[at] = moved(p, zero);
		at = 2 * at + 1 + zero;
		p = next;
	}
	return at - (1u << bits);
}

/* The lowest bit first. */
inline_always uint32_t tree_reverse(struct rc *rc, uint16_t *probs, int bits)
{
	uint32_t at = 1, value = 0;
	for (int i = 0; i < bits; i++) {
		uint32_t p = probs[at], none = 0;
		normalize(rc);
		uint32_t zero = choose(rc, (rc->range >> PROB_BITS) * p, &none, 0);
		probs[at] = moved(p, zero);
		at = 2 * at + 1 + zero;
		value |= (1 + zero) << i;
	}
	return value;
}

inline_always uint32_t direct(struct rc *rc, int bits)
{
	uint32_t value = 0;
	while (bits--) {
		normalize(rc);
		rc->range >>= 1;
		rc->code -= rc->range;
		uint32_t zero = 0 - (rc->code >> 31);
		rc->code += rc->range & zero;
		value = 2 * value + 1 + zero;
	}
	return value;
}

/* After a match: the byte at its distance tells much about this one, as long as the bits are the same. */
inline_always uint8_t matched_literal(struct rc *rc, uint16_t *probs, uint32_t match)
{
	uint32_t at = 1, like = (match << 1) & 0x100, index = 0x101 + like, p = probs[index];
	uint32_t offset = 0x100;
	match <<= 1;
	for (int i = 0; i < 8; i++) {
		match <<= 1;
		uint32_t offset0 = offset & ~like, offset1 = offset & like;
		uint32_t like0 = match & offset0, like1 = match & offset1;
		uint32_t index0 = offset0 + like0 + 2 * at, index1 = offset1 + like1 + 2 * at + 1;
		uint32_t lower = i == 7 ? 0 : probs[index0], next = i == 7 ? 0 : probs[index1];
		normalize(rc);
		uint32_t zero = choose(rc, (rc->range >> PROB_BITS) * p, &next, lower);
		probs[index] = moved(p, zero);
		at = 2 * at + 1 + zero;
		offset &= like ^ zero;
		like = match & offset;
		index = offset + like + at;
		p = next;
	}
	return (uint8_t)at;
}

inline_always uint32_t length(struct rc *rc, struct lzma2_len *l, uint32_t pos_state)
{
	if (!bit(rc, &l->choice))
		return MATCH_MIN + tree(rc, l->low[pos_state], 3);
	if (!bit(rc, &l->choice2))
		return MATCH_MIN + 8 + tree(rc, l->mid[pos_state], 3);
	return MATCH_MIN + 16 + tree(rc, l->high, 8);
}

inline_always uint32_t distance(struct rc *rc, struct lzma2_probs *p, uint32_t len)
{
	uint32_t at = len - MATCH_MIN < 4 ? len - MATCH_MIN : 3;
	uint32_t slot = tree(rc, p->slot[at], 6);
	if (slot < SLOT_MODEL_START)
		return slot;
	int bits = (int)(slot >> 1) - 1;
	uint32_t base = (2 | (slot & 1)) << bits;
	if (slot < SLOT_MODEL_END)
		return base + tree_reverse(rc, p->spec + base - slot, bits);
	base += direct(rc, bits - ALIGN_BITS) << ALIGN_BITS;
	return base + tree_reverse(rc, p->align, ALIGN_BITS);
}

/* One of the last four distances, which becomes the last one. 0: a single byte at it, else the length. */
inline_always uint32_t repeat(struct rc *rc, struct lzma2_probs *p, uint32_t reps[4],
			      uint32_t *state, uint32_t pos_state)
{
	if (!bit(rc, &p->is_rep0[*state])) {
		if (!bit(rc, &p->is_rep0_long[*state][pos_state])) {
			*state = *state < LITERAL_STATES ? 9 : 11;
			return 0;
		}
	} else {
		uint32_t k = 1;
		if (bit(rc, &p->is_rep1[*state]))
			k = bit(rc, &p->is_rep2[*state]) ? 3 : 2;
		uint32_t found = reps[k];
		if (k > 2)
			reps[3] = reps[2];
		if (k > 1)
			reps[2] = reps[1];
		reps[1] = reps[0];
		reps[0] = found;
	}
	*state = *state < LITERAL_STATES ? 8 : 11;
	return length(rc, &p->rep_len, pos_state);
}

/* What lies `distance` back, which may be less than n. Writes up to COPY - 1 bytes too many. */
inline_always void copy(uint8_t *out, size_t distance, size_t n)
{
	const uint8_t *from = out - distance;
	/* A short pattern: what was written makes it longer. */
	while (distance < COPY && n) {
		size_t k = distance < n ? distance : n;
		for (size_t i = 0; i < k; i++)
			out[i] = from[i];
		out += k;
		n -= k;
		distance *= 2;
	}
	for (size_t i = 0; i < n; i += COPY)
		memcpy(out + i, from + i, COPY);
}

/* All symbols of a chunk. The input's end is checked once a symbol, which takes less than LZMA2_IN_SLACK bytes. */
static bool symbols(struct lzma2 *d, struct rc *start, const uint8_t *in_end, uint8_t *out,
		    const uint8_t *out_end)
{
	struct rc rc = *start;
	struct lzma2_probs *p = &d->probs;
	uint32_t reps[4], state = d->state;
	const uint32_t pos_mask = (1u << d->pb) - 1, lp_mask = (1u << d->lp) - 1, lc = d->lc;
	uint64_t at = d->since_reset;
	uint8_t before = at ? out[-1] : 0;
	memcpy(reps, d->reps, sizeof reps);
	while (out < out_end) {
		uint32_t pos_state = at & pos_mask;
		if (rc.in > in_end)
			return false;
		if (!bit(&rc, &p->is_match[state][pos_state])) {
			uint32_t set = ((at & lp_mask) << lc) + (before >> (8 - lc));
			uint16_t *probs = p->literal + 0x300 * set;
			if (state < LITERAL_STATES)
				before = (uint8_t)tree(&rc, probs, 8);
			else
				before = matched_literal(&rc, probs, *(out - reps[0] - 1));
			state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
			*out++ = before;
			at++;
			continue;
		}
		uint32_t n;
		if (bit(&rc, &p->is_rep[state])) {
			n = repeat(&rc, p, reps, &state, pos_state);
		} else {
			memmove(reps + 1, reps, 3 * sizeof *reps);
			n = length(&rc, &p->match_len, pos_state);
			reps[0] = distance(&rc, p, n);
			state = state < LITERAL_STATES ? 7 : 10;
		}
		n = n ? n : 1;
		if (reps[0] >= at || reps[0] >= d->dict_size || n > (size_t)(out_end - out))
			return false;
		copy(out, (size_t)reps[0] + 1, n);
		out += n;
		at += n;
		before = out[-1];
	}
	normalize(&rc);
	memcpy(d->reps, reps, sizeof reps);
	d->state = state;
	*start = rc;
	return rc.in == in_end && rc.code == 0;
}

static void reset_state(struct lzma2 *d)
{
	uint16_t *probs = (uint16_t *)&d->probs;
	for (size_t i = 0; i < sizeof d->probs / sizeof *probs; i++)
		probs[i] = PROB_HALF;
	memset(d->reps, 0, sizeof d->reps);
	d->state = 0;
}

void lzma2_init(struct lzma2 *d, uint32_t dict_size)
{
	d->since_reset = 0;
	d->dict_size = dict_size;
	d->need_dict = d->need_props = true;
}

/*
 * The first byte: 0 the end; 1, 2 bytes as they are, with the history forgotten or not; from 0x80 on packed
 * bytes, with, by two bits: nothing new, a new state, new properties, and all of that and no history.
 */
enum { RAW_RESET = 1, RAW = 2, PACKED = 0x80, NEW_STATE = 0xa0, NEW_PROPS = 0xc0, NEW_DICT = 0xe0 };

size_t lzma2_head_size(uint8_t control)
{
	return control == 0 ? 1 : control < NEW_PROPS ? control < PACKED ? 3 : 5 : 6;
}

bool lzma2_head(const struct lzma2 *d, const uint8_t *head, struct lzma2_chunk *c)
{
	uint8_t control = head[0];
	*c = (struct lzma2_chunk){
		.control = control, .head = lzma2_head_size(control), .end = control == 0};
	if (c->end)
		return true;
	if (control > RAW && control < PACKED)
		return false;
	bool forgets = control >= NEW_DICT || control == RAW_RESET;
	if (d->need_dict && !forgets)
		return false;
	c->out = (size_t)(head[1] << 8 | head[2]) + 1;
	c->in = c->out;
	if (control < PACKED)
		return true;
	c->out += (size_t)(control & 0x1f) << 16;
	c->in = (size_t)(head[3] << 8 | head[4]) + 1;
	c->props = control >= NEW_PROPS ? head[5] : 0;
	return control >= NEW_PROPS || !d->need_props;
}

static bool set_props(struct lzma2 *d, uint8_t props)
{
	uint8_t lc = props % 9, lp = props / 9 % 5, pb = props / 45;
	if (lc + lp > 4 || pb > 4)
		return false;
	d->lc = lc;
	d->lp = lp;
	d->pb = pb;
	d->need_props = false;
	return true;
}

bool lzma2_chunk(struct lzma2 *d, const struct lzma2_chunk *c, const uint8_t *in, uint8_t *out)
{
	if (c->control == RAW_RESET || c->control >= NEW_DICT) {
		d->need_dict = false;
		d->need_props = true;
		d->since_reset = 0;
	}
	if (c->control < PACKED) {
		memcpy(out, in, c->out);
		d->since_reset += c->out;
		return true;
	}
	if (c->control >= NEW_PROPS && !set_props(d, c->props))
		return false;
	if (c->control >= NEW_STATE)
		reset_state(d);
	if (c->in < RC_INIT || in[0] != 0)
		return false;
	struct rc rc = {
		.range = UINT32_MAX,
		.code = (uint32_t)in[1] << 24 | (uint32_t)in[2] << 16 | (uint32_t)in[3] << 8 |
			in[4],
		.in = in + RC_INIT,
	};
	if (!symbols(d, &rc, in + c->in, out, out + c->out))
		return false;
	d->since_reset += c->out;
	return true;
}
