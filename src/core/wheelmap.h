#pragma once
/* From the names in a wheel to the places in a prefix. Pure text. */

/*
 * Where the entry belongs ("nvidia/cu13/lib/libcudart.so.13" -> "targets/x86_64-linux/lib/libcudart.so.13"),
 * or NULL when a prefix has no use for it (Python's own files, build left-overs). arch: "x86_64", "sbsa";
 * component: "cuda_nvcc". The caller frees.
 */
char *wheelmap(const char *entry, const char *arch, const char *component);
