#include "scratch.h"

#include "core/redistmap.h"

#define TOP "cuda_x-linux-x86_64-12.4.127-archive/"

static void places(void **state)
{
	static const struct {
		const char *entry, *component, *arch, *place; /* place NULL: left out */
	} cases[] = {
		{TOP, "cuda_x", "x86_64", NULL},
		{"loose", "cuda_x", "x86_64", NULL},
		{TOP "include/", "cuda_x", "x86_64", "targets/x86_64-linux/include/"},
		{TOP "include", "cuda_x", "x86_64", "targets/x86_64-linux/include"},
		{TOP "include/cuda.h", "cuda_x", "x86_64", "targets/x86_64-linux/include/cuda.h"},
		{TOP "include/cccl/cub/cub.cuh", "cccl", "x86_64",
		 "targets/x86_64-linux/include/cccl/cub/cub.cuh"},
		{TOP "includes/a", "cuda_x", "x86_64", "includes/a"},
		{TOP "lib/libcudart.so.12", "cuda_x", "sbsa",
		 "targets/sbsa-linux/lib/libcudart.so.12"},
		{TOP "lib64/libcudnn.so", "cudnn", "aarch64",
		 "targets/aarch64-linux/lib/libcudnn.so"},
		{TOP "lib/stubs/libcuda.so", "cuda_x", "ppc64le",
		 "targets/ppc64le-linux/lib/stubs/libcuda.so"},
		{TOP "targets/x86_64-linux/lib/a.so", "cuda_x", "x86_64",
		 "targets/x86_64-linux/lib/a.so"},
		{TOP "bin/nvcc", "cuda_nvcc", "x86_64", "bin/nvcc"},
		{TOP "bin/crt/link.stub", "cuda_nvcc", "x86_64", "bin/crt/link.stub"},
		{TOP "nvvm/lib64/libnvvm.so", "cuda_nvcc", "x86_64", "nvvm/lib64/libnvvm.so"},
		{TOP "nvvm/include/nvvm.h", "cuda_nvcc", "x86_64", "nvvm/include/nvvm.h"},
		{TOP "nvml/example/a.c", "cuda_nvml_dev", "x86_64", "nvml/example/a.c"},
		{TOP "extras/Debugger/include/a.h", "cuda_gdb", "x86_64",
		 "extras/Debugger/include/a.h"},
		{TOP "compute-sanitizer/compute-sanitizer", "cuda_sanitizer_api", "x86_64",
		 "compute-sanitizer/compute-sanitizer"},
		{TOP "demo_suite/deviceQuery", "cuda_demo_suite", "x86_64",
		 "extras/demo_suite/deviceQuery"},
		{TOP "pkg-config/cudart-12.4.pc", "cuda_cudart", "x86_64",
		 "pkg-config/cudart-12.4.pc"},
		{TOP "pkgconfig/cublas-12.4.pc", "libcublas", "x86_64",
		 "pkg-config/cublas-12.4.pc"},
		{TOP "samples/a.cu", "cuda_cupti", "x86_64", "extras/CUPTI/samples/a.cu"},
		{TOP "samples/a.cu", "libcufile", "x86_64", "samples/a.cu"},
		{TOP "doc/a.html", "cuda_cupti", "x86_64", "extras/CUPTI/doc/a.html"},
		{TOP "nsight-compute/2024.1.1/ncu", "nsight_compute", "x86_64",
		 "nsight-compute-2024.1.1/ncu"},
		{TOP "nsight-systems/2023.4.4/bin/nsys", "nsight_systems", "x86_64",
		 "nsight-systems-2023.4.4/bin/nsys"},
		{TOP "nsight-compute/README", "nsight_compute", "x86_64", "nsight-compute/README"},
		{TOP "LICENSE", "cuda_x", "x86_64", "licenses/cuda_x/LICENSE"},
		{TOP "EULA.txt", "cuda_documentation", "x86_64",
		 "licenses/cuda_documentation/EULA.txt"},
		{TOP "bin/LICENSE", "cuda_x", "x86_64", "bin/LICENSE"},
		{TOP "README", "cuda_x", "x86_64", "extras/cuda_x/README"},
		/* Ours in a prefix. */
		{TOP ".cudaenv/record.json", "cuda_x", "x86_64",
		 "extras/cuda_x/.cudaenv/record.json"},
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		autofree char *place = redistmap(cases[i].entry, cases[i].arch, cases[i].component);
		if (!cases[i].place)
			assert_null(place);
		else if (!place || strcmp(place, cases[i].place) != 0)
			fail_msg("%s: %s", cases[i].entry, place ? place : "left out");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(places)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
