#pragma once
/*
 * Results of `verify --json` from several versions or many hosts, as srun, Ansible or kubectl collect them,
 * and which of their figures stand out.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct verdict;

enum {
	RESULTS_TEXT_MAX = 256 << 20, /* bytes of one file */
	RESULTS_MAX = 20000,	      /* results in all */
	RESULT_RATES_MAX = 20000,     /* figures of one result: those of 16 GPUs are 1,500 */
};

/* One figure, of kernels/proof.h. Texts are printable. */
struct rate {
	char kind[12], memory[12], method[12]; /* "h2d", "pinned", "memcpy" */
	char gpu[64];
	int device, peer; /* peer < 0: none */
	bool direct;	  /* to a peer without the host */
	uint64_t bytes;
	double gbps;
	double off; /* share of the median that it is above (> 0) or below (< 0), where it stands out; else 0 */
};

/* The proof of one version on one host. */
struct result {
	char host[128], version[64], verdict[32], detail[512];
	char gpu[128], driver[32], date[32], code[16], ptx[32]; /* "" not told */
	bool good;						/* the verdict is */
	bool slow; /* far below what its own machine can */
	double h2d, d2h,
		d2d; /* 1e9 bytes/s: the best of each GPU, and of these the lowest; 0 not measured */
	double link,
		memory; /* what PCIe and the memory could do at most, of the lowest GPU; 0 not told */
	struct rate *rates;
	size_t n;
};

struct results {
	struct result *items;
	size_t n;
	size_t noise;	 /* lines that are no result */
	size_t damaged;	 /* lines that look like one and cannot be read */
	size_t replaced; /* of a host and version that came again: the later one counts */
};

/*
 * Adds what the text has. A line may have something in front: a host ("host1: ", "[pod/x] ", as Ansible's
 * "host1 | CHANGED | rc=0 | (stdout) "), which then counts more than the host's own name, or a task's number.
 * ERR_USAGE: more than RESULTS_MAX.
 */
must_check bool results_add(struct results *r, const char *text, size_t len, struct err *err);
/* Adds a stored verdict. */
must_check bool results_add_verdict(struct results *r, const char *host, const char *version,
				    const struct verdict *v, struct err *err);
/*
 * Sorts by host and version, and sets `off` of each figure that is far from the others of its GPU, kind,
 * memory, method and size: more than 3.5 standard deviations as the median distance from the median tells
 * them, and more than a tenth (copies of less than 20 us, and of pageable memory, three tenths). Two do not say which of them is wrong: at least
 * three are needed.
 */
void results_finish(struct results *r);
void results_clear(struct results *r);
#define autoresults __attribute__((cleanup(results_clear)))

/* The figure of one result that stands out most; NULL: none. */
const struct rate *result_worst(const struct result *r);
/* Whether a figure stands out that says something of h2d, d2h and d2d: not of pageable memory or short copies. */
bool result_marked(const struct result *r, const char *kind);
/*
 * What is to be said of a result: its detail, then what stands out ("from the GPU, pinned, 256 MiB: 61% below the
 * median, and 3 more"). Returns out; "" nothing.
 */
const char *result_remark(const struct result *r, char *out, size_t cap);
/* "256 MiB". Returns out. */
const char *rate_size(uint64_t bytes, char out[24]);
