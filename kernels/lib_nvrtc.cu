/*
 * A kernel that NVRTC compiles here and now, run by the driver. It is made as machine code where NVRTC
 * can, since an older driver takes that from a newer toolkit and PTX not. The driver's library is
 * opened at run time: a toolkit has only a stub of it. Output and exit status: proof.h.
 */
#include <dlfcn.h>
#include <vector>

#include <nvrtc.h>

#include "proof.h"

#define TEST "nvrtc"

enum { COUNT = 1000, BLOCK = 128 };

static const char source[] = "extern \"C\" __global__ void fill(unsigned *out, unsigned n)\n"
			     "{\n"
			     "	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
			     "	if (i < n)\n"
			     "		out[i] = i * 2654435761u ^ 0x5eed;\n"
			     "}\n";

/* As in cuda.h, whose handles are pointers. */
struct driver {
	int (*load)(void **module, const void *image);
	int (*find)(void **function, void *module, const char *name);
	int (*launch)(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
		      unsigned by, unsigned bz, unsigned shared, void *stream, void **args,
		      void **extra);
	int (*unload)(void *module);
};

template <typename function> static bool find(void *library, const char *name, function *f)
{
	*f = (function)dlsym(library, name);
	return *f != NULL;
}

static bool driver_open(struct driver *d)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW);
	return library && find(library, "cuModuleLoadData", &d->load) &&
	       find(library, "cuModuleGetFunction", &d->find) &&
	       find(library, "cuLaunchKernel", &d->launch) &&
	       find(library, "cuModuleUnload", &d->unload);
}

#define TRY_NVRTC(call, ...)                                                                       \
	do {                                                                                       \
		nvrtcResult r_ = call(__VA_ARGS__);                                                \
		if (r_ != NVRTC_SUCCESS)                                                           \
			return proof_failed(TEST, #call, (int)r_, nvrtcGetErrorString(r_), "");    \
	} while (0)

static int print_log(nvrtcProgram program, nvrtcResult result)
{
	size_t size = 0;
	std::vector<char> log(1);
	if (nvrtcGetProgramLogSize(program, &size) == NVRTC_SUCCESS && size) {
		log.assign(size + 1, '\0');
		nvrtcGetProgramLog(program, log.data());
	}
	return proof_failed(TEST, "nvrtcCompileProgram", (int)result, nvrtcGetErrorString(result),
			    log.data());
}

static int compile(int device, std::vector<char> &image, char *arch, size_t cap)
{
	cudaDeviceProp prop;
	nvrtcProgram program;
	size_t size = 0;
	PROOF_TRY(cudaGetDeviceProperties, &prop, device);
#if CUDART_VERSION >= 11020
	snprintf(arch, cap, "--gpu-architecture=sm_%d%d", prop.major, prop.minor);
#else
	snprintf(arch, cap, "--gpu-architecture=compute_%d%d", prop.major, prop.minor);
#endif
	TRY_NVRTC(nvrtcCreateProgram, &program, source, "fill.cu", 0, NULL, NULL);
	nvrtcResult result = nvrtcCompileProgram(program, 1, &arch);
	if (result != NVRTC_SUCCESS)
		return print_log(program, result);
#if CUDART_VERSION >= 11020
	TRY_NVRTC(nvrtcGetCUBINSize, program, &size);
	image.resize(size);
	TRY_NVRTC(nvrtcGetCUBIN, program, image.data());
#else
	TRY_NVRTC(nvrtcGetPTXSize, program, &size);
	image.resize(size);
	TRY_NVRTC(nvrtcGetPTX, program, image.data());
#endif
	TRY_NVRTC(nvrtcDestroyProgram, &program);
	return PROOF_OK;
}

static int run(const struct driver *d, const std::vector<char> &image)
{
	unsigned *out = NULL, n = COUNT;
	void *module = NULL, *function = NULL, *args[] = {&out, &n};
	std::vector<unsigned> v(COUNT);
	PROOF_TRY(cudaMalloc, (void **)&out, COUNT * sizeof *out);
	PROOF_TRY(cudaMemset, out, 0x5a, COUNT * sizeof *out);
	PROOF_TRY_LIB(d->load, &module, image.data());
	PROOF_TRY_LIB(d->find, &function, module, "fill");
	PROOF_TRY_LIB(d->launch, function, (COUNT + BLOCK - 1) / BLOCK, 1, 1, BLOCK, 1, 1, 0, NULL,
		      args, NULL);
	PROOF_TRY(cudaDeviceSynchronize);
	PROOF_TRY(cudaMemcpy, v.data(), out, COUNT * sizeof *out, cudaMemcpyDeviceToHost);
	for (unsigned i = 0; i < COUNT; i++)
		if (v[i] != (i * 2654435761u ^ 0x5eed))
			return proof_wrong(TEST, "value", i, v[i], i * 2654435761u ^ 0x5eed);
	PROOF_TRY_LIB(d->unload, module);
	PROOF_TRY(cudaFree, out);
	return PROOF_OK;
}

int main(int argc, char **argv)
{
	int major = 0, minor = 0, device = 0, status = proof_start(TEST, argc, argv);
	struct driver d;
	char arch[48];
	std::vector<char> image;
	if (status)
		return status;
	PROOF_TRY(cudaGetDevice, &device);
	if (!driver_open(&d))
		return proof_failed(TEST, "dlopen", 0, "libcuda.so.1", dlerror());
	TRY_NVRTC(nvrtcVersion, &major, &minor);
	if ((status = compile(device, image, arch, sizeof arch)) || (status = run(&d, image)))
		return status;
	return proof_library(TEST, major * 1000L + minor * 10, CUDART_VERSION, arch);
}
