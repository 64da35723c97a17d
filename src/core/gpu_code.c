/* What a result of the driver means, and the limits of its links. */
#include <stdio.h>

#include "base/attr.h"
#include "core/gpu.h"

/* Numbers and names: cuda.h. Causes: NVIDIA's documentation of each, and reports of users. */
static const struct code {
	int code;
	const char *name, *cause, *remedy;
} codes[] = {
	{0, "CUDA_SUCCESS", NULL, NULL},
	{1, "CUDA_ERROR_INVALID_VALUE", NULL, NULL},
	{2, "CUDA_ERROR_OUT_OF_MEMORY", "the GPU's memory is in use",
	 "see with nvidia-smi which programs hold it"},
	{3, "CUDA_ERROR_NOT_INITIALIZED", NULL, NULL},
	{34, "CUDA_ERROR_STUB_LIBRARY", "the loader finds a stub in place of the driver's library",
	 "take the 'stubs' folder out of LD_LIBRARY_PATH and of /etc/ld.so.conf.d"},
	/* The runtime's own: libcuda has no such result. */
	{35, "cudaErrorInsufficientDriver", "the driver is older than the toolkit needs",
	 "install a newer driver, or take an older CUDA"},
	{36, "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER", "the driver does not know this call yet",
	 "install a newer driver, or take an older CUDA"},
	{46, "CUDA_ERROR_DEVICE_UNAVAILABLE",
	 "another program has the GPU for itself, or its compute mode forbids programs",
	 "see with nvidia-smi who uses it; nvidia-smi -c DEFAULT shares it again"},
	{100, "CUDA_ERROR_NO_DEVICE", "the driver shows no GPU to programs",
	 "look at CUDA_VISIBLE_DEVICES; a container must be started with its GPUs"},
	{101, "CUDA_ERROR_INVALID_DEVICE", "no GPU has this number",
	 "look at CUDA_VISIBLE_DEVICES"},
	{102, "CUDA_ERROR_DEVICE_NOT_LICENSED", "the virtual GPU has no licence",
	 "start its licence service"},
	{200, "CUDA_ERROR_INVALID_IMAGE", NULL, NULL},
	{209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "the program has no code for this GPU",
	 "compile for its compute capability (-arch)"},
	{214, "CUDA_ERROR_ECC_UNCORRECTABLE", "the GPU's memory has a fault that ECC cannot mend",
	 "reset or replace the GPU; nvidia-smi -q -d ECC tells more"},
	{218, "CUDA_ERROR_INVALID_PTX", NULL, NULL},
	{221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND",
	 "the driver's PTX compiler (libnvidia-ptxjitcompiler) is not there",
	 "install the driver whole"},
	{222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the driver does not know PTX this new",
	 "compile machine code for the GPU (-arch=sm_XX), or install a newer driver"},
	{223, "CUDA_ERROR_JIT_COMPILATION_DISABLED", "CUDA_DISABLE_PTX_JIT is set",
	 "take CUDA_DISABLE_PTX_JIT out of the environment"},
	{304, "CUDA_ERROR_OPERATING_SYSTEM", "the kernel refused the driver's library",
	 "look at the rights of /dev/nvidia* and at the kernel's log"},
	{700, "CUDA_ERROR_ILLEGAL_ADDRESS", NULL, NULL},
	{702, "CUDA_ERROR_LAUNCH_TIMEOUT", "the driver ended a kernel that took too long", NULL},
	{719, "CUDA_ERROR_LAUNCH_FAILED", NULL, NULL},
	{800, "CUDA_ERROR_NOT_PERMITTED", NULL, NULL},
	{801, "CUDA_ERROR_NOT_SUPPORTED", NULL, NULL},
	{802, "CUDA_ERROR_SYSTEM_NOT_READY",
	 "the GPUs are joined by NVSwitch and their fabric is not up",
	 "start nvidia-fabricmanager of the same version as the driver"},
	{803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
	 "the driver's library and the kernel's module are of different versions",
	 "take a cuda-compat folder out of LD_LIBRARY_PATH; after an upgrade of the driver, "
	 "reboot"},
	{804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
	 "forward compatibility (cuda-compat) is for data-centre GPUs",
	 "take the cuda-compat folder out of the library path; then update the driver or take an "
	 "older CUDA"},
	{805, "CUDA_ERROR_MPS_CONNECTION_FAILED", "the MPS daemon does not answer",
	 "start nvidia-cuda-mps-control, or take CUDA_MPS_PIPE_DIRECTORY out of the environment"},
	{806, "CUDA_ERROR_MPS_RPC_FAILURE", "the MPS daemon does not answer",
	 "start nvidia-cuda-mps-control anew"},
	{807, "CUDA_ERROR_MPS_SERVER_NOT_READY", "the MPS daemon is not ready", "try again later"},
	{999, "CUDA_ERROR_UNKNOWN", "the driver has no name for what failed",
	 "reload nvidia_uvm (modprobe -r nvidia_uvm; modprobe nvidia_uvm) or reboot; the kernel's "
	 "log has the cause"},
};

static const struct code *find(int code)
{
	for (size_t i = 0; i < ARRAY_LEN(codes); i++)
		if (codes[i].code == code)
			return &codes[i];
	return NULL;
}

const char *gpu_code_name(int code, char *buf, size_t cap)
{
	const struct code *c = find(code);
	if (c)
		return c->name;
	snprintf(buf, cap, "error %d", code);
	return buf;
}

const char *gpu_code_cause(int code)
{
	const struct code *c = find(code);
	return c ? c->cause : NULL;
}

const char *gpu_code_remedy(int code)
{
	const struct code *c = find(code);
	return c ? c->remedy : NULL;
}

/* Transfers a second of a lane, and the share of its encoding that is data (PCI Express base specification). */
double gpu_pcie_limit(int gen, int width)
{
	static const double lane[] = {0, 2.5e9 * 8 / 10, 5e9 * 8 / 10, 8e9 * 128 / 130,
				      16e9 * 128 / 130, 32e9 * 128 / 130,
				      /* From 6 on 242 of each 256 bytes are data. */
				      64e9 * 242 / 256, 128e9 * 242 / 256};
	if (gen < 1 || (size_t)gen >= ARRAY_LEN(lane) || width < 1 || width > 32)
		return 0;
	return lane[gen] / 8 * width;
}

/* All memory of GPUs moves data at both edges of the clock that the driver tells. */
double gpu_memory_limit(const struct gpu *g)
{
	return 2.0 * 1000 * g->memory_clock * g->memory_bus / 8;
}
