# shellcheck shell=bash
# Runfiles by the real makeself around small toolkits, for runfile.bats.
setup() {
	setup_root
	command -v makeself >/dev/null || skip "makeself is not here"
	export CUDAENV_CATALOG=$T/versions.ini CUDAENV_VERIFY=files CUDAENV_ACCEPT_EULA=1
	cp "$SOURCE_ROOT/share/versions.ini" "$CUDAENV_CATALOG"
	v=$CUDAENV_ROOT/versions
	export CUDAENV_MIRROR=file://${T// /%20}/mirror
	mkdir -p "$T/mirror" "$T/pkg"
	printf '#!/bin/sh\ntouch %q\n' "$T/installer ran" >"$T/pkg/cuda-installer"
	chmod +x "$T/pkg/cuda-installer"
}


# tool FILE NAME: a program of a toolkit
tool() {
	mkdir -p "$(dirname "$1")"
	printf '#!/bin/sh\necho %s\n' "$2" >"$1"
}

file() {
	mkdir -p "$(dirname "$1")"
	echo "${2:-x}" >"$1"
}

# nvcc_files FOLDER: nvcc and what compiling needs. Modes are wrong on purpose, as in real runfiles.
nvcc_files() {
	tool "$1/bin/nvcc" "nvcc of $label"
	tool "$1/bin/ptxas" ptxas
	tool "$1/bin/cudafe++" cudafe
	tool "$1/bin/nvlink" nvlink
	tool "$1/bin/fatbinary" fatbinary
	tool "$1/nvvm/bin/cicc" cicc
	file "$1/nvvm/libdevice/libdevice.10.bc"
	file "$1/bin/nvcc.profile" 'TOP = $(_HERE_)/..'
	file "$1/bin/crt/link.stub"
	chmod 755 "$1/bin/nvcc" "$1/nvvm/libdevice/libdevice.10.bc"
	chmod 644 "$1/nvvm/bin/cicc"
}

cudart_files() {
	file "$1/cuda_runtime.h"
	file "$1/crt/host_config.h"
	file "$2/libcudart.so.${label%%.*}"
	file "$2/libcudart_static.a"
	file "$2/libcudadevrt.a"
}

# component NAME: $T/pkg/builds/NAME with the links that real ones have; sets $c
component() {
	c=$T/pkg/builds/$1
	mkdir -p "$c/targets/x86_64-linux/include" "$c/targets/x86_64-linux/lib"
	ln -s targets/x86_64-linux/include "$c/include"
	ln -s targets/x86_64-linux/lib "$c/lib64"
}

# pack FOLDER FILE [MAKESELF_OPTION...]
pack() {
	local from=$1 to=$2
	shift 2
	mkdir -p "$(dirname "$to")"
	makeself --nox11 --tar-quietly --quiet "$@" "$from" "$to" "NVIDIA CUDA" ./cuda-installer >/dev/null
}

# known: the catalog's runfile of $label is $1, at the place that it names below the mirror
known() {
	local path
	path=$(sed -n "/^\[$label\]/,/^\[/s/^runfile.x86_64 = //p" "$CUDAENV_CATALOG")
	case $path in
	compute/*) path=${path#compute/} ;;
	*) path=$(basename "$path") ;;
	esac
	mkdir -p "$T/mirror/$(dirname "$path")"
	cp "$1" "$T/mirror/$path"
	sed -i "/^\[$label\]/,/^\[/s/^\(runfile.x86_64.sha256 =\).*/\1 $(sha256sum <"$1" | cut -d' ' -f1)/" "$CUDAENV_CATALOG"
}

assert_toolkit() { # PREFIX
	capture "$1/bin/nvcc"
	assert_stdout "nvcc of $label"
	assert_exists "$1/include/cuda_runtime.h"
	assert_exists "$1/lib64/libcudart.so.${label%%.*}"
	[ "$(readlink "$1/include")" = targets/x86_64-linux/include ]
	[ "$(readlink "$1/lib64")" = targets/x86_64-linux/lib ]
	[ "$(stat -c %a "$1/nvvm/bin/cicc" "$1/nvvm/libdevice/libdevice.10.bc" "$1/include/cuda_runtime.h" | tr '\n' ' ')" = "555 444 444 " ]
	refute_exists "$T/installer ran"
	refute_exists "$1/cuda-installer"
	refute_exists "$1/samples"
	[ -z "$(find "$1" -path '*builds*' -o -name '*.pl' -o -name 'NVIDIA-Linux*')" ] || fail "too much was installed"
	! grep -rl staging "$1"
}

assert_nothing() {
	[ -z "$(ls -A "$v" 2>/dev/null)" ] || fail "a version was left"
	[ -z "$(ls -A "$CUDAENV_ROOT/staging" "$CUDAENV_ROOT/store" 2>/dev/null | grep -v :)" ] || fail "something was left"
}
