#!/usr/bin/env bats
# A real toolkit: assembled from NVIDIA's wheels, proved, broken, used by CMake and pkg-config.

# shellcheck source=tests/cli/lib.bash
. "$TESTLIB"

VERSION=13.0.2
WHEELS=(nvidia_cuda_nvcc-13.0.88 nvidia_nvvm-13.0.88 nvidia_cuda_crt-13.0.88 nvidia_cuda_runtime-13.0.96
	nvidia_cuda_cccl-13.0.85 nvidia_cuda_nvrtc-13.0.88 nvidia_nvptxcompiler-13.0.88
	nvidia_cuda_culibos-13.0.85)

# One prefix for all tests, assembled once; each test works on its own hard-linked copy.
setup_file() {
	local wheel
	set -- # the archives
	for wheel in "${WHEELS[@]}"; do
		set -- "$@" "$TOOLKIT_WHEELS/$wheel"-*x86_64.whl
	done
	export SHARED="$BATS_FILE_TMPDIR/the root"
	"$TOOLKIT" build "$SHARED" "$VERSION" "$@"
	chmod 755 "$BATS_FILE_TMPDIR"
}

setup() {
	setup_root
	P="$SHARED/versions/$VERSION"
	MAX_GCC=$(sed -n 's/^#if __GNUC__ > \([0-9]*\).*/\1/p' "$P/include/crt/host_config.h")
}

teardown() { teardown_root; }

# own_copy: $P is now this test's own, in a path with blanks.
own_copy() {
	mkdir -p "$T/the root/versions" "$T/the root/staging"
	cp -al "$P" "$T/the root/versions/$VERSION"
	P="$T/the root/versions/$VERSION"
	# A hard link to the file of all tests must not be written to.
	cp "$P/bin/nvcc.profile" "$T/profile" && mv "$T/profile" "$P/bin/nvcc.profile"
}

# probe LEVEL [ours|other]: $word, $ccbin, $detail, $hint
probe() {
	capture "$TOOLKIT" probe "$P" "$1" "${2:-ours}"
	{
		read -r word
		read -r ccbin
		read -r detail
		read -r hint
	} <"$T/stdout" || :
	echo "# status $status: $word | $ccbin | $detail | $hint | $err" >&2
}

# fake_gcc VERSION: gcc and g++ that say so and preprocess so, first on PATH.
fake_gcc() {
	local c
	for c in gcc g++; do
		cat >"$T/bin/$c" <<-EOF
			#!/bin/sh
			case \$1 in
			-dumpversion | -dumpfullversion) echo $1.0.1; exit ;;
			--version) echo "$c (Fake) $1.0.1"; exit ;;
			esac
			exec /usr/bin/$c -U__GNUC__ -D__GNUC__=$1 "\$@"
		EOF
		chmod 755 "$T/bin/$c"
	done
}

# limit_gcc N: this nvcc now refuses gcc above N.
limit_gcc() {
	sed "s/__GNUC__ > [0-9]*/__GNUC__ > $1/" "$P/include/crt/host_config.h" >"$T/host_config.h"
	mv -f "$T/host_config.h" "$P/include/crt/host_config.h"
}

refute() { ! "$@" || fail "should not hold: $*"; }

compiles() {
	cp "$CUDAENV_KERNELS/hello.cu" "$T/work/hello.cu"
	capture "$P/bin/nvcc" "$@" -o "$T/work/hello" "$T/work/hello.cu"
	assert_status 0
}

# But for the lines that a machine with another CUDA brings in.
assert_profile_as_before() {
	cmp <(grep -v /.cudaenv/lacks/ "$P/bin/nvcc.profile") \
		<(grep -v /.cudaenv/lacks/ "$SHARED/versions/$VERSION/bin/nvcc.profile")
}

built_by() { readelf -p .comment "$T/work/hello" | grep -q "GCC: .*) $1\." || fail "not built by gcc $1"; }

