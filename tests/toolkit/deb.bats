#!/usr/bin/env bats
# A real toolkit from Debian's packages: what was made of them compiles, links and is found.

# shellcheck source=tests/cli/lib.bash
. "$TESTLIB"

setup_file() {
	[ ! -d "$DEBS/root" ] || return 0
	clean_environment
	mkdir -p "$DEBS/home" "$DEBS/apt/etc/apt"
	echo "Dir \"$DEBS/apt/\";" >"$DEBS/apt.conf"
	echo "deb [signed-by=$DEBS/key/key.gpg] file:$DEBS/repo bookworm main" >"$DEBS/apt/etc/apt/sources.list"
	export HOME=$DEBS/home CUDAENV_ROOT=$DEBS/root PATH=/usr/bin:/bin APT_CONFIG=$DEBS/apt.conf
	"$CUDAENV" install --source deb --profile minimal --accept-eula $LABEL </dev/null \
		>"$DEBS/out" 2>"$DEBS/err" || echo $? >"$DEBS/status"
}

setup() {
	setup_root
	export CUDAENV_ROOT=$DEBS/root P=$DEBS/root/versions/$LABEL
}

teardown() { teardown_root; }

refute() { ! "$@" || fail "should not hold: $*"; }

nvcc() {
	capture "$P/bin/nvcc" -arch=sm_75 "$@"
	assert_status 0
}

@test "11.8 from Debian's packages: proved by its own nvcc, or the compiler that it lacks is named" {
	[ ! -f "$DEBS/status" ] || [ "$(<"$DEBS/status")" -eq 9 ] || fail "status $(<"$DEBS/status")" "$(<"$DEBS/err")"
	[ "$(<"$DEBS/out")" = "$P" ] || fail "$(<"$DEBS/out")"
	grep -q 'bookworm/non-free, signed by Test Archive' "$DEBS/err"
	grep -Eqx "verified $LABEL: compiled|not verified $LABEL: host-compiler-refused" "$DEBS/err" || fail "$(<"$DEBS/err")"
	capture "$P/bin/nvcc" --version
	assert_stdout_has "release $V,"
}

@test "11.8 from Debian's packages: the layout of /usr/local/cuda" {
	local t=targets/x86_64-linux f
	for f in include lib64; do [ "$(readlink "$P/$f")" = "$t/${f/64/}" ]; done
	for f in bin/nvcc bin/nvcc.profile bin/crt/link.stub bin/ptxas bin/cuobjdump bin/nvdisasm nvvm/bin/cicc \
		nvvm/libdevice/libdevice.10.bc nvvm/lib64/libnvvm.so nvvm/include/nvvm.h include/cuda.h \
		include/crt/host_config.h include/thrust/version.h include/cub/cub.cuh include/nv/target \
		lib64/libcudart.so lib64/libcudart_static.a lib64/libcudadevrt.a lib64/libculibos.a lib64/libnvrtc.so \
		lib64/libnvrtc-builtins.so lib64/stubs/libcuda.so.1 licenses/cuda_nvcc/copyright pkg-config/cudart.pc; do
		assert_exists "$P/$f"
	done
	for f in bin/gcc bin/g++ lib64/libcublasLt_static.a lib64/libcublas.so lib64/stubs/libcublas.so; do
		refute_exists "$P/$f"
	done
	[ -z "$(find -L "$P" -type l)" ] || fail "dangling links"
	[ -z "$(find -L "$P" -name 'libcuda.so*' | grep -v /stubs/)" ] || fail "a libcuda beside the real libraries"
	[ -z "$(find "$P" -type f ! -perm -444)" ]
	[ -z "$(find "$P" -perm /7022 ! -type l)" ]
	refute grep -rlF "$DEBS/root/staging" "$P"
	"$P/bin/compute-sanitizer" --version
	# What is not needed was not even unpacked.
	[ "$(du -sm "$DEBS/root/store" | cut -f 1)" -lt 600 ]
}

