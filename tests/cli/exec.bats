#!/usr/bin/env bats
# Running and finding tools.
load lib
setup() {
	setup_root
	fake_toolkit 12.4.1 nvcc ptxas
	fake_toolkit 11.8.0 nvcc nvprof
	echo 12.4 >.cuda-version
}
teardown() { teardown_root; }

prefix_of() { printf '%s\n' "$CUDAENV_ROOT/versions/$1"; }

@test "exec runs the tool by its path in the prefix, arguments untouched" {
	cudaenv exec nvcc 'a  b' '' '*' --json -q --help
	assert_status 0
	assert_stderr ""
	assert_stdout "nvcc 12.4.1
$(prefix_of 12.4.1)/bin/nvcc
[a  b]
[]
[*]
[--json]
[-q]
[--help]"
	cudaenv exec +11.8 nvcc
	assert_stdout "nvcc 11.8.0
$(prefix_of 11.8.0)/bin/nvcc"
	cudaenv exec +11 -- nvcc --
	assert_stdout_has "[--]"
}

@test "exec: the exit status is the command's" {
	local n
	for n in 0 1 2 3 126 127 255; do
		FAKE_STATUS=$n cudaenv exec nvcc
		assert_status "$n"
		assert_stderr ""
	done
	# shellcheck disable=SC2016
	cudaenv exec sh -c 'kill -9 $$'
	assert_status 137
}

@test "exec sets the environment for everything below" {
	# shellcheck disable=SC2016
	cudaenv exec +11.8 sh -c 'echo "$CUDA_HOME|$CUDAENV_VERSION|${PATH%%:*}"; cd /; "$CUDAENV" version-name'
	assert_stdout "$(prefix_of 11.8.0)|11.8.0|$(prefix_of 11.8.0)/bin
11.8.0"
	# shellcheck disable=SC2016
	cudaenv exec +11.8 "$CUDAENV" exec +12.4 sh -c 'echo "$PATH"'
	assert_stdout "$(prefix_of 12.4.1)/bin:$T/bin:/usr/bin:/bin"
}

@test "exec: shims inside it agree" {
	cudaenv rehash
	PATH="$CUDAENV_ROOT/shims:$PATH" cudaenv exec +11.8 sh -c 'cd /; nvcc; ptxas'
	assert_status 127
	assert_stdout "nvcc 11.8.0
$(prefix_of 11.8.0)/bin/nvcc"
	assert_stderr_has "version '11.8.0' has no 'ptxas' (versions that have it: 12.4.1)"
}

