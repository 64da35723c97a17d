#pragma once
/* GPUs by what PCI tells, where there is no driver to ask. */
#include <stdbool.h>
#include <stddef.h>

struct gpuid {
	int cc; /* 90 is compute capability 9.0 */
	char name[96];
};
/*
 * device: the PCI device id of a GPU of NVIDIA's. path NULL: the installed gpus.tsv. false: not known, so newer
 * than the table or older than Kepler, which no CUDA since 9.0 serves.
 */
bool gpuid_find(const char *path, unsigned device, struct gpuid *out);

/* The last branch of drivers for it ("470"); NULL: it is served still. */
const char *gpuid_last_driver(int cc);