@test "the layout is the one of /usr/local/cuda" {
	local t=targets/x86_64-linux
	[ "$(readlink "$P/include")" = $t/include ]
	[ "$(readlink "$P/lib64")" = $t/lib ]
	[ -L "$P/lib" ]
	[ "$(readlink "$P/lib64/libcudart.so")" = libcudart.so.13 ]
	[ "$(readlink "$P/lib64/libnvrtc-builtins.so")" = libnvrtc-builtins.so.13.0 ]
	[ -f "$P/lib64/libcudart.so" ]
	[ -f "$P/nvvm/lib64/libnvvm.so" ]
	[ -f "$P/nvvm/include/nvvm.h" ]
	[ -f "$P/bin/nvcc.profile" ]
	[ ! -L "$P/bin/nvcc.profile" ]
	[ "$(stat -c %h-%a "$P/bin/nvcc.profile")" = 1-644 ]
	# The rest is shared with the store.
	[ "$(stat -c %h "$P/bin/nvcc")" -ge 2 ]
	[ -z "$(find -L "$P" -type l)" ]
	[ -z "$(find "$P" -type d ! -perm 755)" ]
	[ -z "$(find "$P" -type f ! -perm -444)" ]
}

@test "nothing names the staging folder" {
	[ -z "$(find "$P" -lname '*staging*')" ]
	[ -z "$(find "$P" -lname '/*')" ]
	refute grep -rlF "$SHARED/staging" "$P"
}

@test "version.json has NVIDIA's form" {
	python3 - "$P/version.json" <<-'EOF'
		import json, sys
		v = json.load(open(sys.argv[1]))
		assert list(v)[0] == 'cuda', list(v)
		assert v['cuda'] == {'name': 'CUDA SDK', 'version': '13.0.2'}, v['cuda']
		assert v['cuda_nvcc'] == {'name': 'CUDA NVCC', 'version': '13.0.88'}, v['cuda_nvcc']
		assert v['libnvvm'] == {'name': 'CUDA NVVM', 'version': '13.0.88'}, v['libnvvm']
		assert len(v) == 9, v
	EOF
}

@test "the libcuda stub has the functions of cuda.h and is in stubs only" {
	[ "$(find -L "$P" -name 'libcuda.so*' | grep -cv /stubs/)" -eq 0 ]
	[ -e "$P/lib64/stubs/libcuda.so.1" ]
	readelf -d "$P/lib64/stubs/libcuda.so" | grep -q 'soname: \[libcuda.so.1\]'
	[ -z "$(readelf -d "$P/lib64/stubs/libcuda.so" | grep -E 'NEEDED|RPATH|RUNPATH')" ]
	local symbols
	symbols=$(readelf -Ws --dyn-syms "$P/lib64/stubs/libcuda.so")
	for f in cuInit cuGetProcAddress_v2 cuMemAlloc_v2 cuMemcpyHtoD_v2_ptds cuLaunchKernel_ptsz cuCtxCreate_v4; do
		grep -qw "$f" <<<"$symbols" || fail "no $f"
	done
	refute grep -q ' cuda' <<<"$symbols"
	cat >driver.c <<-'EOF'
		#include <cuda.h>
		#include <stdio.h>
		int main(void) { printf("%d\n", (int)cuInit(0)); return 0; }
	EOF
	gcc -I "$P/include" driver.c -L "$P/lib64/stubs" -lcuda -o driver
	LD_LIBRARY_PATH="$P/lib64/stubs" capture ./driver
	assert_stdout 34
}

@test "pkg-config finds the libraries in the final prefix" {
	command -v pkg-config || skip "no pkg-config"
	local place
	for place in pkg-config pkgconfig lib64/pkgconfig; do
		export PKG_CONFIG_LIBDIR="$P/$place"
		capture pkg-config --cflags --libs cudart
		assert_status 0
		eval "set -- $out"
		[ "$1" = "-I$P/targets/x86_64-linux/include" ]
		[ "$2" = "-L$P/targets/x86_64-linux/lib" ]
		[ "$3" = -lcudart ]
	done
	capture pkg-config --modversion cuda-13.0
	assert_stdout 13.0
	capture pkg-config --libs cuda nvrtc-13.0
	assert_status 0
	assert_stdout_has "/stubs"
	[ "$(readlink "$P/pkg-config/cudart.pc")" = cudart-13.0.pc ]
}

