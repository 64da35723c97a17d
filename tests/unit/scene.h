#pragma once
/* A whole machine below a scratch folder, for tests of facts and doctor: files, environment, GPUs. */
#include <limits.h>

#include "base/buf.h"
#include "base/tree.h"
#include "core/doctor.h"
#include "scratch.h"

static char scene_top[PATH_MAX];
static struct layout scene_layout;

/* '@' stands for the scratch folder. */
static inline char *scene_expand(const char *text)
{
	autobuf struct buf b = BUF_INIT(1 << 20);
	for (; *text; text++)
		if (*text == '@')
			buf_adds(&b, scene_top);
		else
			buf_addc(&b, *text);
	return buf_take(&b);
}

static inline void scene_parent(const char *path)
{
	struct err err;
	const char *slash = strrchr(path, '/');
	autofree char *dir = xstrndup(path, slash ? (size_t)(slash - path) : 0);
	if (dir[0])
		assert_true(tree_mkdirs(dir, &err));
}

/*
 * One line: "path|text" a file ('^' in text: a new line), "!path|text" a program, "path>target" a link, "path/" a
 * folder, "-path" removed.
 */
static inline void scene_put(const char *line)
{
	struct err err;
	autofree char *path = scene_expand(line + (line[0] == '!' || line[0] == '-'));
	char *mark = path + strcspn(path, "|>"), kind = *mark;
	*mark = '\0';
	if (line[0] == '-') {
		assert_true(tree_remove(path, &err));
		return;
	}
	if (kind == '\0') {
		assert_true(tree_mkdirs(path, &err));
		return;
	}
	scene_parent(path);
	assert_true(tree_remove(path, &err));
	if (kind == '>') {
		assert_int_equal(symlink(mark + 1, path), 0);
		return;
	}
	for (char *p = mark + 1; *p; p++)
		if (*p == '^')
			*p = '\n';
	scratch_file(path, mark + 1);
	if (line[0] == '!')
		assert_int_equal(chmod(path, 0755), 0);
}

/* Lines that end with a new line. */
static inline void scene_put_all(const char *lines)
{
	while (lines && *lines) {
		size_t n = strcspn(lines, "\n");
		autofree char *line = xstrndup(lines, n);
		scene_put(line);
		lines += n + (lines[n] == '\n');
	}
}

/* "A=b\nC=d". */
static inline void scene_environment(const char *lines)
{
	while (lines && *lines) {
		size_t n = strcspn(lines, "\n");
		autofree char *line = xstrndup(lines, n), *all = scene_expand(line);
		char *eq = strchr(all, '=');
		*eq = '\0';
		setenv(all, eq + 1, 1);
		lines += n + (lines[n] == '\n');
	}
}

#define SCENE_TOOLKIT(version, limits)                                                             \
	"!r/versions/" version "/bin/nvcc|#!/bin/sh^echo release " version "\n"                    \
	"r/versions/" version "/bin/nvcc.profile|x\n"                                              \
	"!r/versions/" version "/bin/ptxas|x\n"                                                    \
	"r/versions/" version "/nvvm/bin/cicc|x\n"                                                 \
	"r/versions/" version "/nvvm/libdevice/libdevice.10.bc|x\n"                                \
	"r/versions/" version "/targets/x86_64-linux/include/crt/host_config.h|" limits "\n"       \
	"r/versions/" version "/targets/x86_64-linux/include/cuda_runtime.h|x\n"                   \
	"r/versions/" version "/targets/x86_64-linux/lib/libcudart.so.12.0.1|x\n"                  \
	"r/versions/" version "/targets/x86_64-linux/lib/libcudart.so.12>libcudart.so.12.0.1\n"    \
	"r/versions/" version "/targets/x86_64-linux/lib/libcudart.so>libcudart.so.12\n"           \
	"r/versions/" version "/targets/x86_64-linux/lib/libcudart_static.a|x\n"                   \
	"r/versions/" version "/include>targets/x86_64-linux/include\n"                            \
	"r/versions/" version "/lib64>targets/x86_64-linux/lib\n"                                  \
	"r/versions/" version "/version.json|{\"cuda\": {\"version\": \"" version "\"}}\n"

#define SCENE_GCC(version)                                                                         \
	"!bin/gcc|#!/bin/sh^case $1 in -dumpversion) echo " version ";; *) echo gcc " version      \
	";; esac\n"                                                                                \
	"!bin/g++|#!/bin/sh^case $1 in -dumpversion) echo " version ";; *) echo g++ " version      \
	";; esac\n"

/* 12.4.1 is selected, an H100 with a driver that serves it, and nothing wrong. */
static const char scene_machine[] =
	SCENE_TOOLKIT("12.4.1", "#if __GNUC__ > 13^#endif") SCENE_TOOLKIT(
		"11.8.0",
		"#if __GNUC__ > 11^#endif") "!r/shims/.cudaenv-shim|shim\n"
					    "!r/shims/nvcc|shim\n"
					    "shim|shim\n"
					    "home/\n"
					    "work/\n"
					    "fs/proc/driver/nvidia/version|NVRM version: NVIDIA "
					    "UNIX x86_64 Kernel Module  550.54.15  x^\n"
					    "fs/sys/module/nvidia/\n"
					    "fs/sys/module/nvidia_uvm/\n"
					    "fs/sys/bus/pci/devices/0000:19:00.0/vendor|0x10de^\n"
					    "fs/sys/bus/pci/devices/0000:19:00.0/class|0x030200^\n"
					    "fs/sys/bus/pci/devices/0000:19:00.0/device|0x2330^\n"
					    "fs/sys/bus/pci/devices/0000:19:00.0/driver>../../../"
					    "../bus/pci/drivers/nvidia\n"
					    "fs/dev/nvidiactl|\n"
					    "fs/dev/nvidia0|\n"
					    "fs/dev/nvidia-uvm|\n" SCENE_GCC("12");

static inline struct gpus scene_gpus(void)
{
	struct gpus g = {.end = GPUS_TOLD,
			 .libcuda = "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
			 .libnvml = "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1",
			 .cuda = 12040,
			 .driver = "550.54.15",
			 .nvml_driver = "550.54.15",
			 .node_ctl = true,
			 .node_uvm = true,
			 .nodes = 1,
			 .n = 1};
	g.items[0] = (struct gpu){.name = "NVIDIA H100",
				  .uuid = "GPU-8a56a4bc-1184-d5b3-8e7e-4ab7ebdd3bcf",
				  .cc = 90,
				  .memory = 80ull << 30};
	return g;
}

static inline int scene_enter(void **state)
{
	if (scratch_enter(state) < 0 || !getcwd(scene_top, sizeof scene_top - 8))
		return -1;
	snprintf(scene_layout.root, sizeof scene_layout.root, "%.*s/r", PATH_MAX - 3, scene_top);
	clearenv();
	scene_environment(
		"PATH=@/r/shims:@/bin\nHOME=@/home\nCUDAENV_VERSION=12.4\nCUDAENV_SHIM=@/shim");
	scene_put_all(scene_machine);
	return chdir("work");
}
