#pragma once
/* Names of packages against names of components, and which component needs which. */
#include <stdbool.h>

#include "base/version.h"
#include "core/pep440.h"

/* "nvidia-cuda-runtime" -> "cuda_cudart", as the manifests of that release call it. The caller
 * frees. */
char *wheelpkg_component(const char *package, const struct version *release);

/* Whether a person who says `asked` means the package: its name, its component's, in any release's
 * spelling. */
bool wheelpkg_means(const char *asked, const char *package);

/* Packages without which this one is of no use, NULL-ended; those that a release lacks do not
 * matter. */
const char *const *wheelpkg_needs(const char *package);
