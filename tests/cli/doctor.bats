#!/usr/bin/env bats
# doctor as a program; its codes are tests/unit/test_doctor.c. What GPU and driver the machine has does not matter.
load lib
setup() {
	setup_root
	fake_toolkit 12.4.1
	fake_toolkit 11.8.0
	echo 12.4 >.cuda-version
}
teardown() { teardown_root; }

# code SEVERITY CODE TEXT: among the findings of the JSON on stdout.
assert_code() {
	python3 -c '
import json, sys
severity, code, text, path = sys.argv[1:]
found = [f for f in json.load(open(path))["findings"] if f["code"] == code]
assert found, "not found: " + code
assert found[0]["severity"] == severity and text in found[0]["what"] and found[0]["remedy"], found
' "$@" "$T/stdout" || fail "$1 $2"
}
refute_code() { refute_stdout_has "\"$1\""; }

@test "doctor works without a home, a root or an environment" {
	mkdir empty
	capture env -i "$CUDAENV" doctor
	[ "$status" -le 1 ] || fail
	assert_stdout_has "selected   "
	capture env -i PATH=/usr/bin:/bin CUDAENV_ROOT="$T/none" HOME="$T/none" "$CUDAENV" --json doctor
	[ "$status" -le 1 ] || fail
	python3 -m json.tool "$T/stdout" >/dev/null
}

@test "doctor tells what is selected, every nvcc in order, and the variables" {
	printf '#!/bin/sh\necho "Cuda compilation tools, release 11.5, V11.5.119"\n' >"$T/bin/nvcc"
	chmod 755 "$T/bin/nvcc"
	cudaenv rehash
	PATH="$CUDAENV_ROOT/shims:$PATH" CUDA_HOME="$CUDAENV_ROOT/versions/11.8.0" cudaenv doctor
	assert_status 1
	assert_stdout_has "selected   12.4.1 (from 12.4, set by '$T/work/.cuda-version')"
	[[ $out == *"*  12.4.1  $CUDAENV_ROOT/shims/nvcc"*shim*" 11.5    $T/bin/nvcc"* ]] || fail
	assert_stdout_has "hash -r"
	assert_stdout_has "CUDA_HOME  11.8.0  $CUDAENV_ROOT/versions/11.8.0"
	assert_stdout_has "error    VAR_DISAGREE: CUDA_HOME says 11.8.0, but selected is 12.4.1"
	assert_stderr ""
}

@test "doctor lists every cuDNN in the loader's order, and what a framework brought" {
	fake_cudnn 9.3.0-cuda12
	local site="$T/venv/lib/python3.11/site-packages"
	mkdir -p "$T/a" "$site/torch" "$site/nvidia/cudnn/lib"
	: >"$T/a/libcudnn.so.8.1.0"
	ln -s libcudnn.so.8.1.0 "$T/a/libcudnn.so.8"
	printf "__version__ = '2.0.1+cu118'\ncuda = '11.8'\n" >"$site/torch/version.py"
	cp -r "$cudnn/include" "$site/nvidia/cudnn"
	VIRTUAL_ENV=$T/venv LD_LIBRARY_PATH="$cudnn/lib:$T/a" cudaenv doctor
	[[ $out == *"libcudnn.so.9 "*" 9.3.0 "*" $cudnn/lib/libcudnn.so.9 "*"
libcudnn.so.8 "*" 8.1.0 "*" $T/a/libcudnn.so.8 "*"
torch  2.0.1+cu118  CUDA 11.8  cuDNN 9.3.0  $site"* ]] || fail
	# None comes along that nobody asked for.
	cudaenv exec env
	refute_stdout_has CUDNN
	refute_stdout_has /cudnn/
}

@test "doctor: the exit status says whether one is an error" {
	CUDA_PATH=/nowhere cudaenv doctor --json
	assert_status 1
	assert_code error VAR_STALE /nowhere
	cudaenv exec "$CUDAENV" doctor --json
	refute_code VAR_STALE
	refute_code VAR_DISAGREE
	refute_code PATH_FOREIGN_NVCC
	# What these two lack, all of them are errors.
	assert_code error TREE_INCOMPLETE ptxas
}

@test "doctor: files that versions share were written into" {
	local entry
	entry=$CUDAENV_ROOT/store/$(printf '%064d' 1)/tree
	mkdir -p "$entry"
	echo 11.8 >.cuda-version
	# A second link that is nobody's, as of a copy of the root.
	ln "$prefix/bin/nvcc" "$T/another"
	cudaenv --json doctor
	refute_code STORE_CHANGED
	ln "$prefix/bin/nvcc" "$entry/nvcc"
	cudaenv --json doctor
	assert_code warning STORE_CHANGED bin/nvcc
}

@test "doctor: a root that was moved" {
	mkdir -p "$CUDAENV_ROOT/versions/12.4.1/pkg-config"
	printf 'cudaroot=/ci/home/.cudaenv/versions/12.4.1\n' >"$CUDAENV_ROOT/versions/12.4.1/pkg-config/cudart-12.4.pc"
	cudaenv --json doctor
	assert_code error ROOT_MOVED "was moved"
	cudaenv rehash
	cudaenv --json doctor
	refute_code ROOT_MOVED
}

@test "doctor --network asks the mirrors" {
	mkdir -p mirror/cuda/redist
	# Mirrors are divided by blanks.
	local here="file://${PWD// /%20}"
	CUDAENV_MIRROR=$here/mirror cudaenv --json doctor --network
	refute_code NET_MIRROR
	CUDAENV_MIRROR="$here/none http://user:secret@127.0.0.1:1" cudaenv --json doctor --network
	assert_code error NET_MIRROR "cannot read '$PWD/none"
	refute_stdout_has secret
	CUDAENV_MIRROR="$here/mirror $here/none" cudaenv --json doctor --network
	assert_code warning NET_MIRROR "$PWD/none"
	CUDAENV_MIRROR=$here/none cudaenv --json doctor
	refute_code NET_MIRROR
}

@test "doctor reads a root that it may not write" {
	chmod -R a-w "$CUDAENV_ROOT"
	cudaenv --json doctor
	[ "$status" -le 1 ] || fail
	assert_stdout_has '"selected": "12.4.1"'
	cudaenv doctor extra
	assert_status 2
}
