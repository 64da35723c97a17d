#!/usr/bin/env bats
# Real cuDNN, out of NVIDIA's wheels, beside real toolkits: pairs that are compiled, linked and loaded. One wheel is
# fetched once into the cache of the tests (314 MB); larger ones where CUDAENV_TESTS_CUDNN is "all".

# shellcheck source=tests/toolkit/redist.bash
. "${BATS_TEST_FILENAME%/*}/redist.bash"

setup_file() { install_all; }

setup() {
	redist_setup
	export CUDAENV_ROOT=$ROOT
	n=$ROOT/cudnn
	cat >version.cpp <<-'EOF'
		#include <cstdio>
		#include <cstring>
		#include <cudnn.h>

		/* What header and library say, and the cuDNN that the loader took. */
		int main()
		{
			char line[4096], last[4096] = "";
			std::printf("header %d library %zu\n", CUDNN_VERSION, cudnnGetVersion());
			FILE *maps = std::fopen("/proc/self/maps", "r");
			while (maps && std::fgets(line, sizeof line, maps)) {
				char *path = std::strchr(line, '/');
				if (path && std::strstr(path, "/libcudnn") && std::strcmp(path, last)) {
					std::strcpy(last, path);
					std::printf("loaded %s", path);
				}
			}
			return 0;
		}
	EOF
}
teardown() { redist_teardown; }

