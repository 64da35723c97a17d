#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "core/prefix_parts.h"

enum { TEXT_MAX = 1 << 20 };

/* The names that NVIDIA's manifests give the components. */
static const struct {
	const char *key, *name;
} titles[] = {
	{"cccl", "CXX Core Compute Libraries"},
	{"cuda_cccl", "CXX Core Compute Libraries"},
	{"cuda_crt", "CUDA CRT"},
	{"cuda_ctadvisor", "ctadvisor"},
	{"cuda_cudart", "CUDA Runtime (cudart)"},
	{"cuda_culibos", "CUDA MATH Library (cuda culibos)"},
	{"cuda_cuobjdump", "cuobjdump"},
	{"cuda_cupti", "CUPTI"},
	{"cuda_cuxxfilt", "CUDA cuxxfilt (demangler)"},
	{"cuda_demo_suite", "CUDA Demo Suite"},
	{"cuda_documentation", "CUDA Documentation"},
	{"cuda_gdb", "CUDA GDB"},
	{"cuda_nsight", "Nsight Eclipse Edition Plugin"},
	{"cuda_nvcc", "CUDA NVCC"},
	{"cuda_nvdisasm", "CUDA nvdisasm"},
	{"cuda_nvml_dev", "CUDA NVML Headers"},
	{"cuda_nvprof", "CUDA nvprof"},
	{"cuda_nvprune", "CUDA nvprune"},
	{"cuda_nvrtc", "CUDA NVRTC"},
	{"cuda_nvtx", "CUDA NVTX"},
	{"cuda_nvvp", "CUDA NVVP"},
	{"cuda_opencl", "CUDA OpenCL"},
	{"cuda_profiler_api", "CUDA Profiler API"},
	{"cuda_sandbox_dev", "CUDA nvsandboxutils Headers"},
	{"cuda_sanitizer_api", "CUDA Compute Sanitizer API"},
	{"libcublas", "CUDA cuBLAS"},
	{"libcufft", "CUDA cuFFT"},
	{"libcufile", "CUDA cuFile"},
	{"libcurand", "CUDA cuRAND"},
	{"libcusolver", "CUDA cuSOLVER"},
	{"libcusparse", "CUDA cuSPARSE"},
	{"libnpp", "CUDA NPP"},
	{"libnvfatbin", "NVIDIA compiler library for fatbin interaction"},
	{"libnvjitlink", "NVIDIA compiler library for JIT LTO functionality"},
	{"libnvjpeg", "CUDA nvJPEG"},
	{"libnvptxcompiler", "CUDA libnvptxcompiler"},
	{"libnvvm", "CUDA NVVM"},
	{"nsight_compute", "Nsight Compute"},
	{"nsight_systems", "Nsight Systems"},
};

static const char *title_of(const char *key)
{
	for (size_t i = 0; i < ARRAY_LEN(titles); i++)
		if (!strcmp(titles[i].key, key))
			return titles[i].name;
	return key;
}

static int by_name(const void *a, const void *b)
{
	const struct component *const *x = a, *const *y = b;
	return strcmp((*x)->name, (*y)->name);
}

/* A runfile brings its own, with the numbers of all that is in it. */
static json_t *start_with(const struct prefix *p)
{
	struct err ignored;
	autobuf struct buf text = BUF_INIT(TEXT_MAX);
	json_t *root = prefix_has(p->root, "version.json") &&
				       prefix_read(p->root, "version.json", &text, &ignored)
			       ? json_loadb(buf_str(&text), text.len, JSON_REJECT_DUPLICATES, NULL)
			       : NULL;
	if (json_is_object(root))
		return root;
	json_decref(root);
	return json_object();
}

bool prefix_version(const struct prefix *p, struct err *err)
{
	const struct release *r = p->release;
	json_auto_t *root = start_with(p);
	json_object_set_new(root, "cuda",
			    json_pack("{ss ss}", "name", "CUDA SDK", "version", r->label));
	autofree const struct component **sorted = xcalloc(r->n, sizeof *sorted);
	for (size_t i = 0; i < r->n; i++)
		sorted[i] = &r->components[i];
	qsort(sorted, r->n, sizeof *sorted, by_name);
	for (size_t i = 0; i < r->n; i++)
		json_object_set_new(root, sorted[i]->name,
				    json_pack("{ss ss}", "name", title_of(sorted[i]->name),
					      "version",
					      sorted[i]->version ? sorted[i]->version : ""));
	autofree char *text = json_dumps(root, JSON_INDENT(3) | JSON_PRESERVE_ORDER);
	if (!text)
		return err_set(err, ERR_FAILED, "cannot write 'version.json'");
	autofree char *line = xasprintf("%s\n", text);
	return prefix_write(p->root, "version.json", line, strlen(line), 0644, err);
}
