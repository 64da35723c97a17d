#include "scratch.h"

#include "core/debmap.h"

#define TOOLS "usr/lib/nvidia-cuda-toolkit/"
#define LIBS "usr/lib/x86_64-linux-gnu/"
#define TARGET "targets/x86_64-linux/"

static void places(void **state)
{
	static const struct {
		const char *entry, *place, *lean; /* NULL: left out; lean "=": the same */
	} cases[] = {
		{"usr/", NULL, "="},
		{"usr/bin/", "bin/", "="},
		{"usr/bin/ptxas", "bin/ptxas", "="},
		{"usr/bin/nvcc", NULL, "="},
		{"usr/bin/__nvcc_device_query", "bin/__nvcc_device_query", "="},
		{TOOLS "bin/nvcc", "bin/nvcc", "="},
		{TOOLS "bin/gcc", NULL, "="},
		{TOOLS "bin/g++", NULL, "="},
		{TOOLS "bin/nvcc.profile", NULL, "="},
		{"etc/nvcc.profile", NULL, "="},
		{TOOLS "bin/crt/link.stub", "bin/crt/link.stub", "="},
		{TOOLS "bin/cicc", "nvvm/bin/cicc", "="},
		{TOOLS "libdevice/libdevice.10.bc", "nvvm/libdevice/libdevice.10.bc", "="},
		{TOOLS "compute-sanitizer/libsanitizer-public.so",
		 "compute-sanitizer/libsanitizer-public.so", "="},
		{"usr/bin/compute-sanitizer", "compute-sanitizer/compute-sanitizer", "="},
		{TOOLS "compute-sanitizer/compute-sanitizer", "compute-sanitizer/compute-sanitizer",
		 "="},
		{"usr/include/cuda.h", TARGET "include/cuda.h", "="},
		{"usr/include/crt/host_config.h", TARGET "include/crt/host_config.h", "="},
		{"usr/include/nvvm.h", "nvvm/include/nvvm.h", "="},
		{"usr/include/nvvm.hpp", TARGET "include/nvvm.hpp", "="},
		{"usr/include/cuda-gdb/cudadebugger.h", "extras/Debugger/include/cudadebugger.h",
		 "="},
		{LIBS "libnvvm.so.4.0.0", "nvvm/lib64/libnvvm.so.4.0.0", "="},
		{LIBS "libcudart.so.11.0", TARGET "lib/libcudart.so.11.0", "="},
		{LIBS "libcudart_static.a", TARGET "lib/libcudart_static.a", "="},
		{LIBS "libnvrtc-builtins.so", TARGET "lib/libnvrtc-builtins.so", "="},
		{LIBS "stubs/libcuda.so", TARGET "lib/stubs/libcuda.so", "="},
		{LIBS "stubs/libcublas.so", TARGET "lib/stubs/libcublas.so", NULL},
		{LIBS "libcublasLt_static.a", TARGET "lib/libcublasLt_static.a", NULL},
		{LIBS "libcublas.so", TARGET "lib/libcublas.so", NULL},
		{LIBS "libcudacore.a", TARGET "lib/libcudacore.a", NULL},
		{LIBS "cuda-gdb/libcudacore.a", "extras/Debugger/lib64/libcudacore.a", "="},
		{LIBS "pkgconfig/cuda.pc", NULL, "="},
		{LIBS "cmake/cub/cub-config.cmake", TARGET "lib/cmake/cub/cub-config.cmake", "="},
		{"usr/lib/aarch64-linux-gnu/libcudart.so", NULL, "="},
		{"usr/lib/cuda/include/cuda.h", NULL, "="},
		{"usr/share/doc/nvidia-cuda-dev/copyright", "licenses/cuda_x/copyright", "="},
		{"usr/share/doc/nvidia-cuda-dev/changelog.Debian.gz", NULL, "="},
		{"usr/share/man/man1/nvcc.1.gz", NULL, "="},
		{"usr/share/lintian/overrides/nvidia-cuda-dev", NULL, "="},
		{"usr/includes", NULL, "="},
		/* NVIDIA's own. */
		{"usr/local/cuda-12.4/bin/nvcc.profile", "bin/nvcc.profile", "="},
		{"usr/local/cuda-12.4/targets/x86_64-linux/lib/libcudart.so.12",
		 "targets/x86_64-linux/lib/libcudart.so.12", "="},
		{"usr/local/cuda-12.4/nvvm/lib64/libnvvm.so", "nvvm/lib64/libnvvm.so", "="},
		{"usr/local/cuda-12.4/", NULL, "="},
		{"usr/local/cuda-12.4/.cudaenv/record.json", NULL, "="},
		{"usr/local/cuda/bin/nvcc", NULL, "="},
		{"usr/local/cuda-x/bin/nvcc", NULL, "="},
		{"opt/nvidia/nsight-compute/2024.1.1/ncu", "nsight-compute/2024.1.1/ncu", "="},
		{"etc/ld.so.conf.d/cuda-12.conf", NULL, "="},
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (int lean = 0; lean < 2; lean++) {
			const char *want = cases[i].place;
			if (lean && (!cases[i].lean || strcmp(cases[i].lean, "=") != 0))
				want = cases[i].lean;
			autofree char *place = debmap(cases[i].entry, "x86_64", "cuda_x", lean);
			if (want ? !place || strcmp(place, want) != 0 : place != NULL)
				fail_msg("%s (%d): %s", cases[i].entry, lean,
					 place ? place : "left out");
		}
}

static void other_machines(void **state)
{
	(void)state;
	autofree char *sbsa =
		debmap("usr/lib/aarch64-linux-gnu/libcudart.so", "sbsa", "cuda_cudart", false);
	assert_string_equal(sbsa, "targets/sbsa-linux/lib/libcudart.so");
	autofree char *power =
		debmap("usr/lib/powerpc64le-linux-gnu/libnvvm.so.4", "ppc64le", "libnvvm", true);
	assert_string_equal(power, "nvvm/lib64/libnvvm.so.4");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(places),
					   cmocka_unit_test(other_machines)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
