#!/usr/bin/env bats
# Installing from runfiles, in each layout that NVIDIA has used.
load lib
load runfile

# builds/<component>/, a manifest that sends one elsewhere, the driver and samples beside them
layout_11() {
	label=$1
	component cuda_nvcc
	nvcc_files "$c"
	component cuda_cudart
	cudart_files "$c/targets/x86_64-linux/include" "$c/targets/x86_64-linux/lib"
	ln -s "libcudart.so.${label%%.*}" "$c/targets/x86_64-linux/lib/libcudart.so"
	component nsight_compute
	tool "$c/ncu" ncu
	component cuda_gdb
	tool "$c/cuda-gdb" gdb
	file "$T/pkg/builds/cuda_samples/a.cu"
	file "$T/pkg/builds/NVIDIA-Linux-x86_64-470.57.02.run"
	file "$T/pkg/builds/integration/nsight-compute/ncu"
	file "$T/pkg/builds/bin/cuda-uninstaller"
	file "$T/pkg/builds/EULA.txt" terms
	echo '{"cuda": {"name": "CUDA SDK", "version": "11.2.20210201"}, "cuda_nvcc": {"name": "CUDA NVCC", "version": "11.2.142"}}' \
		>"$T/pkg/builds/version.json"
	mkdir -p "$T/pkg/manifests"
	cat >"$T/pkg/manifests/cuda_x86_64.xml" <<-XML
		<?xml version="1.0" encoding="UTF-8"?>
		<package name="CUDA Installer"><package name="CUDA Toolkit 11.2" id="main">
		<package name="CUDA nvcc 11.2"><buildPath>./builds/cuda_nvcc/</buildPath><file>.*</file></package>
		<package name="CUDA Nsight Compute 11.2"><buildPath>./builds/nsight_compute/</buildPath>
		<installPath>nsight-compute-2020.3.1/</installPath><file>.*</file></package>
		<package name="CUDA gdb 11.2"><buildPath>./builds/cuda_gdb/</buildPath><file dir="bin/">cuda-gdb</file></package>
		<package name="Elsewhere"><buildPath>./builds/cuda_cudart/</buildPath><installPath>../../out</installPath></package>
		</package></package>
	XML
	pack "$T/pkg" "$T/cuda_${label}_linux.run" "${@:2}"
}

@test "runfile: 11.2, gzip, found on the mirror at NVIDIA's path" {
	layout_11 11.2.1
	known "$T/cuda_11.2.1_linux.run"
	cudaenv install -n 11.2.1
	assert_stdout_has "CUDA 11.2.1 from runfile: how much there is to fetch only the server tells"
	cudaenv install 11.2.1
	assert_status 0
	assert_stdout "$v/11.2.1"
	refute_stderr_has "0 B"
	assert_stderr_has "take 11.2.1 from source runfile"
	assert_toolkit "$v/11.2.1"
	assert_exists "$v/11.2.1/nsight-compute-2020.3.1/ncu"
	assert_exists "$v/11.2.1/bin/cuda-gdb"
	[ "$(cat "$v/11.2.1/EULA.txt")" = terms ]
	refute_exists "$T/out"
	grep -q '"version": "11.2.1"' "$v/11.2.1/version.json"
	grep -q '"version": "11.2.142"' "$v/11.2.1/version.json"
	[ "$(readlink "$v/11.2.1/lib64/libcudart.so")" = libcudart.so.11 ]
	cudaenv versions
	assert_stdout_has 11.2.1
	# It is in the store now: no download for a second one.
	rm -r "$T/mirror" "$CUDAENV_ROOT/cache"
	cudaenv install --as again 11.2.1
	assert_status 0
	assert_toolkit "$v/again"
	cudaenv uninstall 11.2.1 again
	assert_status 0
	[ -z "$(ls -A "$CUDAENV_ROOT/store")" ]
}

@test "runfile: xz, bzip2 and no packing at all" {
	for how in --xz --bzip2 --nocomp; do
		rm -rf "$T/pkg/builds" "$CUDAENV_ROOT"
		layout_11 11.2.2 $how
		known "$T/cuda_11.2.2_linux.run"
		cudaenv install 11.2.2
		assert_status 0
		assert_toolkit "$v/11.2.2"
	done
}

@test "runfile: 10.2, a whole toolkit and cublas beside it" {
	label=10.2.89
	component cuda-toolkit
	nvcc_files "$c"
	cudart_files "$c/targets/x86_64-linux/include" "$c/targets/x86_64-linux/lib"
	file "$c/version.txt" "CUDA Version 10.2.89"
	file "$T/pkg/builds/cublas/include/cublas.h"
	file "$T/pkg/builds/cublas/lib64/libcublas.so.10"
	file "$T/pkg/builds/cuda-samples/a.cu"
	pack "$T/pkg" "$T/r.run"
	known "$T/r.run"
	cudaenv install 10.2
	assert_status 0
	assert_toolkit "$v/10.2.89"
	assert_exists "$v/10.2.89/include/cublas.h"
	assert_exists "$v/10.2.89/lib64/libcublas.so.10"
}

@test "runfile: 9.0, a runfile in a runfile" {
	label=9.0.176
	nvcc_files "$T/inner"
	cudart_files "$T/inner/include" "$T/inner/lib64"
	file "$T/inner/version.txt" "CUDA Version 9.0.176"
	file "$T/inner/install-linux.pl"
	file "$T/inner/InstallUtils.pm"
	cp "$T/pkg/cuda-installer" "$T/inner"
	pack "$T/inner" "$T/pkg/run_files/cuda-linux.9.0.176-22781540.run" --nomd5
	file "$T/pkg/run_files/cuda-samples.9.0.176-22781540-linux.run" "no archive"
	file "$T/pkg/run_files/NVIDIA-Linux-x86_64-384.81.run" "no archive"
	pack "$T/pkg" "$T/r.run" --nocomp
	known "$T/r.run"
	cudaenv install 9.0
	assert_status 0
	assert_toolkit "$v/9.0.176"
	assert_exists "$v/9.0.176/version.txt"
	grep -q "9.0.176" "$v/9.0.176/version.json"
}

