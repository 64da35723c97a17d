#include "core/wheelmap.h"

#include "scratch.h"

/* Names as they stand in wheels of 11.x to 13.5; NULL: left out. */
static const struct {
	const char *entry, *component, *path;
} cases[] = {
	{"nvidia/cu13/bin/nvcc", "cuda_nvcc", "bin/nvcc"},
	{"nvidia/cu13/bin/crt/link.stub", "cuda_nvcc", "bin/crt/link.stub"},
	{"nvidia/cu13/bin/nvcc.profile", "cuda_nvcc", "bin/nvcc.profile"},
	{"nvidia/cu13/include/cuda.h", "cuda_cudart", "targets/sbsa-linux/include/cuda.h"},
	{"nvidia/cu13/include/crt/mma.h", "cuda_crt", "targets/sbsa-linux/include/crt/mma.h"},
	{"nvidia/cu13/include/cccl/cub/cub.cuh", "cuda_cccl",
	 "targets/sbsa-linux/include/cccl/cub/cub.cuh"},
	{"nvidia/cu13/lib/libcudart.so.13", "cuda_cudart",
	 "targets/sbsa-linux/lib/libcudart.so.13"},
	{"nvidia/cu13/lib/cmake/cub/cub-config.cmake", "cuda_cccl",
	 "targets/sbsa-linux/lib/cmake/cub/cub-config.cmake"},
	{"nvidia/cu13/cccl/lib/cmake/cub/cub-config.cmake", "cccl",
	 "targets/sbsa-linux/lib/cmake/cub/cub-config.cmake"},
	{"nvidia/cu13/cccl/LICENSE", "cccl", "licenses/cccl/LICENSE"},
	{"nvidia/cu13/nvvm/bin/cicc", "libnvvm", "nvvm/bin/cicc"},
	{"nvidia/cu13/nvvm/libdevice/libdevice.10.bc", "libnvvm", "nvvm/libdevice/libdevice.10.bc"},
	{"nvidia/cu13/lib/libnvvm.so.4", "libnvvm", "nvvm/lib64/libnvvm.so.4"},
	{"nvidia/cu13/include/nvvm.h", "libnvvm", "nvvm/include/nvvm.h"},
	{"nvidia/cu13/include/sanitizer.h", "cuda_sanitizer_api",
	 "compute-sanitizer/include/sanitizer.h"},
	{"nvidia/cu13/bin/compute-sanitizer", "cuda_sanitizer_api", "bin/compute-sanitizer"},
	{"nvidia/cu13/include/cupti.h", "cuda_cupti", "targets/sbsa-linux/include/cupti.h"},
	{"nvidia/cublas/lib/libcublas.so.12", "libcublas",
	 "targets/sbsa-linux/lib/libcublas.so.12"},
	{"nvidia/cudnn/include/cudnn.h", "cudnn", "targets/sbsa-linux/include/cudnn.h"},
	{"nvidia/cuda_nvcc/nvvm/lib64/libnvvm.so.4", "cuda_nvcc", "nvvm/lib64/libnvvm.so.4"},
	{"nvidia/cuda_nvcc/bin/ptxas", "cuda_nvcc", "bin/ptxas"},
	{"nvidia/cu13/compute-sanitizer/x", "cuda_sanitizer_api", "compute-sanitizer/x"},
	{"nvidia/cu13/notes.txt", "cuda_nvcc", "extras/cuda_nvcc/notes.txt"},
	{"other/lib/x", "cuda_nvcc", "extras/cuda_nvcc/other/lib/x"},
	{"nvidia/nvcomp/libnvcomp.so.5", "nvcomp", "targets/sbsa-linux/lib/libnvcomp.so.5"},
	{"cutensor/lib/x", "cutensor", "targets/sbsa-linux/lib/x"},
	{"readme", "cuda_nvcc", "extras/cuda_nvcc/readme"},
	{"nvidia_cuda_nvcc-13.0.88.dist-info/licenses/License.txt", "cuda_nvcc",
	 "licenses/cuda_nvcc/License.txt"},
	{"nvidia_cublas_cu12-12.1.3.1.dist-info/License.txt", "libcublas",
	 "licenses/libcublas/License.txt"},
	{"nvidia_cuda_nvcc-13.0.88.dist-info/RECORD", "cuda_nvcc", NULL},
	{"nvidia_cuda_nvcc-13.0.88.dist-info/METADATA", "cuda_nvcc", NULL},
	{"nvidia/cu13/.metadata/.sizes.txt", "cuda_cccl", NULL},
	{"nvidia/cu13/include/.metadata/x", "cuda_cccl", NULL},
	{"nvidia/cu13/.cudaenv/record.json", "cuda_cccl", NULL},
	{"nvidia/__init__.py", "cuda_nvcc", NULL},
	{"nvidia/cublas/__init__.py", "libcublas", NULL},
	{"nvidia/cublas/lib/__init__.py", "libcublas", NULL},
	{"nvidia/cublas/__pycache__/x.pyc", "libcublas", NULL},
	{"nvidia/py.typed", "cuda_nvcc", NULL},
	{".hidden", "cuda_nvcc", NULL},
};

static void places(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		autofree char *path = wheelmap(cases[i].entry, "sbsa", cases[i].component);
		if (!path != !cases[i].path || (path && strcmp(path, cases[i].path) != 0))
			fail_msg("%s: '%s'", cases[i].entry, path ? path : "(left out)");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(places)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
