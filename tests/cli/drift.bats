#!/usr/bin/env bats
# A build folder that CMake or Meson configured for another version: exec and the hook's launcher say so, once.
load lib
setup() {
	setup_root
	fake_toolkit 12.4.1
	fake_toolkit 11.8.0
	echo 12.4 >.cuda-version
	mkdir build
	cache 11.8.0
}
teardown() { teardown_root; }

cache() {
	printf '%s\n' "CMAKE_CUDA_COMPILER:FILEPATH=$CUDAENV_ROOT/versions/$1/bin/nvcc" \
		CMAKE_CACHE_MAJOR_VERSION:INTERNAL=3 CMAKE_CACHE_MINOR_VERSION:INTERNAL=25 >build/CMakeCache.txt
}
words="'build' is configured by CMake for CUDA 11.8.0, but 12.4.1 is selected"

@test "exec warns and runs the command all the same" {
	FAKE_STATUS=7 cudaenv exec nvcc x
	assert_status 7
	assert_stdout_has "nvcc 12.4.1"
	assert_stderr "warning: $words
hint: cmake --fresh -B build, with your own -D options"
	cudaenv exec +11.8 nvcc
	assert_stderr ""
	cache 12.4.1
	cudaenv exec nvcc
	assert_stderr ""
}

@test "exec does not warn who configures anew" {
	cudaenv exec echo cmake --fresh -B build
	assert_stderr ""
	cudaenv exec echo cmake -B build
	assert_stderr_has "$words"
}

@test "exec looks at the build folder that the command names" {
	mkdir "$T/elsewhere"
	mv build/CMakeCache.txt "$T/elsewhere"
	cudaenv exec echo
	assert_stderr ""
	for e in -C -B --build; do
		cudaenv exec echo -j2 $e "$T/elsewhere"
		assert_stderr_has "elsewhere' is configured by CMake for CUDA 11.8.0"
	done
	for e in -C -B --directory=; do
		cudaenv exec echo "$e$T/elsewhere" all
		assert_stderr_has "elsewhere' is configured by CMake for CUDA 11.8.0"
	done
	cudaenv exec echo -C
	assert_stderr ""
}

@test "a folder of Meson: its nvcc is not the selected one" {
	rm -r build
	mkdir -p builddir/meson-logs
	fake_toolkit 12.4.1
	mkdir -p "$prefix/include"
	echo '#define CUDA_VERSION 12040' >"$prefix/include/cuda.h"
	printf '%s\n' "Source dir: $PWD" 'Cuda compiler for the host machine: nvcc (nvcc 11.8.89)' >builddir/meson-logs/meson-log.txt
	cudaenv exec ninja
	assert_stderr_has "warning: 'builddir' is set up by Meson for CUDA 11.8, but 12.4.1 is selected
hint: meson setup --wipe builddir"
	cudaenv exec echo meson setup --wipe builddir
	assert_stderr ""
}

@test "the launcher tells the hook, which has the environment all the same" {
	[ -n "${SHIM:-}" ] || skip 'no launcher'
	local shell
	for shell in bash zsh fish; do
		capture "$SHIM" hook $shell
		assert_status 0
		assert_stderr ""
		assert_stdout_has CUDA_HOME
		[ "$(grep '^__cudaenv_is ' "$T/stdout" | grep -c "is configured by CMake for CUDA 11.8.0, but 12.4.1 is selected; hint: cmake --fresh -B build")" -eq 1 ] || fail
	done
	cache 12.4.1
	capture "$SHIM" hook bash
	[[ $(tail -n 1 "$T/stdout") == "__cudaenv_is '$CUDAENV_ROOT/versions/12.4.1' 1 '' "* ]] || fail
}
