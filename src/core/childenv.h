#pragma once
/*
 * The environment of the compilers that are started here: the user's own, without what would lead
 * them to another toolkit (CPATH, LIBRARY_PATH, NVCC_..., CUDA_..., folders of other toolkits on
 * PATH), in the C locale.
 */
#include <stdbool.h>
#include <stddef.h>

/* NULL-ended; TMPDIR is tmpdir, or as it was with NULL. Freed by childenv_free. */
char **childenv_new(const char *tmpdir);
/*
 * For a program that runs on the GPU: all of the user's environment, since that decides what programs see,
 * but PTX is neither forced nor forbidden, nor is its machine code kept. visible: CUDA_VISIBLE_DEVICES, NULL: the user's.
 * libraries: first in LD_LIBRARY_PATH, NULL: as it is. Freed by childenv_free.
 */
char **childenv_for_gpu(const char *tmpdir, const char *visible, const char *libraries);
void childenv_free(char ***env);
#define autoenv __attribute__((cleanup(childenv_free)))

/* The i-th absolute folder on PATH: true and its path in out. Parts that do not fit are left out.
 */
bool childenv_path(int i, char *out, size_t cap);
/* A program by name on PATH, absolute. */
bool childenv_find(const char *name, char *out, size_t cap);
/* Whether <dir>/<name> is a program that this user can start. */
bool childenv_program(const char *dir, const char *name);
