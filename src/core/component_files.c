#include "core/component_files.h"

#include <jansson.h>
#include <string.h>
#include <strings.h>

#include "base/attr.h"
#include "base/buf.h"
#include "base/io.h"
#include "base/path.h"

enum { COMPONENT_MAX = 64 << 20 };

static json_t *read_component(const struct layout *l, const char *sha256)
{
	struct err ignored;
	autobuf struct buf text = BUF_INIT(COMPONENT_MAX);
	autofree char *path = xasprintf("%s/store/%s/component.json", l->root, sha256);
	return io_read_file(path, &text, &ignored) ? json_loadb(buf_str(&text), text.len, 0, NULL)
						   : NULL;
}

char *component_words(const struct layout *l, const char *sha256)
{
	json_auto_t *root = read_component(l, sha256);
	const char *name = json_string_value(json_object_get(root, "name"));
	const char *version = json_string_value(json_object_get(root, "version"));
	return name ? xasprintf("%s %s", name, version ? version : "") : NULL;
}

uint64_t component_bytes(const struct layout *l, const char *sha256)
{
	json_auto_t *root = read_component(l, sha256);
	json_int_t n = json_integer_value(json_object_get(root, "bytes"));
	return n > 0 ? (uint64_t)n : 0;
}

static bool ends_in(const char *path, const char *file)
{
	size_t n = strlen(path), m = strlen(file);
	return n >= m && !strcmp(path + n - m, file) && (n == m || path[n - m - 1] == '/');
}

char *component_file(const struct layout *l, const char *sha256, const char *file, char **name)
{
	json_auto_t *root = read_component(l, sha256);
	const char *called = json_string_value(json_object_get(root, "name"));
	size_t i;
	json_t *f;
	json_array_foreach(json_object_get(root, "files"), i, f)
	{
		const char *path = json_string_value(json_object_get(f, "path"));
		if (!called || !path || !ends_in(path, file))
			continue;
		*name = xstrdup(called);
		return xstrdup(path);
	}
	return NULL;
}

/*
 * How the names of a component's programs, libraries (behind "lib") and headers begin. The first that fits counts; NULL:
 * no toolkit's.
 */
static const struct {
	const char *start, *component;
} facts[] = {
	{"accinj", "cuda_nvprof"},
	{"compute-sanitizer", "cuda_sanitizer_api"},
	{"cu++filt", "cuda_cuxxfilt"},
	{"cublasdx", NULL},
	{"cublasmp", NULL},
	{"cublas", "libcublas"},
	{"cudaprofiler.", "cuda_profiler_api"},
	{"cuda_profiler_api", "cuda_profiler_api"},
	{"cuda-gdb", "cuda_gdb"},
	{"cuda-memcheck", "cuda_memcheck"},
	{"cufftdx", NULL},
	{"cufftmp", NULL},
	{"cufft", "libcufft"},
	{"cufile", "libcufile"},
	{"cuinj", "cuda_nvprof"},
	{"cuobjdump", "cuda_cuobjdump"},
	{"cupti", "cuda_cupti"},
	{"curanddx", NULL},
	{"curand", "libcurand"},
	{"cusolverdx", NULL},
	{"cusolvermp", NULL},
	{"cusolver", "libcusolver"},
	{"cusparselt", NULL},
	{"cusparse", "libcusparse"},
	{"ncurses", NULL},
	{"ncu", "nsight_compute"},
	{"nppplus", NULL},
	{"npp", "libnpp"},
	{"nsys", "nsight_systems"},
	{"nvblas", "libcublas"},
	{"nvdisasm", "cuda_nvdisasm"},
	{"nvfatbin", "libnvfatbin"},
	{"nvidia-ml.", "cuda_nvml_dev"},
	{"nvjitlink", "libnvjitlink"},
	{"nvjpeg2k", NULL},
	{"nvjpeg", "libnvjpeg"},
	{"nvml.", "cuda_nvml_dev"},
	{"nvprof", "cuda_nvprof"},
	{"nvprune", "cuda_nvprune"},
	{"nvrtc", "cuda_nvrtc"},
	{"nvtoolsext", "cuda_nvtx"},
	{"nvvp", "cuda_nvvp"},
};

const char *component_guess(const char *file)
{
	const char *base = path_base(file);
	if (!strncmp(base, "lib", 3))
		base += 3;
	for (size_t i = 0; i < ARRAY_LEN(facts); i++)
		if (!strncasecmp(base, facts[i].start, strlen(facts[i].start)))
			return facts[i].component;
	return NULL;
}
