#!/usr/bin/env bats
# verify with real toolkits: broken trees, and programs that their own nvcc made, on a driver that says anything.

# shellcheck source=tests/toolkit/redist.bash
. "${BATS_TEST_FILENAME%/*}/redist.bash"

setup_file() { install_all; }
setup() {
	redist_setup
	[ -e "${FAKE_CUDA:-}" ] || skip "the fake driver is not built"
	mkdir "$T/driver"
	ln -s "$FAKE_CUDA" "$T/driver/libcuda.so.1"
	ln -s "$FAKE_CUDA" "$T/driver/libnvidia-ml.so.1"
}
teardown() { redist_teardown; }

# own_copy: $P of a root of this test's own.
# shellcheck disable=SC2031
own_copy() {
	mkdir -p "$CUDAENV_ROOT/versions"
	cp -al "$P" "$CUDAENV_ROOT/versions/"
	P=$CUDAENV_ROOT/versions/$LABEL
}

verify() { LD_LIBRARY_PATH="$T/driver" cudaenv verify --level run "$LABEL"; }

broken() {
	own_copy
	local part real
	for part in nvvm/bin/cicc nvvm/libdevice/libdevice.10.bc bin/nvcc.profile bin/ptxas bin/fatbinary bin/cudafe++ \
		bin/nvlink include/cuda_runtime.h include/crt/host_config.h lib64/libcudart.so lib64/libcudart_static.a \
		lib64/libcudadevrt.a; do
		real=$P/$part
		mv "$real" "$T/away"
		cudaenv verify --level compile "$LABEL"
		assert_status 8
		[[ $out == "$LABEL"$'\ttree-incomplete\t'*"${part#include/}'"* ]] || fail "wanted $part"
		assert_stderr_has "cudaenv install -f $LABEL"
		mv "$T/away" "$real"
	done
}

@test "11.8, 12.4 and 13.0: a tree that lacks one part is told, and which" { each broken; }

# The proof compiles at each code anew; here the program is made once, and nvcc's place is taken by what copies it.
compiled_once() {
	own_copy
	cp "$CUDAENV_KERNELS/hello.cu" .
	"$P/bin/nvcc" -arch=sm_90 -o hello hello.cu
	cat >"$T/nvcc" <<-EOF
		#!/bin/sh
		case \$1 in --list-gpu-code) echo sm_90; exit ;; esac
		for a; do [ "\$last" = -o ] && cp '$PWD/hello' "\$a"; last=\$a; done
	EOF
	chmod 755 "$T/nvcc"
	mv "$T/nvcc" "$P/bin/nvcc"
}

causes() {
	compiled_once
	local code word
	export FAKE_CUDA_VERSION=13050 FAKE_DRIVER=620.10
	while read -r code word; do
		FAKE_CUINIT=$code verify
		assert_status 8
		[[ $out == "$LABEL"$'\t'"$word"$'\t'*"($code)"* || $word = no-device-visible ]] || fail "wanted $word"
		[[ $out == "$LABEL"$'\t'"$word"$'\t'* ]] || fail "wanted $word"
		assert_stderr_has "note: $LABEL: "
	done <<-'EOS'
		34 stub-loaded
		46 busy-or-exclusive
		100 no-device-visible
		802 fabric-not-ready
		803 compat-library
		804 compat-library
		999 cuda-error
	EOS
	local value
	for value in '' 7 -1 GPU-ff MIG-00 0,0; do
		CUDA_VISIBLE_DEVICES=$value verify
		assert_status 8
		[[ $out == *$'\tno-device-visible\t'*"'$value'"* ]] || fail
	done
	FAKE_DRIVER=440.33.01 FAKE_CUDA_VERSION=10020 verify
	assert_status 8
	[[ $out == *$'\tdriver-too-old\t'*"needs driver "*"has driver "*" (CUDA 10.2)" ]] || fail
	FAKE_CUINIT=crash verify
	[[ $out == *$'\tcrashed\t'* ]] || fail
}

@test "11.8, 12.4 and 13.0: what their own runtime says of a driver that fails" { each causes; }

@test "12.4 and 13.0: a GPU whose machine code was dropped" {
	need 12.4.1 13.0.2
	export CUDAENV_ROOT=$ROOT
	LD_LIBRARY_PATH="$T/driver" FAKE_GPUS=35 cudaenv verify --level run 12.4.1
	assert_status 8
	[[ $out == *$'\tarch-dropped\tCUDA 12.4.1 compiles for 5.0 and newer, and this GPU is 3.5' ]] || fail
	assert_stderr_has "cudaenv install 11.8"
	LD_LIBRARY_PATH="$T/driver" FAKE_GPUS=70 cudaenv verify --level run 13.0.2
	assert_status 8
	[[ $out == *$'\tarch-dropped\tCUDA 13.0.2 compiles for 7.5 and newer, and this GPU is 7.0' ]] || fail
	assert_stderr_has "cudaenv install 12.9"
	# What was found stays for the tests behind this one.
	cudaenv verify --level compile 12.4.1 13.0.2
	assert_status 0
}

@test "11.8 and 13.0 with clang: what each accepts" {
	need 11.8.0 13.0.2
	command -v clang++-14 || skip "no clang 14"
	local label
	for label in 11.8.0 13.0.2; do
		mkdir -p "$T/clang"
		ln -sf "$(command -v clang-14)" "$T/clang/gcc"
		ln -sf "$(command -v clang++-14)" "$T/clang/g++"
		LABEL=$label P=$ROOT/versions/$label
		own_copy
		PATH="$T/clang:$PATH" cudaenv verify --level compile "$label"
		assert_status 0
		[[ $out == "$label"$'\tcompiled' ]] || fail
	done
}

@test "install --verify run: installed, and why it cannot run here, status 9" {
	need 13.0.2
	export CUDAENV_ROOT=$ROOT
	LD_LIBRARY_PATH="$T/driver" FAKE_CUDA_VERSION=13050 FAKE_CUINIT=803 \
		cudaenv install --as ran --mirror "$SERVER/ran" --verify run 13.0.2
	assert_status 9
	assert_stderr_has "ran is installed, but it cannot run on this machine: compat-library: "
	assert_stderr_has "cuda-compat"
	cudaenv versions
	[[ $out =~ ran\ +compat-library ]] || fail
	cudaenv uninstall ran
	assert_status 0
}
