#pragma once
/* From the names in a .deb to the places in a prefix. Pure text. */
#include <stdbool.h>

/*
 * Where the entry belongs, or NULL when a prefix has no use for it. Debian's packages have their own layout
 * ("usr/lib/nvidia-cuda-toolkit/bin/cicc" -> "nvvm/bin/cicc", "usr/include/cuda.h" ->
 * "targets/x86_64-linux/include/cuda.h"), NVIDIA's have the prefix itself ("usr/local/cuda-12.4/bin/nvcc" ->
 * "bin/nvcc"). lean: of the libraries only those that every program needs. arch: "x86_64", "sbsa"; component:
 * "cuda_nvcc". The caller frees.
 */
char *debmap(const char *entry, const char *arch, const char *component, bool lean);
