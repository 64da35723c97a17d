#!/usr/bin/env bats
# What a toolkit lacks is missing, also where the machine's own folders have another toolkit's.

# shellcheck source=tests/toolkit/redist.bash
. "${BATS_TEST_FILENAME%/*}/redist.bash"

setup_file() { install_all; }

setup() {
	redist_setup
	mkdir -p "$T/other/include" "$T/other/lib" "$T/mine"
	can_mount && unshare -m mount --bind "$T/other/lib" /usr/local/lib 2>/dev/null ||
		skip "needs root to put another CUDA into /usr/local"
	# Of another CUDA, whose functions do nothing.
	echo 'int cublasCreate_v2(void **);' | tee "$T/other/include/cublas_v2.h" >"$T/mine/cublas_v2.h"
	echo '#error "of the other one"' >>"$T/other/include/cublas_v2.h"
	echo 'int cublasCreate_v2(void **h) { return 0; }' | gcc -x c -shared -fPIC -o "$T/other/lib/libcublas.so" -
	cat >"$T/uses.cu" <<-'EOS'
		#if __has_include(<cublas_v2.h>)
		#include <cublas_v2.h>
		#endif
		__global__ void kernel() {}
		int main() { return 0; }
	EOS
	cp "$CUDAENV_KERNELS/hello.cu" "$T/"
}

teardown() { redist_teardown; }

# with_other COMMAND...: where /usr/local has that other CUDA, and none of this machine's.
with_other() {
	capture unshare -m bash -ec '
		mount --bind "$0/other/include" /usr/local/include
		mount --bind "$0/other/lib" /usr/local/lib
		[ ! -d /usr/local/lib64 ] || mount --bind "$0/mine" /usr/local/lib64
		exec "$@"' "$T" "$@"
}

# A copy of a version, since it is changed.
copy() {
	export CUDAENV_ROOT="$T/root $LABEL"
	mkdir -p "$CUDAENV_ROOT/versions"
	cp -al "$P" "$CUDAENV_ROOT/versions/"
	P=$CUDAENV_ROOT/versions/$LABEL
	[ ! -e "$P/include/cublas_v2.h" ] || skip "the toolkit of the mirror has cuBLAS"
}

refused() {
	copy
	with_other "$CUDAENV" verify "$LABEL"
	assert_status 0
	assert_stdout_has compiled
	"$P/bin/nvcc" -c -o "$T/hello.o" "$T/hello.cu"
	local add="run cudaenv component add $LABEL libcublas"

	with_other "$P/bin/nvcc" -E "$T/uses.cu"
	[ "$status" -ne 0 ]
	assert_stderr_has "CUDA $LABEL has no cublas_v2.h (and that in /usr/local/include is another CUDA's); $add"
	refute grep -q "of the other one" <<<"$stderr"
	with_other "$P/bin/nvcc" -o hello "$T/hello.o" -lcublas
	[ "$status" -ne 0 ]
	assert_stderr_has "CUDA $LABEL has no libcublas (and that in /usr/local/lib is another CUDA's); $add"

	# What the user names comes first, in each way of naming.
	with_other "$P/bin/nvcc" -I"$T/mine" -E "$T/uses.cu"
	assert_status 0
	with_other "$P/bin/nvcc" -isystem "$T/mine" -E "$T/uses.cu"
	assert_status 0
	with_other env CPLUS_INCLUDE_PATH="$T/mine" "$P/bin/nvcc" -E "$T/uses.cu"
	assert_status 0
	with_other "$P/bin/nvcc" -o hello "$T/hello.o" -L"$T/other/lib" -lcublas
	assert_status 0

	# A machine without it: nothing is found, and nothing is refused.
	mv "$T/other/include/cublas_v2.h" "$T/other/lib/libcublas.so" "$T/"
	with_other "$CUDAENV" verify "$LABEL"
	assert_status 0
	with_other "$P/bin/nvcc" -E "$T/uses.cu"
	assert_status 0
	with_other "$P/bin/nvcc" -o hello "$T/hello.o" -lcublas
	[ "$status" -ne 0 ]
	assert_stderr_has "cannot find -lcublas"
	mv "$T/cublas_v2.h" "$T/other/include/"
	mv "$T/libcublas.so" "$T/other/lib/"
}

@test "nvcc refuses another CUDA's header and library, and says what to add" {
	each refused
}

@test "CMake and g++: another CUDA's library is not linked, and doctor and exec tell" {
	need 12.4.1
	command -v cmake >/dev/null && command -v ninja >/dev/null || skip "no cmake or ninja"
	LABEL=12.4.1 P=$ROOT/versions/12.4.1
	copy
	with_other "$CUDAENV" verify "$LABEL"
	assert_status 0
	CUDAENV_VERSION=12.4.1 with_other "$CUDAENV" doctor
	assert_stdout_has "has no libcublas: compilers and linkers (but for its nvcc, which refuses)"
	# Host compilers, where they are told of the toolkit.
	printf '#include <cublas_v2.h>\nint main() { return 0; }\n' >host.cpp
	printf 'int main() { return 0; }\n' >plain.cpp
	cudaenv config set compiler_paths yes
	with_other "$CUDAENV" exec +12.4.1 g++ -E host.cpp
	[ "$status" -ne 0 ]
	assert_stderr_has "component add 12.4.1 libcublas"
	with_other "$CUDAENV" exec +12.4.1 g++ -o plain plain.cpp -lcublas
	[ "$status" -ne 0 ]
	assert_stderr_has "component add 12.4.1 libcublas"
	cudaenv config unset compiler_paths
	mkdir project
	cp "$T/uses.cu" project/
	cat >project/CMakeLists.txt <<-'EOS'
		cmake_minimum_required(VERSION 3.18)
		project(x CUDA)
		find_package(CUDAToolkit REQUIRED)
		add_executable(uses uses.cu)
		target_link_libraries(uses CUDA::cublas)
	EOS
	with_other "$CUDAENV" exec +12.4.1 cmake -G Ninja -DCMAKE_CUDA_ARCHITECTURES=75 -S project -B build
	assert_status 0
	with_other "$CUDAENV" exec +12.4.1 ninja -C build
	[ "$status" -ne 0 ]
	assert_stdout_has "component add 12.4.1 libcublas"
	assert_stderr_has "since CUDA 12.4.1 has no libcublas.so"
	# Without a line of CUDA, and by the older module: the linker says it.
	cp plain.cpp project/
	cat >project/CMakeLists.txt <<-'EOS'
		cmake_minimum_required(VERSION 3.10)
		if(POLICY CMP0146)
			cmake_policy(SET CMP0146 OLD)
		endif()
		project(x CXX)
		add_executable(plain plain.cpp)
		if(OLD)
			find_package(CUDA REQUIRED)
			target_link_libraries(plain ${CUDA_cublas_LIBRARY})
		else()
			find_package(CUDAToolkit REQUIRED)
			target_link_libraries(plain CUDA::cublas)
		endif()
	EOS
	local old
	for old in 0 1; do
		with_other "$CUDAENV" exec +12.4.1 cmake -G Ninja -DOLD=$old -S project -B build.$old
		assert_status 0
		with_other "$CUDAENV" exec +12.4.1 ninja -C build.$old
		[ "$status" -ne 0 ]
		assert_stdout_has "CUDA 12.4.1 has no libcublas (and that in /usr/local/lib is another CUDA's); run cudaenv component add 12.4.1 libcublas"
		assert_stderr_has "since CUDA 12.4.1 has no libcublas.so"
	done
}
