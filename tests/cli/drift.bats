#!/usr/bin/env bats
# A build folder that CMake configured for another version: exec and the hook's launcher say so, once.
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
