#!/usr/bin/env bats
# What nvcc, CMake, meson and pkg-config make of real toolkits, and that they take nothing from elsewhere.

# shellcheck source=tests/toolkit/redist.bash
. "${BATS_TEST_FILENAME%/*}/redist.bash"

setup_file() { install_all; }

setup() {
	redist_setup
	cat >where.cu <<-'EOF'
		#include <cstdio>
		#include <cstring>
		#include <cuda_runtime.h>
		#ifdef __CUDACC__
		__device__ int twice(int);
		__global__ void kernel(int *p) { *p = twice(*p); }
		#ifndef ELSEWHERE
		__device__ int twice(int x) { return 2 * x; }
		#endif
		#endif

		/* What the runtime says, up to the driver call, and the libraries of CUDA that the loader took. */
		int main()
		{
			int n = 0;
			char line[4096], last[4096] = "";
			cudaError_t e = cudaGetDeviceCount(&n);
			std::printf("runtime %d error %d\n", CUDART_VERSION, (int)e);
			FILE *maps = std::fopen("/proc/self/maps", "r");
			while (maps && std::fgets(line, sizeof line, maps)) {
				char *path = std::strchr(line, '/');
				if (path && (std::strstr(path, "/libcu") || std::strstr(path, "/libnv")) &&
				    std::strcmp(path, last)) {
					std::strcpy(last, path);
					std::printf("loaded %s", path);
				}
			}
			return 0;
		}
	EOF
	echo '__device__ int twice(int x) { return 2 * x; }' >twice.cu
	export CUDAENV_ROOT=$ROOT SOURCES=$PWD
}

teardown() { redist_teardown; }

# runs PROGRAM [LIBRARY...]: it comes up to the driver call, with these libraries, all of this prefix.
runs() {
	local program=$1 lib major=${V%.*} minor=${V#*.}
	shift
	cudaenv exec "+$LABEL" "$program"
	assert_status 0
	[[ $out == "runtime $((major * 1000 + minor * 10)) error "* ]] || fail "not the runtime of $V"
	for lib; do
		grep -q "^loaded $P/.*/$lib" <<<"$out" || fail "$lib of $P was not loaded"
	done
	refute grep '^loaded ' <(grep -vF -e "loaded $P/" -e /libcuda.so -e /libnvidia- <<<"$out")
	no_stubs_in "$program"
}

no_stubs_in() {
	local paths
	paths=$(readelf -d "$1" | grep -E 'RPATH|RUNPATH' || :)
	[[ $paths != *stubs* ]] || fail "$1: $paths"
}

needs() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }

nvcc() {
	capture "$P/bin/nvcc" -arch=sm_75 "$@"
	assert_status 0
}

cudart_static() {
	nvcc -o prog "$SOURCES/where.cu"
	runs ./prog
	refute grep cudart <(needs prog)
	nvcc -M "$SOURCES/where.cu"
	sed 's/ \\$//; s/^ *//; s/\\ / /g' "$T/stdout" | grep -E '/include/(cuda|crt/|driver)' >headers
	[ "$(wc -l <headers)" -gt 10 ]
	refute grep -vF "$P/" headers
}

@test "nvcc: the static runtime, and no header from elsewhere" { each cudart_static; }

cudart_shared() {
	nvcc -cudart shared -o prog "$SOURCES/where.cu"
	grep -qx "libcudart\.so\.${V%.*}.*" <(needs prog)
	runs ./prog libcudart.so
	# Found by the environment alone: no place is written into the program.
	refute grep -E 'RPATH|RUNPATH' <(readelf -d prog)
}

@test "nvcc -cudart shared: the loader takes this libcudart" { each cudart_shared; }

separable() {
	nvcc -DELSEWHERE -dc -o where.o "$SOURCES/where.cu"
	nvcc -rdc=true -dc -o twice.o "$SOURCES/twice.cu"
	nvcc -o prog where.o twice.o
	runs ./prog
	nvcc -DELSEWHERE -dlto -rdc=true -o lto "$SOURCES/where.cu" "$SOURCES/twice.cu"
	runs ./lto
	grep -q '\.nv_fatbin' <(readelf -SW lto)
}

@test "nvcc: separable compilation of two files, and -dlto" { each separable; }

