#pragma once
/*
 * Copies and their times.
 *
 * A sample is a row of copies between two events, long enough that their overhead does not count; the
 * figure is the median of the samples. The copies of both directions start together and end when the
 * later one has ended.
 */
#include <algorithm>
#include <ctime>

#include "pattern.h"

#define TEST "bandwidth"

enum { COPY_BLOCK = 512, COPY_UNROLL = 4, COPY_ROW_MAX = 512, COPY_SAMPLES_MAX = 15 };

/* One end: where a copy reads or writes. device < 0: host memory. */
struct place {
	char *memory;
	int device;
};

enum copy_method { COPY_MEMCPY, COPY_RESIDENT, COPY_TILES };

/* One copy, or two at once: from[i] to to[i] in stream[i], which belongs to owner[i]. */
struct copy {
	int ways;
	enum copy_method method;
	struct place from[2], to[2];
	int owner[2];
	cudaStream_t stream[2];
	cudaEvent_t begin, end, joint; /* begin and end of owner[0], joint of owner[1] */
};

struct copy_time {
	double us;
	int samples;
};

static inline double copy_clock(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

/*
 * Four loads are under way in each thread before the first store. With as many blocks as fit at once
 * each takes tile after tile; with a block for each tile the scheduler spreads them. Which is faster
 * differs between GPUs.
 */
__global__ void copy_words(uint4 *to, const uint4 *from, size_t n)
{
	const size_t tile = (size_t)COPY_BLOCK * COPY_UNROLL;
	for (size_t base = blockIdx.x * tile; base < n; base += gridDim.x * tile) {
		const size_t at = base + threadIdx.x;
		if (base + tile <= n) {
			uint4 v[COPY_UNROLL];
#pragma unroll
			for (int k = 0; k < COPY_UNROLL; k++)
				v[k] = from[at + k * COPY_BLOCK];
#pragma unroll
			for (int k = 0; k < COPY_UNROLL; k++)
				to[at + k * COPY_BLOCK] = v[k];
		} else {
			for (int k = 0; k < COPY_UNROLL; k++)
				if (at + k * COPY_BLOCK < n)
					to[at + k * COPY_BLOCK] = from[at + k * COPY_BLOCK];
		}
	}
}

static inline int copy_open(struct copy *c)
{
	for (int i = c->ways - 1; i >= 0; i--) {
		PROOF_TRY(cudaSetDevice, c->owner[i]);
		PROOF_TRY(cudaStreamCreateWithFlags, &c->stream[i], cudaStreamNonBlocking);
		if (i)
			PROOF_TRY(cudaEventCreateWithFlags, &c->joint, cudaEventDisableTiming);
	}
	PROOF_TRY(cudaEventCreate, &c->begin);
	PROOF_TRY(cudaEventCreate, &c->end);
	return PROOF_OK;
}

static inline int copy_close(struct copy *c)
{
	PROOF_TRY(cudaEventDestroy, c->begin);
	PROOF_TRY(cudaEventDestroy, c->end);
	for (int i = 0; i < c->ways; i++) {
		if (i)
			PROOF_TRY(cudaEventDestroy, c->joint);
		PROOF_TRY(cudaStreamDestroy, c->stream[i]);
	}
	return PROOF_OK;
}

static inline int copy_kernel(const struct copy *c, size_t bytes)
{
	static int resident;
	const size_t n = bytes / sizeof(uint4), tile = (size_t)COPY_BLOCK * COPY_UNROLL;
	size_t blocks = (n + tile - 1) / tile;
	if (c->method == COPY_RESIDENT) {
		if (!resident) {
			int processors = 0, each = 0;
			PROOF_TRY(cudaDeviceGetAttribute, &processors,
				  cudaDevAttrMultiProcessorCount, c->owner[0]);
			PROOF_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor, &each, copy_words,
				  COPY_BLOCK, 0);
			resident = processors * std::max(each, 1);
		}
		blocks = std::min(blocks, (size_t)resident);
	}
	copy_words<<<(unsigned)blocks, COPY_BLOCK, 0, c->stream[0]>>>(
		(uint4 *)c->to[0].memory, (const uint4 *)c->from[0].memory, n);
	PROOF_TRY(cudaGetLastError);
	return PROOF_OK;
}

static inline int copy_once(const struct copy *c, int way, size_t bytes)
{
	const struct place *from = &c->from[way], *to = &c->to[way];
	if (c->method != COPY_MEMCPY)
		return copy_kernel(c, bytes);
	if (from->device >= 0 && to->device >= 0 && from->device != to->device)
		PROOF_TRY(cudaMemcpyPeerAsync, to->memory, to->device, from->memory, from->device,
			  bytes, c->stream[way]);
	else
		PROOF_TRY(cudaMemcpyAsync, to->memory, from->memory, bytes, cudaMemcpyDefault,
			  c->stream[way]);
	return PROOF_OK;
}

