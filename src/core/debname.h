#pragma once
/* What a package of Debian, Ubuntu or NVIDIA's apt repository is in the words of the redist manifests. */
#include <stdbool.h>

#include "core/source.h"

/*
 * "libcudart11.0" -> "cuda_cudart", "nvidia-cuda-toolkit" -> "cuda_nvcc", "cuda-cudart-dev-12-4" ->
 * "cuda_cudart_dev". NULL: it brings nothing that a prefix has a use for (it only names others, or is a driver).
 * The caller frees.
 */
char *debname_component(const char *package);
/* Whether such a component belongs to the profile. */
bool debname_wanted(const char *component, enum profile p);
/* Whether a package holds so much more than a compiler needs that the minimal profile takes a part of it. */
bool debname_is_large(const char *component);
