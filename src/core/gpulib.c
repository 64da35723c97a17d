#include "core/gpulib.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

/* The loader's own choice first; the paths serve where LD_LIBRARY_PATH has a stubs folder in front. */
#define PLACES(name)                                                                               \
	{                                                                                          \
		name, "/usr/lib/x86_64-linux-gnu/" name, "/usr/lib/aarch64-linux-gnu/" name,       \
			"/usr/lib64/" name, "/usr/lib/" name, "/usr/local/nvidia/lib64/" name,     \
			"/usr/lib/wsl/lib/" name, NULL                                             \
	}
const char *const gpulib_cuda[] = PLACES("libcuda.so.1");
const char *const gpulib_nvml[] = PLACES("libnvidia-ml.so.1");

/* Whether lib comes from a stubs folder, also by a link; its path is in out. */
static bool is_stub(void *lib, char *out, size_t cap)
{
	struct link_map *map = NULL;
	char real[PATH_MAX];
	if (dlinfo(lib, RTLD_DI_LINKMAP, &map) != 0 || !map || !map->l_name)
		return true;
	snprintf(out, cap, "%s", map->l_name);
	return strstr(map->l_name, "/stubs/") ||
	       (realpath(map->l_name, real) && strstr(real, "/stubs/"));
}

void gpulib_open(struct gpulib *l, const char *const *names)
{
	*l = (struct gpulib){0};
	for (; *names && !l->lib; names++) {
		char path[sizeof l->path] = "";
		void *lib = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
		const char *why = lib ? NULL : dlerror();
		if (!lib) {
			if (!l->why[0])
				snprintf(l->why, sizeof l->why, "%s", why ? why : "not loaded");
			continue;
		}
		if (!is_stub(lib, path, sizeof path)) {
			l->lib = lib;
			memcpy(l->path, path, sizeof path);
			l->why[0] = '\0';
			return;
		}
		if (!l->stub[0])
			memcpy(l->stub, path, sizeof path);
		dlclose(lib);
	}
	if (l->stub[0])
		snprintf(l->why, sizeof l->why, "only a stub is there, '%.200s'", l->stub);
	err_sanitize(l->why);
}

void gpulib_close(struct gpulib *l)
{
	if (l->lib)
		dlclose(l->lib);
	l->lib = NULL;
}