@test "exec passes stdin, signals and descriptors on" {
	out=$(printf 'one\ntwo\n' | "$CUDAENV" exec cat)
	[ "$out" = $'one\ntwo' ]
	# An ignored signal stays ignored, as under nohup.
	# shellcheck disable=SC2016
	out=$(trap '' HUP PIPE; "$CUDAENV" exec sh -c 'grep SigIgn /proc/$$/status')
	[[ $((0x${out##*[[:blank:]]} & 0x1001)) -eq $((0x1001)) ]] || fail "$out"
	# shellcheck disable=SC2016
	out=$("$CUDAENV" exec sh -c 'grep SigIgn /proc/$$/status')
	[[ $((0x${out##*[[:blank:]]} & 0x1000)) -eq 0 ]] || fail "$out"
	exec 7</etc/passwd
	ls /proc/self/fd >"$T/direct"
	"$CUDAENV" exec ls /proc/self/fd | cmp - "$T/direct"
}

@test "exec: its own failures" {
	cudaenv exec +99 nvcc
	assert_status 3
	assert_stderr_has "version '99' is not installed"
	cudaenv exec no-such-command
	assert_status 127
	assert_stderr_has "'no-such-command' is neither in version '12.4.1' nor on PATH"
	cudaenv exec nvprof
	assert_status 127
	assert_stderr_has "versions that have it: 11.8.0"
	cudaenv exec ./none
	assert_status 127
	cudaenv exec "$T"
	assert_status 126
	chmod 644 "$(prefix_of 12.4.1)/bin/ptxas"
	cudaenv exec ptxas
	assert_status 126
	assert_stderr_has "not executable"
	printf 'echo no interpreter line\n' >"$T/bin/plain"
	chmod 755 "$T/bin/plain"
	cudaenv exec plain
	assert_status 126
	assert_stderr_has "neither a program nor a script"
	cudaenv exec
	assert_status 2
	cudaenv exec +12.4
	assert_status 2
	cudaenv exec ''
	assert_status 2
}

@test "exec system takes ours out" {
	# shellcheck disable=SC2016
	cudaenv exec +12.4 "$CUDAENV" exec +system sh -c 'echo "$PATH|${CUDA_HOME-unset}|$CUDAENV_VERSION"'
	assert_stdout "$T/bin:/usr/bin:/bin|unset|system"
}

@test "which prints the path in the prefix" {
	cudaenv which nvcc
	assert_status 0
	assert_stdout "$(prefix_of 12.4.1)/bin/nvcc"
	cudaenv which +11.8 nvcc
	assert_stdout "$(prefix_of 11.8.0)/bin/nvcc"
	cudaenv rehash
	PATH="$CUDAENV_ROOT/shims:$PATH" cudaenv which nvcc
	assert_stdout "$(prefix_of 12.4.1)/bin/nvcc"
}

@test "which: the statuses are the shim's" {
	cudaenv which nvprof
	assert_status 127
	assert_stdout ""
	assert_stderr_has "version '12.4.1' has no 'nvprof' (versions that have it: 11.8.0), set by '$T/work/.cuda-version'"
	chmod 644 "$(prefix_of 12.4.1)/bin/ptxas"
	cudaenv which ptxas
	assert_status 126
	echo 99 >.cuda-version
	cudaenv which nvcc
	assert_status 3
	echo 12.4 >.cuda-version
	cudaenv which ../../x
	assert_status 127
	cudaenv which a b
	assert_status 2
	cudaenv which +12.4
	assert_status 2
}

@test "which --all: the selected one first, then the others and the system's" {
	printf '#!/bin/sh\n' >"$T/bin/nvcc"
	chmod 755 "$T/bin/nvcc"
	cudaenv which -a nvcc
	assert_status 0
	assert_stdout "$(prefix_of 12.4.1)/bin/nvcc
$(prefix_of 11.8.0)/bin/nvcc
$T/bin/nvcc"
	cudaenv which -a nvprof
	assert_status 0
	assert_stdout "$(prefix_of 11.8.0)/bin/nvprof"
	cudaenv which -a nothing
	assert_status 127
}

@test "system: the first on PATH that is not a shim, never from an empty or relative part" {
	cudaenv rehash
	printf '#!/bin/sh\n' >"$T/bin/nvcc"
	cp "$T/bin/nvcc" nvcc
	chmod 755 nvcc "$T/bin/nvcc"
	PATH=":.:$CUDAENV_ROOT/shims:$PATH" cudaenv which +system nvcc
	assert_stdout "$T/bin/nvcc"
	cudaenv prefix system
	assert_stdout "$T"
	rm "$T/bin/nvcc"
	PATH=":.:$CUDAENV_ROOT/shims:$PATH" cudaenv which +system nvcc
	assert_status 127
	cudaenv prefix system
	assert_status 127
}

@test "whence, prefix, root" {
	cudaenv whence nvcc
	assert_stdout "12.4.1
11.8.0"
	cudaenv whence nvprof
	assert_stdout 11.8.0
	cudaenv whence nothing
	assert_status 127
	cudaenv whence ../nvcc
	assert_status 127
	cudaenv prefix
	assert_stdout "$(prefix_of 12.4.1)"
	cudaenv prefix 11
	assert_stdout "$(prefix_of 11.8.0)"
	cudaenv prefix 99
	assert_status 3
	cudaenv root
	assert_stdout "$CUDAENV_ROOT"
}
