#pragma once
/* From the names in one of NVIDIA's component archives to the places in a prefix. Pure text. */

/*
 * Where the entry belongs ("cuda_cudart-linux-x86_64-12.4.127-archive/lib/libcudart.so" ->
 * "targets/x86_64-linux/lib/libcudart.so"), or NULL: the archive's own top folder. The name of
 * a folder ends in '/', and so does its place. arch: "x86_64", "sbsa", "aarch64", "ppc64le"; component: "cuda_cudart". The caller frees.
 */
char *redistmap(const char *entry, const char *arch, const char *component);