@test "11.8 from Debian's packages: nvcc, static and shared, thrust, nvrtc, the driver's stub" {
	[ ! -f "$DEBS/status" ] || skip "no compiler that 11.8 accepts"
	cat >x.cu <<-'EOF'
		#include <cstdio>
		#include <cuda.h>
		#include <cuda_fp16.h>
		#include <cuda_runtime.h>
		#include <nvrtc.h>
		#include <thrust/device_vector.h>
		__global__ void kernel(__half *p) { *p = __hadd(*p, *p); }
		int main(int argc, char **argv)
		{
			int major = 0, minor = 0;
			nvrtcVersion(&major, &minor);
			std::printf("%d %d.%d %d\n", CUDART_VERSION, major, minor, THRUST_VERSION >= 101700);
			if (argc > 1) {
				thrust::device_vector<int> v(10);
				kernel<<<1, 1>>>(nullptr);
			}
			return argc > 1 ? (int)cuInit(0) : 0;
		}
	EOF
	nvcc -o static x.cu -lcuda -lnvrtc
	nvcc -cudart shared -o shared x.cu -lcuda -lnvrtc
	readelf -d static | grep -q 'libcuda\.so\.1'
	refute grep cudart <(readelf -d static)
	readelf -d shared | grep -q 'libcudart\.so\.11\.0'
	# The real driver's library is not here; the stub takes its place for the loader.
	LD_LIBRARY_PATH="$P/lib64:$P/lib64/stubs" capture ./static
	assert_stdout "11080 11.8 1"
	LD_LIBRARY_PATH="$P/lib64:$P/lib64/stubs" capture ./shared
	assert_stdout "11080 11.8 1"
	nvcc -M x.cu
	sed 's/ \\$//; s/^ *//; s/\\ / /g' "$T/stdout" | grep -E '/include/(cuda|crt/|thrust/|nv/)' >headers
	[ "$(wc -l <headers)" -gt 50 ]
	refute grep -vF "$P/" headers
}

@test "11.8 from Debian's packages: CMake finds it, and nothing elsewhere" {
	[ ! -f "$DEBS/status" ] || skip "no compiler that 11.8 accepts"
	command -v cmake && command -v ninja || skip "no cmake or ninja"
	printf '%s\n' '__global__ void k() {}' 'int main() { k<<<1, 1>>>(); }' >x.cu
	cat >CMakeLists.txt <<-'EOF'
		cmake_minimum_required(VERSION 3.18)
		project(x CUDA)
		find_package(CUDAToolkit REQUIRED)
		message(STATUS "toolkit ${CUDAToolkit_VERSION} in ${CUDAToolkit_BIN_DIR}")
		add_executable(x x.cu)
		target_link_libraries(x CUDA::cudart CUDA::nvrtc CUDA::cuda_driver)
	EOF
	for tool in cmake ninja; do ln -s "$(command -v $tool)" "$T/bin/" 2>/dev/null || :; done
	cudaenv exec "+$LABEL" cmake -G Ninja -B build -DCMAKE_CUDA_ARCHITECTURES=75
	assert_status 0
	assert_stdout_has "toolkit $V."
	assert_stdout_has "in $P/bin"
	cudaenv exec "+$LABEL" cmake --build build
	assert_status 0
	grep -q "^CUDA_cudart_LIBRARY:.*=$P" build/CMakeCache.txt
}

@test "12.4 and 11.2 from Debian's packages: each from its own suite" {
	local label suite lacking=
	export APT_CONFIG=$T/apt.conf CUDAENV_ROOT=$T/root
	for label in 12.4.1:trixie 11.2.2:bullseye; do
		suite=${label#*:} label=${label%:*}
		if [ -f "$DEBS/$label.why" ]; then
			lacking+="$label ($(tail -n 1 "$DEBS/$label.why")) "
			continue
		fi
		mkdir -p "$T/apt-$label/etc/apt"
		echo "Dir \"$T/apt-$label/\";" >"$APT_CONFIG"
		echo "deb [signed-by=$DEBS/key/key.gpg] file:$DEBS/repo $suite main" >"$T/apt-$label/etc/apt/sources.list"
		cudaenv install --source deb --profile minimal --accept-eula "$label"
		assert_stdout "$T/root/versions/$label"
		# 11.2 takes no compiler newer than gcc 10: whole, and told that it cannot compile here.
		case $status in
		0) assert_stderr_has "verified $label: compiled" ;;
		9) assert_stderr_has "not verified $label: host-compiler-refused" ;;
		*) fail "status $status" ;;
		esac
		capture "$T/root/versions/$label/bin/nvcc" --version
		assert_stdout_has "release ${label%.*},"
	done
	[ -z "$lacking" ] || skip "done without $lacking"
}