@test "runfile: only where there are no archives, unless it is asked for" {
	layout_11 11.8.0
	known "$T/cuda_11.8.0_linux.run"
	cudaenv install 11.8.0
	[ "$status" -ne 0 ]
	assert_stderr_has "redist"
	assert_nothing
	cudaenv install --source runfile 11.8.0
	assert_status 0
	assert_toolkit "$v/11.8.0"
	cudaenv install --source runfile --components cuda_nvcc -f 11.8.0
	assert_status 2
	assert_stderr_has "comes whole"
	cudaenv install --source runfile 13.4.2
	assert_status 4
	assert_stderr_has "sha256 of the runfile of 13.4.2 is not known"
}

@test "runfile: another digest than the catalog's is refused" {
	layout_11 11.2.1
	known "$T/cuda_11.2.1_linux.run"
	printf x >>"$T/mirror/cuda/11.2.1/local_installers/"*.run
	cudaenv install 11.2.1
	assert_status 6
	assert_stderr_has sha256
	assert_nothing
}

@test "runfile: a local one, verified where the catalog knows it" {
	export CUDAENV_OFFLINE=1
	layout_11 11.2.1
	mv "$T/cuda_11.2.1_linux.run" "$T/cuda_11.2.1_460.32.03_linux.run"
	cudaenv install --from "$T/cuda_11.2.1_460.32.03_linux.run"
	assert_status 6
	assert_stderr_has "not the file that NVIDIA published"
	assert_nothing
	known "$T/cuda_11.2.1_460.32.03_linux.run"
	cudaenv install --from "$T/cuda_11.2.1_460.32.03_linux.run"
	assert_status 0
	assert_toolkit "$v/11.2.1"
	refute_stderr_has "not verified"
	cp "$T/cuda_11.2.1_460.32.03_linux.run" "$T/own.run"
	cudaenv install --from "$T/own.run"
	assert_status 2
	assert_stderr_has "do not say which CUDA release"
	cudaenv install 11.2.1 --as own --from "$T/own.run"
	assert_status 0
	assert_toolkit "$v/own"
	cudaenv install 11.3 --from "$T/cuda_11.2.1_460.32.03_linux.run"
	assert_status 2
	assert_stderr_has "is of CUDA 11.2.1, not of 11.3.1"
}

@test "runfile: one that nobody knows is checked against its own digest" {
	export CUDAENV_OFFLINE=1
	for sum in "" --sha256; do
		rm -rf "$T/pkg/builds"
		# Random, so that the flipped byte lies in what the packer left as it is.
		layout_11 11.2.1 $sum
		mv "$T/cuda_11.2.1_linux.run" "$T/own.run"
		python3 - "$T/own.run" <<-'PY'
			import sys
			d = bytearray(open(sys.argv[1], "rb").read())
			d[-40] ^= 1
			open(sys.argv[1], "wb").write(d)
		PY
		cudaenv install 11.2.1 --from "$T/own.run"
		assert_status 6
		assert_nothing
	done
	head -c -100 "$T/own.run" >"$T/short.run"
	cudaenv install 11.2.1 --from "$T/short.run"
	assert_status 6
	assert_stderr_has "shorter than its script says"
	(cat "$T/own.run" && echo more) >"$T/long.run"
	cudaenv install 11.2.1 --from "$T/long.run"
	assert_status 6
	assert_nothing
}

# Of another user and closed to this one, where nobody has made one.
foreign_log() {
	[ "$(id -u)" -eq 0 ] && (set -C && : >"$log") 2>/dev/null || return 0
	foreign=$log
	chown nobody "$log"
	chmod 600 "$log"
}

teardown() {
	[ -z "${foreign:-}" ] || rm -f "$foreign"
	teardown_root
}

@test "runfile: no temporary folder, no log file and no library of the installer matters" {
	# Where NVIDIA's installer writes, whatever TMPDIR says, and fails when another user was first.
	local as log=/tmp/cuda-installer.log before
	modes_count
	foreign_log
	before=$(stat -c '%i %Y %s' $log 2>&1) || :
	layout_11 11.2.1
	known "$T/cuda_11.2.1_linux.run"
	mkdir -m 555 "$T/closed tmp"
	for TMPDIR in "$T/none" "$T/closed tmp" /dev/null; do
		export TMPDIR
		rm -rf "$CUDAENV_ROOT"
		capture "${as[@]}" "$CUDAENV" install 11.2.1
		assert_status 0
		assert_toolkit "$v/11.2.1"
	done
	unset TMPDIR
	[ "$(stat -c '%i %Y %s' $log 2>&1)" = "$before" ]
	[ -z "$(ls -A "$T/closed tmp")" ]
}

@test "runfile: one that leaves no toolkit is told, and nothing of it stays" {
	label=10.2.89
	component cuda-toolkit
	file "$c/README"
	pack "$T/pkg" "$T/r.run"
	known "$T/r.run"
	cudaenv install 10.2
	assert_status 8
	assert_stderr_has "is not whole"
	[ -z "$(ls -A "$v" 2>/dev/null)" ]
	rm -rf "$T/pkg/builds"
	pack "$T/pkg" "$T/empty.run"
	known "$T/empty.run"
	cudaenv install 10.2
	assert_status 6
	assert_stderr_has "has no toolkit in it"
}
