#pragma once
#include "scratch.h"

#include <limits.h>

#include "base/event.h"

/* A prefix p/ whose nvcc is a script; real toolkits are in tests/toolkit. */
static char prefix[PATH_MAX + 8], here[PATH_MAX];
static char *old_tmpdir;
static char said[4096];

static inline void on_event(void *ctx, const struct event *ev)
{
	(void)ctx;
	if (ev->kind == EVENT_WARNING || ev->kind == EVENT_NOTE)
		snprintf(said, sizeof said, "%s", ev->text);
}
static const struct events events = {on_event, NULL};

static const char *const parts[] = {
	"bin/nvcc",
	"bin/nvcc.profile",
	"nvvm/bin/cicc",
	"nvvm/libdevice/libdevice.10.bc",
	"bin/cudafe++",
	"bin/ptxas",
	"bin/fatbinary",
	"bin/nvlink",
	"bin/crt/link.stub",
	"include/crt/host_config.h",
	"include/cuda_runtime.h",
	"lib64/libcudart.so",
	"lib64/libcudart_static.a",
	"lib64/libcudadevrt.a",
};

static inline void script(const char *path, const char *text)
{
	scratch_file(path, text);
	assert_int_equal(chmod(path, 0755), 0);
}

static inline void nvcc(const char *body)
{
	autofree char *text = xasprintf("#!/bin/sh\n%s\n", body);
	script("p/bin/nvcc", text);
}

static inline int enter(void **state)
{
	struct err err;
	static const char *const dirs[] = {"p/bin/crt",	    "p/nvvm/bin", "p/nvvm/libdevice",
					   "p/include/crt", "p/lib64",	  "kernels",
					   "path",	    "tmp"};
	if (scratch_enter(state) < 0 || !getcwd(here, sizeof here))
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(dirs); i++)
		if (!tree_mkdirs(dirs[i], &err))
			return -1;
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		autofree char *p = xasprintf("p/%s", parts[i]);
		script(p, "content\n");
	}
	scratch_file("p/include/crt/host_config.h", "#if __GNUC__ > 70\n#endif\n");
	scratch_file("kernels/hello.cu", "kernel\n");
	nvcc("exit 0");
	/* The host's own compilers are out of the play: these are 60. */
	const char *gcc = "#!/bin/sh\necho 60.1\n";
	script("path/gcc", gcc);
	script("path/g++", gcc);
	snprintf(prefix, sizeof prefix, "%s/p", here);
	autofree char *kernels = xasprintf("%s/kernels", here);
	autofree char *path = xasprintf("%s/path:/usr/bin:/bin", here);
	autofree char *tmp = xasprintf("%s/tmp", here);
	setenv("CUDAENV_KERNELS", kernels, 1);
	setenv("PATH", path, 1);
	old_tmpdir = getenv("TMPDIR") ? xstrdup(getenv("TMPDIR")) : NULL;
	setenv("TMPDIR", tmp, 1);
	said[0] = '\0';
	return 0;
}

static inline int leave(void **state)
{
	if (old_tmpdir)
		setenv("TMPDIR", old_tmpdir, 1);
	else
		unsetenv("TMPDIR");
	attr_free(&old_tmpdir);
	return scratch_leave(state);
}
