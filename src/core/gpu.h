#pragma once
/*
 * The GPUs of this machine, as the driver tells: libcuda.so.1 and libnvidia-ml.so.1 are loaded and asked
 * in a child of our own, since cuInit may hang, crash or take seconds. Call it before any thread starts.
 */
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GPUS_MAX = 64 };

/* Numbers are 0, and states GPU_UNKNOWN, where the driver does not tell. */
enum gpu_state { GPU_UNKNOWN = -1, GPU_OFF, GPU_ON };
enum gpu_compute_mode { GPU_SHARED, GPU_EXCLUSIVE_THREAD, GPU_PROHIBITED, GPU_EXCLUSIVE };

struct gpu {
	int index;     /* nvidia-smi's number; -1 unknown */
	int ordinal;   /* CUDA's number; -1: programs do not see it (CUDA_VISIBLE_DEVICES) */
	char name[96]; /* "NVIDIA H200" */
	char uuid[48]; /* "GPU-..." or "MIG-..." */
	char pci[24];  /* "0000:19:00.0" */
	int cc;	       /* compute capability: 90 is 9.0, 121 is 12.1 */
	uint64_t memory;
	int pcie_gen, pcie_width;	  /* now: an idle GPU may go down to 1 */
	int pcie_gen_max, pcie_width_max; /* of this GPU in this slot */
	int memory_clock;		  /* kHz, the highest */
	int memory_bus;			  /* bits */
	enum gpu_state ecc, mig;
	int compute_mode; /* enum gpu_compute_mode, -1 unknown */
};

enum gpus_end {
	GPUS_TOLD,	/* the child came to its end: `code` says how it went */
	GPUS_HUNG,	/* it did not before the deadline, in the call `step` */
	GPUS_CRASHED,	/* by `signal` in `step` */
	GPUS_NOT_ASKED, /* no child could be had, or we were interrupted */
};

struct gpus {
	enum gpus_end end;
	int signal;
	char step[32];		/* "cuInit": what was called last */
	char libcuda[PATH_MAX]; /* what was loaded; "" none */
	char why[256];		/* why libcuda.so.1 was not: the loader's words; "" */
	char stub[PATH_MAX];	/* a stub that stood in front of it; "" */
	int code;		/* cuInit's result; -1: it was not called */
	int cuda;		/* cuDriverGetVersion: 13000; 0 unknown */
	char libnvml[PATH_MAX]; /* "" none */
	int nvml_code;	 /* nvmlInit's result (18: driver and library differ); -1: not called */
	char driver[32]; /* the kernel's driver, "580.95.05"; "" none (as in WSL) */
	char nvml_driver[32]; /* as NVML tells it; "" */
	/* Device nodes that this user may open, and how many /dev/nvidiaN are there. */
	bool node_ctl, node_uvm;
	int nodes;
	size_t n;
	/* Those that programs see in CUDA's order, then the hidden ones. */
	struct gpu items[GPUS_MAX];
};

/* Where to look; gpu_probe looks at the real places. */
struct gpu_places {
	const char *root;			     /* in front of /proc, /sys and /dev; "" */
	const char *const *libcuda, *const *libnvml; /* as in core/host.h */
	int deadline_ms;
	bool quick; /* see gpu_probe_quick */
};
void gpu_probe(struct gpus *g);
/*
 * The same without cuInit, which takes longer than all else, where NVML tells as much: the GPUs are alike,
 * and none is hidden or parted (MIG). `code` is -1 then.
 */
void gpu_probe_quick(struct gpus *g);
void gpu_probe_at(struct gpus *g, const struct gpu_places *at);

/* How many programs see. */
size_t gpu_visible(const struct gpus *g);

/*
 * The name of a result of the driver, "CUDA_ERROR_NO_DEVICE"; "error 77" where it is none of those that a
 * user may meet. buf is used for the latter. The runtime's numbers are the same from CUDA 10.1 on.
 */
const char *gpu_code_name(int code, char *buf, size_t cap);
/* The cause in words and the next step, NULL where there is no better one than the name. Static text. */
const char *gpu_code_cause(int code);
const char *gpu_code_remedy(int code);

/* Bytes a second that the link or the memory can carry, 0 unknown: limits that no measurement passes. */
double gpu_pcie_limit(int gen, int width);
double gpu_memory_limit(const struct gpu *g);
