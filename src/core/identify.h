#pragma once
/*
 * Which CUDA release a tree is, be it installed by whatever. The numbers of components are not the release:
 * nvcc of 13.0.2 is 13.0.88, and an update may leave it as it was.
 */
#include <stdbool.h>

#include "base/version.h"

struct identity {
	char release[VERSION_TEXT]; /* where only major and minor are told, those */
	const char
		*by; /* "version.json", "version.txt", "package", "cuda.h", "nvcc"; static text */
};

/*
 * In this order: version.json; version.txt; the packages that the tree is from (dpkg, rpm, conda, wheels);
 * cuda.h (major and minor); what nvcc --version says (the same). run: programs may be started, rpm and nvcc.
 * root: folder that stands for "/" where dpkg's data are looked up, "" but in tests. prefix: absolute; "/usr"
 * for the packages of Debian and Ubuntu, whose files are spread. false: nothing says.
 */
bool identify_release(const char *root, const char *prefix, bool run, struct identity *out);

/* The version of a component in version.json, as "cuda_nvcc". */
bool identify_component(const char *prefix, const char *component, char out[VERSION_TEXT]);
/* The digits and dots that s begins with; false when they are no version. */
bool identify_number(const char *s, char out[VERSION_TEXT]);
