#include "core/hostcc.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/buf.h"
#include "base/path.h"
#include "base/tree.h"
#include "core/childenv.h"
#include "core/nvccprofile.h"

/* nvcc names itself in its output, without what is behind the dot; CMake reads that. */
#define PROGRAM "nvcc.bin"

static const char wrapper[] =
	"#!/bin/sh\n"
	"# The default host compiler is one that this nvcc refuses, so ../.cudaenv/ccbin comes "
	"first.\n"
	"here=${0%/*}\n"
	"case $here in /*) ;; *) here=$PWD/$here ;; esac\n"
	"PATH=\"$here/../.cudaenv/ccbin${PATH:+:$PATH}\" exec \"$here/" PROGRAM "\" \"$@\"\n";

/* bin/nvcc is at each moment either the program or a whole script. */
static bool set_wrapper(const char *prefix, bool on, struct err *err)
{
	autofree char *nvcc = xasprintf("%s/bin/nvcc", prefix);
	autofree char *program = xasprintf("%s/bin/" PROGRAM, prefix);
	if (!on) {
		if (rename(program, nvcc) < 0 && errno != ENOENT)
			return err_sys(err, ERR_FILESYSTEM, "cannot move '%s' to '%s'", program,
				       nvcc);
		return true;
	}
	/* A file system without hard links: nvcc is away for a moment. */
	if (link(nvcc, program) < 0 && errno != EEXIST && rename(nvcc, program) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot link '%s' to '%s'", nvcc, program);
	if (!atomic_write(nvcc, wrapper, sizeof wrapper - 1, 0755, err))
		return false;
	if (chmod(nvcc, 0755) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot open '%s' to all users", nvcc);
	return true;
}

static bool add_link(const char *dir, const char *name, const char *target, struct err *err)
{
	autofree char *path = xasprintf("%s/%s", dir, name);
	if (symlink(target, path) < 0 && errno != EEXIST)
		return err_sys(err, ERR_FILESYSTEM, "cannot create link '%s'", path);
	return true;
}

/*
 * With the line, nvcc looks for a compiler that the user names without a folder (-ccbin g++-12) in
 * our folder too, so the numbered ones that are here are linked there.
 */
static bool link_numbered(const char *dir, struct err *err)
{
	static const char *const forms[] = {"gcc-%d", "g++-%d", "clang-%d", "clang++-%d"};
	char name[32], target[PATH_MAX];
	for (size_t i = 0; i < ARRAY_LEN(forms); i++)
		for (int n = 4; n < 40; n++) {
			size_t stem = strcspn(forms[i], "%");
			snprintf(name, sizeof name, "%.*s%d", (int)stem, forms[i], n);
			if (childenv_find(name, target, sizeof target) &&
			    !add_link(dir, name, target, err))
				return false;
		}
	return true;
}

static bool set_folder(const char *prefix, const struct hostcc *cc, struct err *err)
{
	autofree char *top = xasprintf("%s/.cudaenv", prefix);
	autofree char *dir = xasprintf("%s/ccbin", top);
	autofree char *tmp = xasprintf("%s/ccbin.new", top);
	if (!cc)
		return tree_remove(dir, err);
	if (!tree_remove(tmp, err))
		return false;
	if ((mkdir(top, 0755) == 0 && chmod(top, 0755) < 0) || mkdir(tmp, 0755) < 0 ||
	    chmod(tmp, 0755) < 0)
		return err_sys(err, ERR_FILESYSTEM, "cannot create folder '%s'", tmp);
	/* Exchanged as a whole, so that a build that runs meanwhile always finds one. */
	return add_link(tmp, "gcc", cc->cc, err) && add_link(tmp, "g++", cc->cxx, err) &&
	       link_numbered(tmp, err) && atomic_publish(tmp, dir, NULL, err) &&
	       tree_remove(tmp, err);
}

static bool set_line(const char *prefix, bool on, struct err *err)
{
	static const char line[] = "compiler-bindir = " NVCCPROFILE_OWN "ccbin\n";
	return nvccprofile_set(prefix, "ccbin", on ? line : "", "compiler-bindir", err);
}

bool hostcc_set(const char *prefix, const struct hostcc *cc, enum hostcc_way way, struct err *err)
{
	if (cc)
		return set_folder(prefix, cc, err) && set_line(prefix, way == HOSTCC_LINE, err) &&
		       set_wrapper(prefix, way == HOSTCC_WRAPPER, err);
	return set_line(prefix, false, err) && set_wrapper(prefix, false, err) &&
	       set_folder(prefix, NULL, err);
}

bool hostcc_current(const char *prefix, char *cxx, size_t cap)
{
	char target[PATH_MAX];
	autofree char *path = xasprintf("%s/.cudaenv/ccbin/g++", prefix);
	ssize_t n = readlink(path, target, sizeof target);
	if (n <= 0 || (size_t)n >= sizeof target || (size_t)n >= cap)
		return false;
	memcpy(cxx, target, (size_t)n);
	cxx[n] = '\0';
	return true;
}
