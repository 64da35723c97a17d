#pragma once
/*
 * Which compute capabilities a toolkit compiles machine code for, as its own nvcc says; for those before 11.0, which
 * cannot tell, the catalog knows (catalog_gpu_list).
 */
#include <stdbool.h>
#include <stddef.h>

enum { GPUARCH_MAX = 64 };
struct gpuarch_list {
	int cc[GPUARCH_MAX]; /* 90 is 9.0; ascending */
	size_t n;
};

/* By `nvcc --list-gpu-code` of this prefix. false: it does not tell. */
bool gpuarch_of(const char *prefix, struct gpuarch_list *out);
/* What nvcc prints: names like sm_90 between blanks or newlines; those with a letter behind are left out. */
void gpuarch_parse(const char *text, struct gpuarch_list *out);
/* Numbers alone, as the catalog has them: "75 80 90". */
void gpuarch_numbers(const char *text, struct gpuarch_list *out);

enum gpuarch_fit {
	GPUARCH_FITS,	 /* *use is the listed one whose machine code runs on this GPU */
	GPUARCH_DROPPED, /* the toolkit is too new: all listed are higher */
	GPUARCH_TOO_NEW, /* the toolkit is too old for the GPU */
};
/* Machine code of X.y runs on X.z with z >= y. */
enum gpuarch_fit gpuarch_fit(const struct gpuarch_list *l, int cc, int *use);
/* The highest listed that is not above cc: its PTX can be made for the GPU by the driver. 0: none. */
int gpuarch_ptx(const struct gpuarch_list *l, int cc);
