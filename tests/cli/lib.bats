#!/usr/bin/env bats
# The helpers themselves: a check that cannot fail would let everything pass.
load lib
setup() { setup_root; }
teardown() { teardown_root; }

@test "the root is fresh, private and has a blank in its name" {
	[[ $CUDAENV_ROOT == *' '* && $PWD == "$T/work" && $HOME == "$T/"* ]]
	refute_exists "$CUDAENV_ROOT"
	[ -z "$(compgen -e | grep -E '^(CUDA_|CUDNN|NVCC)')" ]
}

@test "a fake tool tells version, path and arguments, and ends as told" {
	fake_toolkit 12.4.1 nvcc ptxas
	FAKE_STATUS=7 capture "$prefix/bin/ptxas" 'a  b' '' '*'
	assert_status 7
	assert_stdout "ptxas 12.4.1
$prefix/bin/ptxas
[a  b]
[]
[*]"
}

@test "stdout and stderr are kept apart" {
	capture sh -c 'echo one; echo two >&2; exit 3'
	assert_status 3
	assert_stdout one
	assert_stderr two
	assert_stdout_has n
	assert_stderr_has w
	refute_stdout_has two
	refute_stderr_has one
}

@test "every check can fail" {
	capture sh -c 'echo one; echo two >&2; exit 3'
	! assert_status 0 || false
	! assert_stdout two || false
	! assert_stderr one || false
	! assert_stdout_has two || false
	! assert_stderr_has one || false
	! refute_stdout_has one || false
	! refute_stderr_has two || false
	! assert_exists "$T/none" || false
	! refute_exists "$T/work" || false
}
