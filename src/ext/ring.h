#pragma once
/*
 * Memory for a stream of bytes of which the last ones stay readable: it lies twice side by side, so what goes over
 * the end goes on at the start, and any piece of it is in one piece.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring {
	uint8_t *base; /* 2 * size bytes */
	size_t size, history;
	uint8_t *touched; /* one for each RING_STEP of base */
};

/*
 * history: that many bytes before a position are in one piece with it; room: and that many from it on. false: no
 * such memory here.
 */
bool ring_map(struct ring *r, size_t history, size_t room);
/* Where byte number n of the stream lies, or will lie. */
uint8_t *ring_at(struct ring *r, uint64_t n);
/* The next `room` bytes from there will be written: their pages are made at once. */
void ring_touch(struct ring *r, const uint8_t *at, size_t room);
void ring_unmap(struct ring *r);
