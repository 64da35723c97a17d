#pragma once
/* What Meson wrote down of CUDA in a folder that it set up. No allocation: the hook's launcher uses it. */
#include <limits.h>
#include <stdbool.h>

struct mesonlog {
	int cuda;	       /* of its nvcc, as CUDA_VERSION: 12040; 0: no nvcc */
	char source[PATH_MAX]; /* the project's folder */
};
/* Reads folder/meson-logs/meson-log.txt (1.0 and 1.12). false: Meson did not set up this folder. */
bool mesonlog_read(struct mesonlog *out, const char *folder);

/* CUDA_VERSION of a toolkit's cuda.h; 0: not told. */
int mesonlog_number(const char *prefix);
