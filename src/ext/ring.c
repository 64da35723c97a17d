#include "ext/ring.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/attr.h"

enum { RING_STEP = 128 << 10 }; /* a multiple of any page's size */

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static bool map_at(void *at, size_t size, int fd)
{
	return mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED;
}

bool ring_map(struct ring *r, size_t history, size_t room)
{
	size_t size = (history + room + RING_STEP - 1) / RING_STEP * RING_STEP;
	autoclose int fd = memfd_create("cudaenv", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, (off_t)size) < 0)
		return false;
	uint8_t *base = mmap(NULL, 2 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (base == MAP_FAILED)
		return false;
	if (!map_at(base, size, fd) || !map_at(base + size, size, fd)) {
		munmap(base, 2 * size);
		return false;
	}
	*r = (struct ring){.base = base, .size = size, .history = history};
	r->touched = xcalloc(2 * size / RING_STEP, 1);
	return true;
}

uint8_t *ring_at(struct ring *r, uint64_t n)
{
	size_t at = (size_t)(n % r->size);
	return r->base + at + (at < r->history ? r->size : 0);
}

void ring_touch(struct ring *r, const uint8_t *at, size_t room)
{
	size_t last = (size_t)(at - r->base + (ptrdiff_t)room) / RING_STEP;
	for (size_t i = (size_t)(at - r->base) / RING_STEP;
	     i <= last && i < 2 * r->size / RING_STEP; i++) {
		/* Page by page it takes longer, but an old kernel cannot do this. */
		if (!r->touched[i])
			madvise(r->base + i * RING_STEP, RING_STEP, MADV_POPULATE_WRITE);
		r->touched[i] = 1;
	}
}

void ring_unmap(struct ring *r)
{
	if (r->base)
		munmap(r->base, 2 * r->size);
	free(r->touched);
	*r = (struct ring){0};
}
