#!/usr/bin/env bats
# Runfiles by the real makeself with a real toolkit inside, in the layouts of three times: each compiles.

# shellcheck source=tests/toolkit/redist.bash
. "${BATS_TEST_FILENAME%/*}/redist.bash"

setup_file() { install_all; }

setup() {
	redist_setup
	need 12.4.1
	command -v makeself >/dev/null || skip "no makeself to build runfiles with"
	unset CUDAENV_SOURCE
	REAL=$ROOT/versions/12.4.1
	export CUDAENV_ROOT=$T/own CUDAENV_OFFLINE=1
	printf '#!/bin/sh\ntouch %q\n' "$T/installer ran" >installer
	chmod +x installer
}

teardown() { redist_teardown; }

# part COMPONENT_FOLDER PATH...: hard links of the real toolkit's files, with the modes of nothing to rely on
part() {
	local to=$1 path
	shift
	for path; do
		mkdir -p "$to/$(dirname "$path")"
		cp -al "$REAL"/$path "$to/$(dirname "$path")/"
	done
}

nvcc_parts() {
	part "$1" bin/nvcc.profile bin/ptxas bin/fatbinary bin/nvlink bin/cudafe++ bin/crt nvvm
	# Where a host compiler had to be set, the program itself is beside a script.
	cp "$REAL/bin/nvcc.bin" "$1/bin/nvcc" 2>/dev/null || cp "$REAL/bin/nvcc" "$1/bin/nvcc"
	sed -i.unused '/compiler-bindir/d' "$1/bin/nvcc.profile"
}

cudart_parts() {
	local lib=targets/x86_64-linux/lib
	part "$1" targets/x86_64-linux/include
	(cd "$REAL" && ls -d $lib/libcudart* $lib/libcudadevrt.a) | while read -r f; do part "$1" "$f"; done
}

pack() { makeself --nox11 --nocomp --tar-quietly --quiet "$1" "$2" "NVIDIA CUDA" ./cuda-installer >/dev/null; }

proved() {
	assert_status 0
	assert_stdout "$CUDAENV_ROOT/versions/12.4.1"
	assert_stderr_has "verified 12.4.1: compiled"
	refute_exists "$T/installer ran"
	capture "$CUDAENV_ROOT/versions/12.4.1/bin/nvcc" --version
	grep -q "release 12.4" <<<"$out"
}

@test "runfile: builds/<component> and a manifest, a toolkit that compiles" {
	nvcc_parts pkg/builds/cuda_nvcc
	cudart_parts pkg/builds/cuda_cudart
	ln -s targets/x86_64-linux/include pkg/builds/cuda_cudart/include
	ln -s targets/x86_64-linux/lib pkg/builds/cuda_cudart/lib64
	mkdir pkg/manifests
	cat >pkg/manifests/cuda_x86_64.xml <<-'XML'
		<package name="CUDA Installer"><package name="CUDA Toolkit 12.4" id="main">
		<package name="nvcc"><buildPath>./builds/cuda_nvcc/</buildPath><file>.*</file></package>
		<package name="cudart"><buildPath>./builds/cuda_cudart/</buildPath><file>.*</file></package>
		</package></package>
	XML
	cp installer pkg/cuda-installer
	pack pkg cuda_12.4.1_linux.run
	cudaenv install --from cuda_12.4.1_linux.run
	proved
}

@test "runfile: a runfile in a runfile, a toolkit that compiles" {
	nvcc_parts inner
	cudart_parts inner
	mv inner/targets/x86_64-linux/include inner/include
	mv inner/targets/x86_64-linux/lib inner/lib64
	cp installer inner/cuda-installer
	mkdir -p pkg/run_files
	pack inner pkg/run_files/cuda-linux.12.4.1-1.run
	rm -r inner
	cp installer pkg/cuda-installer
	pack pkg cuda_12.4.1_linux-run
	rm -r pkg
	cudaenv install --from cuda_12.4.1_linux-run
	proved
}