/* The two rows are queued by turns: the first must not be done before the second is there. */
static inline int copy_sample(const struct copy *c, size_t bytes, int row, double *us)
{
	float ms = 0;
	int status = PROOF_OK;
	PROOF_TRY(cudaEventRecord, c->begin, c->stream[0]);
	if (c->ways == 2)
		PROOF_TRY(cudaStreamWaitEvent, c->stream[1], c->begin, 0);
	for (int i = 0; i < row; i++)
		for (int way = 0; way < c->ways && !status; way++)
			status = copy_once(c, way, bytes);
	if (status)
		return status;
	if (c->ways == 2) {
		PROOF_TRY(cudaEventRecord, c->joint, c->stream[1]);
		PROOF_TRY(cudaStreamWaitEvent, c->stream[0], c->joint, 0);
	}
	PROOF_TRY(cudaEventRecord, c->end, c->stream[0]);
	PROOF_TRY(cudaEventSynchronize, c->end);
	PROOF_TRY(cudaEventElapsedTime, &ms, c->begin, c->end);
	*us = ms * 1e3 / row;
	return PROOF_OK;
}

/*
 * samples: how many at best; row_us: how long a sample should be; after `seconds` three are enough.
 */
static inline int copy_measure(const struct copy *c, size_t bytes, int samples, double row_us,
			       double seconds, struct copy_time *out)
{
	double us[COPY_SAMPLES_MAX];
	int n = 0, status, row = 1;
	const double until = copy_clock() + seconds;
	for (int warm = 0; warm < 2; warm++)
		if ((status = copy_sample(c, bytes, 1, &us[0])))
			return status;
	row = (int)std::min<double>(COPY_ROW_MAX, std::max(1.0, row_us / std::max(us[0], 0.1)));
	if (row > 1 && (status = copy_sample(c, bytes, row, &us[0])))
		return status;
	while (n < samples && (n < 3 || copy_clock() < until)) {
		if ((status = copy_sample(c, bytes, row, &us[n])))
			return status;
		n++;
	}
	std::sort(us, us + n);
	out->us = n % 2 ? us[n / 2] : (us[n / 2 - 1] + us[n / 2]) / 2;
	out->samples = n;
	return PROOF_OK;
}

/* Sources filled, targets cleared. A host source is filled by its owner, once for all sizes. */
static inline int copy_prepare(const struct copy *c, size_t bytes, unsigned salt)
{
	for (int i = 0; i < c->ways; i++) {
		if (c->from[i].device >= 0) {
			PROOF_TRY(cudaSetDevice, c->from[i].device);
			pattern_fill<<<1024, 256>>>((pattern_t *)c->from[i].memory, bytes / 8,
						    salt + i);
			PROOF_TRY(cudaGetLastError);
			PROOF_TRY(cudaDeviceSynchronize);
		}
		if (c->to[i].device >= 0) {
			PROOF_TRY(cudaSetDevice, c->to[i].device);
			PROOF_TRY(cudaMemset, c->to[i].memory, PATTERN_CLEAR, bytes);
			PROOF_TRY(cudaDeviceSynchronize);
		} else {
			memset(c->to[i].memory, PATTERN_CLEAR, bytes);
		}
	}
	PROOF_TRY(cudaSetDevice, c->owner[0]);
	return PROOF_OK;
}

static inline int copy_check_device(const struct place *to, size_t bytes, unsigned salt)
{
	struct pattern_result r = {0, 0}, *result = NULL;
	pattern_t word = 0;
	PROOF_TRY(cudaSetDevice, to->device);
	PROOF_TRY(cudaMalloc, (void **)&result, sizeof *result);
	PROOF_TRY(cudaMemset, result, 0, sizeof *result);
	pattern_check<<<1024, 256>>>((const pattern_t *)to->memory, bytes / 8, salt, result);
	PROOF_TRY(cudaGetLastError);
	PROOF_TRY(cudaMemcpy, &r, result, sizeof r, cudaMemcpyDeviceToHost);
	PROOF_TRY(cudaFree, result);
	if (!r.wrong)
		return PROOF_OK;
	PROOF_TRY(cudaMemcpy, &word, to->memory + 8 * r.at, 8, cudaMemcpyDeviceToHost);
	return proof_wrong(TEST, "copied to a device", (double)r.at, (double)word,
			   (double)pattern_word(r.at, salt));
}

static inline int copy_check(const struct copy *c, size_t bytes, unsigned salt)
{
	for (int i = 0; i < c->ways; i++) {
		int status = PROOF_OK;
		if (c->to[i].device >= 0) {
			status = copy_check_device(&c->to[i], bytes, salt + i);
		} else {
			size_t at = pattern_check_host(c->to[i].memory, bytes, salt + i);
			pattern_t word = 0;
			if (at < bytes / 8) {
				memcpy(&word, c->to[i].memory + 8 * at, 8);
				status = proof_wrong(TEST, "copied to the host", (double)at,
						     (double)word,
						     (double)pattern_word(at, salt + i));
			}
		}
		if (status)
			return status;
	}
	PROOF_TRY(cudaSetDevice, c->owner[0]);
	return PROOF_OK;
}