driver_stub() {
	printf '%s\n' '#include <cstdio>' '#include <cuda.h>' \
		'int main() { std::printf("%d\n", (int)cuInit(0)); return 0; }' >driver.cu
	nvcc -o driver driver.cu -lcuda
	grep -qx 'libcuda\.so\.1' <(needs driver)
	no_stubs_in ./driver
	# What the stub answers tells the user that it is one: CUDA_ERROR_STUB_LIBRARY.
	LD_LIBRARY_PATH="$P/lib64/stubs" capture ./driver
	assert_stdout 34
	printf '%s\n' '#include <nvml.h>' 'int main() { return nvmlInit_v2() == NVML_SUCCESS; }' >nvml.cu
	[ ! -f "$P/include/nvml.h" ] || nvcc -o nvml nvml.cu -lnvidia-ml
	cudaenv exec "+$LABEL" sh -c 'echo "$LD_LIBRARY_PATH $LIBRARY_PATH $PATH"'
	refute_stdout_has stubs
}

@test "nvcc -lcuda links against the stub, which is in no run-time path" { each driver_stub; }

runtime_compiler() {
	cat >rtc.cpp <<-'EOF'
		#include <cstdio>
		#include <string>
		#include <cuda_runtime.h>
		#include <nvrtc.h>
		int main()
		{
			const char *text = "extern \"C\" __global__ void kernel(int *p) { *p += __popc(*p); }";
			const char *options[] = {"--gpu-architecture=compute_75"};
			nvrtcProgram program;
			size_t n = 0;
			int major = 0, minor = 0;
			nvrtcCreateProgram(&program, text, "x.cu", 0, 0, 0);
			nvrtcResult e = nvrtcCompileProgram(program, 1, options);
			if (e) {
				std::printf("nvrtc: %s\n", nvrtcGetErrorString(e));
				return 1;
			}
			nvrtcGetPTXSize(program, &n);
			std::string ptx(n, 0);
			nvrtcGetPTX(program, &ptx[0]);
			nvrtcVersion(&major, &minor);
			std::printf("nvrtc %d.%d\n%s", major, minor, ptx.c_str());
			return 0;
		}
	EOF
	nvcc -cudart shared -o rtc rtc.cpp -lnvrtc
	cudaenv exec "+$LABEL" ./rtc
	assert_status 0
	[[ $out == "nvrtc $V"* ]] || fail
	assert_stdout_has "popc"
	assert_stdout_has "target sm_75"
	cudaenv exec "+$LABEL" ldd ./rtc
	grep -q "libnvrtc.* => $P/" <<<"$out"
}

@test "a program with nvrtc compiles at run time" { each runtime_compiler; }

big_library() {
	[ -f "$P/include/curand.h" ] || return 0
	printf '%s\n' '#include <cstdio>' '#include <curand.h>' \
		'int main() { int v = 0; curandGetVersion(&v); std::printf("%d\n", v); return 0; }' >rand.cu
	nvcc -o rand rand.cu -lcurand
	cudaenv exec "+$LABEL" ./rand
	assert_status 0
	[ "$out" -gt 10000 ]
	cudaenv exec "+$LABEL" ldd ./rand
	grep -q "libcurand.* => $P/" <<<"$out"
}

@test "a library with its own headers links and loads" { each big_library; }