# wheel PACKAGE VERSION SIZE [large]: $wheel is that file, in the cache.
wheel() {
	local folder=$TESTS_CACHE/wheels tmp
	[ "${4:-}" != large ] || [ "${TESTS_CUDNN:-}" = all ] || skip "CUDAENV_TESTS_CUDNN=all takes $1 $2 ($3)"
	wheel=$(compgen -G "$folder/${1//-/_}-$2-*.whl" | head -n 1) || :
	[ -z "$wheel" ] || return 0
	tmp=$(mktemp -d "$folder/.fetch.XXXXXX")
	python3 -m pip download -q --no-deps --only-binary :all: --platform manylinux_2_27_x86_64 --platform manylinux2014_x86_64 \
		--platform manylinux1_x86_64 -d "$tmp" "$1==$2" || {
		rm -rf "$tmp"
		skip "cannot fetch $1 $2"
	}
	mv "$tmp"/*.whl "$folder/"
	rmdir "$tmp"
	wheel=$(compgen -G "$folder/${1//-/_}-$2-*.whl" | head -n 1)
}

# take LABEL: $wheel as <root>/cudnn/LABEL, once for all tests of a run.
take() {
	p=$n/$1
	[ ! -d "$p" ] || return 0
	cudaenv cudnn install "$wheel"
	assert_status 0
	assert_stdout "$p"
}

# builds: version.cpp against what the environment of $TOOLKIT and $CUDNN says, by nvcc.
builds() {
	CUDAENV_VERSION=$TOOLKIT CUDAENV_CUDNN_VERSION=$CUDNN cudaenv exec sh -c \
		'nvcc -x cu -o version version.cpp -I"$CUDNN_HOME/include" -L"$CUDNN_HOME/lib64" -lcudnn'
	assert_status 0
	readelf -d version | grep -q "NEEDED.*libcudnn.so.${CUDNN%%.*}"
}

# runs PROGRAM NUMBER
runs() {
	CUDAENV_VERSION=$TOOLKIT CUDAENV_CUDNN_VERSION=$CUDNN cudaenv exec "$1"
	assert_status 0
	[ "${out%%$'\n'*}" = "header $2 library $2" ] || fail
	grep -q "^loaded $p/lib/libcudnn.so" <<<"$out" || fail
	! grep '^loaded ' <<<"$out" | grep -vF "$p/" || fail
}

@test "cuDNN 9 for CUDA 13: nvcc, a compiler with CPATH, CMake's FindCUDNN" {
	need 13.0.2
	wheel nvidia-cudnn-cu13 9.12.0.46 "314 MB"
	take 9.12.0-cuda13
	TOOLKIT=13.0 CUDNN=9.12
	builds
	runs ./version 91200
	cudaenv config set compiler_paths yes
	CUDAENV_VERSION=13.0 CUDAENV_CUDNN_VERSION=9.12 cudaenv exec g++ -o plain version.cpp -lcudnn -lcudart
	assert_status 0
	runs ./plain 91200
	cudaenv config unset compiler_paths
	# As PyTorch, OpenCV and others look: by CUDNN_ROOT, or with nothing but the name of the package.
	mkdir -p project/modules
	cat >project/CMakeLists.txt <<-'EOF'
		cmake_minimum_required(VERSION 3.18)
		project(p CXX)
		list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_SOURCE_DIR}/modules)
		find_package(CUDAToolkit REQUIRED)
		find_package(CUDNN REQUIRED)
		find_path(BY_HINT cudnn_version.h HINTS $ENV{CUDNN_ROOT} $ENV{CUDNN_PATH} PATH_SUFFIXES include NO_DEFAULT_PATH)
		message(STATUS "include ${CUDNN_INCLUDE_DIR} library ${CUDNN_LIBRARY} hint ${BY_HINT}")
		add_executable(version ../version.cpp)
		target_include_directories(version PRIVATE ${CUDNN_INCLUDE_DIR})
		target_link_libraries(version ${CUDNN_LIBRARY} CUDA::cudart)
	EOF
	cat >project/modules/FindCUDNN.cmake <<-'EOF'
		find_path(CUDNN_INCLUDE_DIR cudnn.h)
		find_library(CUDNN_LIBRARY cudnn)
		include(FindPackageHandleStandardArgs)
		find_package_handle_standard_args(CUDNN DEFAULT_MSG CUDNN_LIBRARY CUDNN_INCLUDE_DIR)
	EOF
	command -v cmake || skip "no cmake"
	CUDAENV_VERSION=13.0 CUDAENV_CUDNN_VERSION=9.12 cudaenv exec sh -c 'cmake -S project -B build && cmake --build build'
	assert_status 0
	grep -qE "include $p/include library $p/lib(64)?/libcudnn.so hint $p/include" <<<"$out" || fail
	runs build/version 91200
}

@test "cuDNN 8 for CUDA 11: links with 11.8" {
	need 11.8.0
	wheel nvidia-cudnn-cu11 8.5.0.96 "557 MB" large
	take 8.5.0-cuda11
	TOOLKIT=11.8 CUDNN=8
	builds
	# Its parts ask for cuBLAS, which this toolkit lacks: the loader says what it would take.
	CUDAENV_VERSION=11.8 CUDAENV_CUDNN_VERSION=8.5 cudaenv exec ldd version
	assert_stdout_has "libcudnn.so.8 => $p/lib/libcudnn.so.8"
}

@test "cuDNN 9 for CUDA 12: runs with 12.4, merged into a version of its own too" {
	need 12.4.1
	wheel nvidia-cudnn-cu12 9.6.0.74 "508 MB" large
	take 9.6.0-cuda12
	TOOLKIT=12.4 CUDNN=9.6
	builds
	runs ./version 90600
	cudaenv cudnn merge 9.6 12.4.1 --as merged
	assert_status 0
	p=$ROOT/versions/merged
	capture "$p/bin/nvcc" -x cu -o old version.cpp -lcudnn
	assert_status 0
	CUDAENV_VERSION=merged cudaenv exec ./old
	assert_stdout_has "header 90600 library 90600"
	assert_stdout_has "loaded $p/targets/x86_64-linux/lib/libcudnn.so.9"
	cudaenv uninstall merged
}

@test "a small product from the index of this machine's pip" {
	local root=$CUDAENV_ROOT
	export CUDAENV_ROOT=$T/own
	cudaenv product install nvtiff 0.5.1 --cuda 12 --source wheels
	[ "$status" -ne 5 ] || skip "no index: $err"
	assert_status 0
	assert_stdout "$T/own/nvtiff/0.5.1-cuda12"
	[ -f "$T/own/nvtiff/0.5.1-cuda12/include/nvtiff.h" ] && [ -f "$T/own/nvtiff/0.5.1-cuda12/lib64/libnvtiff.so" ]
	CUDAENV_ROOT=$root
}