@test "its own nvcc proves it" {
	own_copy
	touch a.out libcudart.so hello.cu
	probe compile
	[ "$word" = compiled ]
	[ "$ccbin" = /usr/bin/g++ ]
	[ -z "$detail$hint" ]
	# The default compiler is accepted, so nothing was set.
	refute grep -q compiler-bindir "$P/bin/nvcc.profile"
	refute_exists "$P/.cudaenv/ccbin"
	[ -z "$(ls -A "$T/the root/staging")" ]
	[ "$(ls)" = "$(printf 'a.out\nhello.cu\nlibcudart.so')" ]
}

@test "the user's compiler variables have no say in the proof" {
	own_copy
	mkdir -p "$T/wrong/crt"
	echo '#error wrong header' | tee "$T/wrong/cuda_runtime.h" "$T/wrong/crt/host_config.h" "$T/wrong/vector"
	export CPATH="$T/wrong" CPLUS_INCLUDE_PATH="$T/wrong" LIBRARY_PATH="$T/wrong" NVCC_APPEND_FLAGS=--nonsense \
		NVCC_PREPEND_FLAGS=--nonsense NVCC_CCBIN=/nonexistent CUDA_HOME=/nonexistent LD_RUN_PATH=/nonexistent
	probe compile
	[ "$word" = compiled ]
}

@test "each missing part is named" {
	local part
	for part in bin/nvcc.profile nvvm/bin/cicc nvvm/libdevice/libdevice.10.bc bin/crt bin/cudafe++ bin/ptxas \
		bin/fatbinary bin/nvlink bin/nvcc include/crt include/cuda_runtime.h lib64/libcudart.so.13 \
		lib64/libcudart_static.a lib64/libcudadevrt.a; do
		P="$SHARED/versions/$VERSION"
		own_copy
		rm -r "${P:?}/$part"
		probe compile
		[ "$word" = tree-incomplete ]
		[[ $detail == *"${part%.13}"* ]]
		[[ $hint == *"cudaenv install -f $VERSION"* ]]
		rm -rf "$P"
	done
}

@test "an empty file and a program that cannot be executed are missing parts" {
	own_copy
	rm "$P/nvvm/bin/cicc"
	: >"$P/nvvm/bin/cicc"
	probe files
	[ "$word" = tree-incomplete ]
	[[ $detail == *nvvm/bin/cicc* ]]
}

@test "level files does not compile" {
	own_copy
	probe files
	[ "$word" = files-ok ]
}

@test "a missing header is named, also where another toolkit could lend it" {
	own_copy
	rm "$P/include/crt/device_functions.h"
	probe compile
	[ "$word" = tree-incomplete ]
	[[ $detail == *crt/device_functions.h* ]]
	# A compiler that looks into another toolkit by itself, as it does with /usr/local/include.
	for c in gcc g++; do
		printf '#!/bin/sh\nexec /usr/bin/%s "$@" -idirafter "%s"\n' $c "$SHARED/versions/$VERSION/include" >"$T/bin/$c"
		chmod 755 "$T/bin/$c"
	done
	probe compile
	[ "$word" = tree-incomplete ]
	[[ $detail == *"/include/crt/device_functions.h' of another toolkit"* ]]
}

@test "cccl is part of the proof" {
	own_copy
	rm -r "$P/include/nv" "$P/include/cccl"
	probe compile
	[ "$word" = tree-incomplete ]
	[[ $detail == *nv/target* ]]
}