# What CMake found in $P, and nothing of the kind elsewhere that the prefix has.
nothing_foreign() {
	local lib foreign
	foreign=$(
		for lib in "$P"/lib64/lib*.so "$P"/lib64/lib*.a "$P"/lib64/stubs/lib*.so; do
			grep -E "=/.*/$(basename "$lib")$" build/CMakeCache.txt | grep -vF "$P"
		done
		grep -E '^(CUDA|CUDAToolkit)_[A-Za-z_]*:[A-Z]*=/' build/CMakeCache.txt |
			grep -E 'INCLUDE|NVCC|ROOT|COMPILER|TOOLKIT|BIN_DIR' | grep -vF "$P" |
			grep -vE 'HOST_COMPILER|CMAKE_FIND|librt|SDK'
		grep -hE '^LOAD .*lib(cu|nv)' build/*.map | grep -vF "$P"
		ninja -C build -t deps | grep -E '/include/(cuda|crt/|nv/|curand)' | grep -vF "$P"
	) || :
	[ -z "$foreign" ] || fail "$foreign"
}

cmake_language() {
	cp "$SOURCES/where.cu" .
	cat >CMakeLists.txt <<-'EOF'
		cmake_minimum_required(VERSION 3.18)
		project(x CUDA)
		find_package(CUDAToolkit REQUIRED)
		message(STATUS "toolkit ${CUDAToolkit_VERSION} in ${CUDAToolkit_BIN_DIR}")
		add_executable(hello where.cu)
		target_link_libraries(hello CUDA::cudart CUDA::nvrtc CUDA::cuda_driver)
		target_link_options(hello PRIVATE LINKER:-Map=hello.map LINKER:--no-as-needed)
		install(TARGETS hello DESTINATION bin)
	EOF
	cudaenv exec "+$LABEL" cmake -G Ninja -B build -DCMAKE_CUDA_ARCHITECTURES=75 "-DCMAKE_INSTALL_PREFIX=$PWD/inst"
	assert_status 0
	assert_stdout_has "toolkit $V."
	assert_stdout_has "in $P/bin"
	# Built without the environment: what was found is written down.
	capture cmake --build build --target install
	assert_status 0
	grep -q "^LOAD $P.*libcudart" build/hello.map || fail "no libcudart of the prefix in the link map"
	nothing_foreign
	no_stubs_in inst/bin/hello
	# With a blank in the prefix CMake reads the folders of its libraries wrongly from nvcc.
	[[ $P == *" "* ]] || no_stubs_in build/hello
}

@test "CMake: the language CUDA and FindCUDAToolkit" {
	command -v cmake && command -v ninja || skip "no cmake or ninja"
	each cmake_language
}

@test "CMake: the same below a folder whose name has no blank" {
	command -v cmake && command -v ninja || skip "no cmake or ninja"
	[[ $REDIST != *" "* ]] || skip "'$REDIST' has one"
	mkdir "$REDIST/plain"
	cp -al "$ROOT/versions" "$ROOT/store" "$REDIST/plain"
	ROOT=$REDIST/plain
	export CUDAENV_ROOT=$ROOT
	each cmake_language
	rm -rf "$ROOT"
}

cmake_old() {
	cp "$SOURCES/where.cu" where.cu
	cat >CMakeLists.txt <<-'EOF'
		cmake_minimum_required(VERSION 3.10)
		if(POLICY CMP0146)
			cmake_policy(SET CMP0146 OLD)
		endif()
		project(x CXX)
		set(CUDA_NVCC_FLAGS -arch=sm_75)
		find_package(CUDA REQUIRED)
		message(STATUS "toolkit ${CUDA_VERSION} in ${CUDA_TOOLKIT_ROOT_DIR}")
		cuda_add_executable(hello where.cu)
		target_link_libraries(hello -Wl,-Map=hello.map)
	EOF
	cudaenv exec "+$LABEL" cmake -G Ninja -B build -DCUDA_USE_STATIC_CUDA_RUNTIME=OFF
	assert_status 0
	assert_stdout_has "toolkit $V in $P"
	cudaenv exec "+$LABEL" cmake --build build -v
	assert_status 0
	nothing_foreign
	runs build/hello libcudart.so
}

@test "CMake: the old FindCUDA" {
	command -v cmake && command -v ninja || skip "no cmake or ninja"
	each cmake_old
}

meson_language() {
	cp "$SOURCES/where.cu" .
	cat >meson.build <<-'EOF'
		project('x', 'cuda')
		cuda = import('unstable-cuda')
		nvcc = meson.get_compiler('cuda')
		flags = cuda.nvcc_arch_flags(nvcc.version(), '7.5', detected: [])
		toolkit = dependency('cuda', modules: ['cudart', 'nvrtc'])
		message('toolkit', toolkit.version(), 'needs driver', cuda.min_driver_version(nvcc.version()))
		executable('hello', 'where.cu', cuda_args: flags, dependencies: toolkit, link_args: '-Wl,--no-as-needed')
	EOF
	cudaenv exec "+$LABEL" meson setup build
	assert_status 0
	grep -q "toolkit $V" <<<"$out" || fail
	cudaenv exec "+$LABEL" ninja -C build
	assert_status 0
	runs build/hello libcudart.so libnvrtc.so
	refute grep -rE '/usr/local/(cuda|include|lib64)' build/build.ninja build/meson-info/intro-targets.json
}

@test "meson: the language cuda, its module and its dependency" {
	command -v meson && command -v ninja || skip "no meson or ninja"
	each meson_language
}

pkg_config() {
	local name
	export PKG_CONFIG_LIBDIR="$P/lib64/pkgconfig"
	for name in cudart "cudart-$V"; do
		capture pkg-config --cflags --libs "$name"
		assert_status 0
		eval "set -- $out"
		[ "$*" = "-I$P/targets/x86_64-linux/include -L$P/targets/x86_64-linux/lib -lcudart" ] || fail
	done
	capture g++ -x c++ "$SOURCES/where.cu" -o prog -x none "$@"
	assert_status 0
	runs ./prog libcudart.so
	capture pkg-config --cflags --libs cuda nvrtc
	assert_status 0
	assert_stdout_has "/stubs -lcuda"
	refute grep -rE '/usr/local|staging' "$P/pkg-config"
}

@test "pkg-config: cudart, and a host program with it" {
	command -v pkg-config || skip "no pkg-config"
	each pkg_config
}
