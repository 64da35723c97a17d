/*
 * Names and versions of packages, as they were seen:
 *   NVIDIA's .deb and .rpm   cuda-nvcc-12-4 12.4.131-1 has nvcc; cuda-toolkit-12-4 12.4.1-1 has the release
 *   Debian, Ubuntu           nvidia-cuda-toolkit 12.4.131~12.4.1-2, 11.5.1-1ubuntu1
 *   conda                    conda-meta/cuda-toolkit-12.4.1-0.json; cuda-version-12.4-hbda6634_3.json
 *   wheels                   cuda_toolkit-13.4.1.0.dist-info, whose fourth part is one of packaging
 */
#include "core/identify_package.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/path.h"
#include "base/scan.h"
#include "core/identify.h"
#include "core/package.h"

/* At most three parts of the version that text begins with. */
static bool take_release(const char *text, char out[VERSION_TEXT])
{
	struct version v;
	char number[VERSION_TEXT];
	if (!identify_number(text, number) || !version_parse(number, strlen(number), &v) ||
	    v.n < 2 || v.part[0] < 5 || v.part[0] > 99)
		return false;
	v.n = v.n > 3 ? 3 : v.n;
	version_format(&v, out, VERSION_TEXT);
	return true;
}

/* 12.4.1 of 12.4.131~12.4.1-2, where the first is nvcc's number. */
static bool from_debian(const char *version, char out[VERSION_TEXT])
{
	const char *tilde = strchr(version, '~');
	return take_release(tilde ? tilde + 1 : version, out);
}

/* ending: "12-4" of the package that has nvcc. */
static bool from_nvidia(const char *root, const char *ending, bool run, char out[VERSION_TEXT])
{
	static const char *const names[] = {"cuda-toolkit", "cuda", "cuda-minimal-build",
					    "cuda-compiler"};
	unsigned major, minor;
	if (sscanf(ending, "%2u-%2u", &major, &minor) != 2)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		autofree char *name = xasprintf("%s-%u-%u", names[i], major, minor);
		autofree char *version = package_version(root, name, run);
		if (version && take_release(version, out))
			return true;
	}
	snprintf(out, VERSION_TEXT, "%u.%u", major, minor);
	return true;
}

/* nvcc without the folder that stands for "/". */
static bool from_system(const char *root, const char *prefix, bool run, char out[VERSION_TEXT])
{
	static const char nvidia[] = "cuda-nvcc-";
	autofree char *nvcc = xasprintf("%s/bin/nvcc", prefix);
	autofree char *real = realpath(nvcc, NULL);
	size_t n = strlen(root);
	if (!real || strncmp(real, root, n) != 0)
		return false;
	autofree char *owner = package_owner(root, real + n, run);
	if (owner && !strncmp(owner, nvidia, sizeof nvidia - 1))
		return from_nvidia(root, owner + sizeof nvidia - 1, run, out);
	autofree char *version = owner && !strcmp(owner, "nvidia-cuda-toolkit")
					 ? package_version(root, owner, run)
					 : NULL;
	return version && from_debian(version, out);
}

/* The file or folder whose name has the release behind one of these words, the first word first. */
struct search {
	const char *const *words;
	size_t best; /* index of the word; the number of words: none yet */
	char release[VERSION_TEXT];
};

static bool match_name(void *ctx, const char *name, unsigned char type)
{
	struct search *s = ctx;
	char release[VERSION_TEXT];
	for (size_t i = 0; i < s->best; i++) {
		size_t n = strlen(s->words[i]);
		if (strncmp(name, s->words[i], n) != 0 || !take_release(name + n, release))
			continue;
		memcpy(s->release, release, sizeof release);
		s->best = i;
	}
	return true;
}

static bool from_names(const char *folder, const char *const *words, size_t count,
		       char out[VERSION_TEXT])
{
	struct search s = {.words = words, .best = count};
	if (!scan_folder(folder, match_name, &s) || s.best == count)
		return false;
	memcpy(out, s.release, VERSION_TEXT);
	return true;
}

static bool from_conda(const char *prefix, char out[VERSION_TEXT])
{
	static const char *const words[] = {"cuda-toolkit-", "cuda-", "cuda-compiler-",
					    "cudatoolkit-dev-", "cuda-version-"};
	autofree char *folder = xasprintf("%s/conda-meta", prefix);
	return from_names(folder, words, ARRAY_LEN(words), out);
}

/* site-packages/nvidia/cu13 */
static bool from_wheels(const char *prefix, char out[VERSION_TEXT])
{
	static const char *const words[] = {"cuda_toolkit-"};
	autofree char *site = xasprintf("%s/../..", prefix);
	return !strncmp(path_base(prefix), "cu", 2) &&
	       from_names(site, words, ARRAY_LEN(words), out);
}

bool identify_package(const char *root, const char *prefix, bool run, char out[VERSION_TEXT])
{
	return from_wheels(prefix, out) || from_conda(prefix, out) ||
	       from_system(root, prefix, run, out);
}