@test "another user proves a prefix of root" {
	[ "$(id -u)" -eq 0 ] || skip "this is not root"
	command -v setpriv || skip "no setpriv"
	own_copy
	chmod 755 "$T"
	mkdir -m 1777 "$T/shared tmp"
	cp "$TOOLKIT" "$T/toolkit" && cp -r "$CUDAENV_KERNELS" "$T/kernels" && chmod -R a+rX "$T/kernels" "$T/toolkit"
	capture setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent TMPDIR="$T/shared tmp" \
		CUDAENV_KERNELS="$T/kernels" "$T/toolkit" probe "$P" compile ours
	assert_status 0
	[ "$(head -n 1 "$T/stdout")" = compiled ] || fail
}

@test "TMPDIR that is missing, read-only or noexec is named, and another folder serves" {
	own_copy
	export TMPDIR="$T/none"
	probe compile
	[ "$word" = compiled ]
	assert_stderr_has "TMPDIR '$T/none'"
	export TMPDIR=relative
	probe compile
	[ "$word" = compiled ]
	assert_stderr_has "TMPDIR 'relative'"
	mkdir "$T/mnt"
	export TMPDIR="$T/mnt"
	mount -t tmpfs -o noexec,size=1m none "$T/mnt" 2>/dev/null || skip "cannot mount (the rest passed)"
	probe compile
	umount "$T/mnt"
	[ "$word" = compiled ]
	assert_stderr_has "TMPDIR '$T/mnt'"
	assert_stderr_has noexec
	mount -t tmpfs -o ro,size=1m none "$T/mnt"
	probe compile
	umount "$T/mnt"
	[ "$word" = compiled ]
	assert_stderr_has "TMPDIR '$T/mnt'"
	mount -t tmpfs -o size=256k none "$T/mnt"
	probe compile
	umount "$T/mnt"
	[ "$status" -eq 7 ]
	assert_stderr_has "no space left"
	assert_stderr_has TMPDIR
}

@test "a compiler that is too new: the newest accepted one serves every call" {
	command -v g++-11 || skip "no g++-11"
	own_copy
	limit_gcc 11
	capture "$P/bin/nvcc" -o hello "$CUDAENV_KERNELS/hello.cu"
	[ "$status" -ne 0 ]
	probe compile
	[ "$word" = compiled ]
	[ "$ccbin" = /usr/bin/g++-11 ]
	assert_stderr_has /usr/bin/g++-11
	grep -q '^compiler-bindir' "$P/bin/nvcc.profile"
	[ "$(stat -c %a "$P/bin/nvcc.profile")" = 644 ]
	refute grep -F "$T" "$P/bin/nvcc.profile"
	compiles
	built_by 11
	# The user's own word still counts.
	limit_gcc 12
	compiles -ccbin g++-12
	built_by 12
	# A second proof changes nothing.
	limit_gcc 11
	sum=$(stat -c %i "$P/bin/nvcc.profile")
	probe compile
	[ "$word" = compiled ]
	[ "$sum" = "$(stat -c %i "$P/bin/nvcc.profile")" ]
	refute_stderr_has "host compiler"
	# Moved as a whole it goes on working.
	mv "$T/the root" "$T/moved"
	P="$T/moved/versions/$VERSION"
	compiles
	built_by 11
	# And when the default is accepted again, all is as it was.
	limit_gcc 15
	probe compile
	[ "$word" = compiled ]
	[ "$ccbin" = /usr/bin/g++ ]
	assert_profile_as_before
	refute_exists "$P/.cudaenv/ccbin"
}

