#include "core/adopt_places.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/io.h"
#include "base/resolve.h"
#include "base/tool.h"

enum { CONDA_LIST_MAX = 1 << 20 };

static const char *const below_root[] = {
	"/usr/local/cuda",
	"/usr/local/cuda-*",
	"/opt/cuda",
	"/opt/cuda-*",
	"/opt/nvidia/cuda*",
	"/opt/nvidia/hpc_sdk/*/*/cuda/*",
	"/usr/lib/nvidia-cuda-toolkit",
	"/usr/local/lib/python3*/*-packages/nvidia/cu*",
	"/opt/conda",
	"/opt/conda/envs/*",
	"/opt/miniconda3",
	"/opt/miniconda3/envs/*",
};

static const char *const below_home[] = {
	"/miniconda3",	      "/miniconda3/envs/*", "/anaconda3",
	"/anaconda3/envs/*",  "/miniforge3",	    "/miniforge3/envs/*",
	"/mambaforge",	      "/mambaforge/envs/*", "/micromamba",
	"/micromamba/envs/*", "/.conda/envs/*",	    "/.local/lib/python3*/site-packages/nvidia/cu*",
};

static void add_matches(const char *folder, const char *pattern, struct strlist *out)
{
	glob_t g;
	autobuf struct buf full = BUF_INIT(4 * PATH_MAX);
	for (const char *p = folder; *p; p++) {
		if (strchr("*?[\\", *p))
			buf_addc(&full, '\\');
		buf_addc(&full, *p);
	}
	buf_adds(&full, pattern);
	if (glob(buf_str(&full), 0, NULL, &g) != 0)
		return;
	for (size_t i = 0; i < g.gl_pathc; i++)
		strlist_add(out, g.gl_pathv[i]);
	globfree(&g);
}

static void add_variables(struct strlist *out)
{
	static const char *const names[] = {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT",
					    "CUDAToolkit_ROOT", "CONDA_PREFIX"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *value = getenv(names[i]);
		if (value && value[0] == '/')
			strlist_add(out, value);
	}
	const char *venv = getenv("VIRTUAL_ENV");
	if (venv && venv[0] == '/')
		add_matches(venv, "/lib/python3*/site-packages/nvidia/cu*", out);
}

/* conda writes down where its environments are, one path a line. */
static void add_conda_list(const char *home, struct strlist *out)
{
	struct err ignored;
	autobuf struct buf text = BUF_INIT(CONDA_LIST_MAX);
	autofree char *file = xasprintf("%s/.conda/environments.txt", home);
	if (!io_read_file(file, &text, &ignored))
		return;
	for (const char *p = buf_str(&text); *p;) {
		size_t n = strcspn(p, "\n");
		autofree char *line = xstrndup(p, n);
		if (line[0] == '/')
			strlist_add(out, line);
		p += n + (p[n] == '\n');
	}
}

static void add_path_nvcc(const struct layout *l, struct strlist *out)
{
	const struct selection system = {.origin = ORIGIN_DEFAULT};
	char nvcc[PATH_MAX];
	struct err ignored;
	if (tool_find(l, &system, "nvcc", NULL, nvcc, sizeof nvcc, &ignored))
		strlist_add(out, nvcc);
}

void adopt_places(const struct layout *l, const char *root, struct strlist *out)
{
	const char *home = getenv("HOME");
	for (size_t i = 0; i < ARRAY_LEN(below_root); i++)
		add_matches(root, below_root[i], out);
	add_variables(out);
	add_path_nvcc(l, out);
	if (!home || home[0] != '/')
		return;
	for (size_t i = 0; i < ARRAY_LEN(below_home); i++)
		add_matches(home, below_home[i], out);
	add_conda_list(home, out);
}