@test "a compiler so new that nvcc's front end takes its words for the other's" {
	command -v g++-11 || skip "no g++-11"
	own_copy
	limit_gcc 11
	fake_gcc 99
	probe compile
	[ "$word" = compiled ]
	[ "$ccbin" = /usr/bin/g++-11 ]
	compiles
	built_by 11
	[ "$("$P/bin/nvcc" -V)" = "$("$SHARED/versions/$VERSION/bin/nvcc" -V)" ]
	limit_gcc 12
	compiles -ccbin g++-12
	built_by 12
	rm "$T/bin"/*
	limit_gcc "$MAX_GCC"
	probe compile
	[ "$word" = compiled ]
	[ "$ccbin" = /usr/bin/g++ ]
	cmp "$P/bin/nvcc" "$SHARED/versions/$VERSION/bin/nvcc"
	refute_exists "$P/bin/nvcc.bin"
}

@test "no gcc on PATH: the one in /usr/bin serves every call" {
	own_copy
	local tool old=$PATH
	for tool in as ld sh rm cat uname tr; do ln -s "$(command -v $tool)" "$T/bin/$tool"; done
	PATH=$T/bin
	capture "$P/bin/nvcc" -o hello "$CUDAENV_KERNELS/hello.cu"
	[ "$status" -ne 0 ]
	probe compile
	[ "$word" = compiled ]
	[[ $ccbin == /usr/bin/* ]]
	capture "$P/bin/nvcc" -o hello "$CUDAENV_KERNELS/hello.cu"
	PATH=$old
	/bin/rm "$T/bin"/*
	hash -r
	assert_status 0
}

@test "when no compiler fits, the package is named and nothing is changed" {
	own_copy
	limit_gcc 5
	probe compile
	[ "$word" = host-compiler-refused ]
	[[ $detail == */usr/bin/g++*newest*5* ]]
	[[ $hint == *"5"* || $hint == *install* ]]
	assert_profile_as_before
	refute_exists "$P/.cudaenv/ccbin"
}

@test "a toolkit that is not ours is judged as it stands" {
	command -v g++-11 || skip "no g++-11"
	own_copy
	limit_gcc 11
	probe compile other
	[ "$word" = host-compiler-refused ]
	[[ $hint == *"-ccbin /usr/bin/g++-11"* ]]
	assert_profile_as_before
}

# cmake_project: builds a small project with this prefix; nothing that the prefix has came from elsewhere.
# (CMake also looks for libraries that nobody asked for, and finds those that a minimal prefix lacks in
# /usr/local where a toolkit is there; they are not linked.)
cmake_project() {
	mkdir -p project build
	cp "$CUDAENV_KERNELS/hello.cu" project/
	cat >project/CMakeLists.txt <<-'EOF'
		cmake_minimum_required(VERSION 3.18)
		project(x LANGUAGES CXX CUDA)
		find_package(CUDAToolkit REQUIRED)
		add_executable(hello hello.cu)
		target_link_libraries(hello CUDA::cudart CUDA::cuda_driver CUDA::nvrtc)
		target_link_options(hello PRIVATE LINKER:-Map=hello.map)
	EOF
	capture cmake -G Ninja -S project -B build -DCMAKE_CUDA_ARCHITECTURES=75 "$@"
	assert_status 0
	assert_stdout_has 'found version "13.0.88"'
	capture cmake --build build
	assert_status 0
	foreign=$(
		grep -E '^LOAD .*lib(cu|nv)' build/hello.map | grep -vF "$P"
		for lib in "$P"/lib64/lib*.so "$P"/lib64/lib*.a "$P"/lib64/stubs/lib*.so; do
			grep -E "=/.*/$(basename "$lib")$" build/CMakeCache.txt | grep -vF "$P"
		done
		grep -E '^(CUDAToolkit|CMAKE_CUDA)[A-Za-z_]*:[A-Z]*=/' build/CMakeCache.txt | grep -vF -e "$P" -e librt
		ninja -C build -t deps | grep -E '/include/(cuda|crt/|nv/)' | grep -vF "$P"
	) || :
	[ -z "$foreign" ] || fail "$foreign"
	grep -q "^LOAD $P.*libcudart" build/hello.map
}

@test "a CMake project finds this toolkit and nothing outside" {
	command -v cmake && command -v ninja || skip "no cmake or ninja"
	PATH="$P/bin:$PATH" cmake_project
}

@test "a CMake project works with a compiler that the prefix brought in" {
	command -v cmake && command -v ninja && command -v g++-11 || skip "no cmake, ninja or g++-11"
	own_copy
	limit_gcc 11
	fake_gcc 99
	probe compile
	[ "$word" = compiled ]
	rm "$T/bin"/*
	PATH="$P/bin:$PATH" CXX=g++-11 cmake_project
}
