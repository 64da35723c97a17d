#!/usr/bin/env bats
# install --from: files of this machine, of every kind, and what is wrong with them.
load lib

setup() {
	setup_root
	export CUDAENV_VERIFY=files CUDAENV_ACCEPT_EULA=1 CUDAENV_OFFLINE=1
	export PYTHONPATH=$SOURCE_ROOT/tests/index
	v=$CUDAENV_ROOT/versions
}
teardown() { teardown_root; }

archives() { # LABEL: $T/a with component archives alone
	python3 "$SOURCE_ROOT/tests/index/fakeredist.py" "$T/m-$1" "$1"
	mkdir -p "$T/a"
	cp "$T/m-$1"/cuda/redist/{cuda_nvcc,cuda_cudart,cuda_cccl,cuda_crt,libnvvm}/linux-x86_64/* "$T/a/" 2>/dev/null || :
}

conda() {
	command -v zstd bzip2 >/dev/null || skip "zstd or bzip2 is not here"
	python3 "$SOURCE_ROOT/tests/index/fakeconda.py" "$T/c" "$@"
}

works() { # LABEL
	capture "$v/$1/bin/nvcc"
	assert_stdout "nvcc of ${2:-$1}"
	assert_exists "$v/$1/include/cuda_runtime.h"
	assert_exists "$v/$1/nvvm/bin/cicc"
	assert_exists "$v/$1/lib64/libcudart_static.a"
	! grep -rl staging "$v/$1"
}

assert_nothing() {
	[ -z "$(ls -A "$v" 2>/dev/null)" ] || fail "a version was left"
	[ -z "$(ls -A "$CUDAENV_ROOT/staging" 2>/dev/null)" ] || fail "staging was left"
	refute_exists "$T/evil"
}

@test "from: component archives, one by one or their folder" {
	archives 12.4.1
	cudaenv install 12.4 --from "$T/a"
	assert_status 0
	assert_stdout "$v/12.4.1"
	assert_stderr_has "3 of 3 files are not verified"
	works 12.4.1
	grep -q '"source": "archive"' "$v/12.4.1/.cudaenv/record.json"
	grep -q '"verified": false' "$v/12.4.1/.cudaenv/record.json"
	cudaenv install --as again --from "$T"/a/*
	assert_status 2
	assert_stderr_has "do not say which CUDA release"
	cudaenv install --as again --from "$T"/a/* 12.4.1
	assert_status 0
	works again 12.4.1
	# Nothing was copied: they are read where they are.
	[ -z "$(ls -A "$CUDAENV_ROOT/cache")" ]
}

@test "from: a lone archive whose own check is wrong" {
	archives 12.4.1
	python3 - "$T"/a/cuda_cudart* <<-'P'
		import sys
		data = bytearray(open(sys.argv[1], "rb").read())
		index = 4 * (data[-8] + 256 * data[-7] + 1)
		data[-12 - index - 1] ^= 1  # the last byte of the check
		open(sys.argv[1], "wb").write(data)
	P
	cudaenv install 12.4.1 --from "$T/a"
	assert_status 6
	assert_stderr_has "'cuda_cudart-linux-x86_64-12.4.1-archive.tar.xz' is damaged (xz error 9)"
	assert_nothing
}

@test "from: a set that is no toolkit, or another release's" {
	archives 13.0.2
	rm "$T"/a/cuda_cudart* "$T"/a/libnvvm*
	cudaenv install 13.0.2 --from "$T/a"
	assert_status 8
	assert_stderr_has "they lack cuda_cudart, libnvvm"
	assert_nothing
	archives 12.4.1
	cudaenv install 12.4.1 --from "$T"/a/cuda_nvcc*12.4* "$T"/a/cuda_nvcc*13.0*
	assert_status 2
	assert_stderr_has "are both cuda_nvcc"
	cudaenv install 12.9.1 --from "$T"/a/*12.4*
	assert_status 2
	assert_stderr_has "is of CUDA 12.4, not of 12.9.1"
	cudaenv install 12.4.1 13.0.2 --from "$T/a"
	assert_status 2
	assert_stderr_has "takes one version"
	assert_nothing
}

@test "from: a folder with a manifest is a mirror, and verified" {
	python3 "$SOURCE_ROOT/tests/index/fakeredist.py" "$T/m" 12.4.1
	sed '/^manifest_sha256/d' "$SOURCE_ROOT/share/versions.ini" >"$T/versions.ini"
	export CUDAENV_CATALOG=$T/versions.ini
	cudaenv install --from "$T/m"
	assert_status 0
	assert_stdout "$v/12.4.1"
	works 12.4.1
	! grep verified "$v/12.4.1/.cudaenv/record.json"
	python3 "$SOURCE_ROOT/tests/index/fakeredist.py" "$T/m" 13.0.2
	cudaenv install --from "$T/m/cuda/redist"
	assert_status 2
	assert_stderr_has "manifests of several releases"
	cudaenv install 13 --from "$T/m/cuda/redist"
	assert_status 0
	works 13.0.2
}

@test "from: conda packages of both formats" {
	conda 12.4.1
	cudaenv install 12.4.1 --from "$T/c"
	assert_status 0
	works 12.4.1
	refute_exists "$v/12.4.1/info"
	rm -r "$T/c"
	conda 13.0.2 --old
	cudaenv install 13.0.2 --from "$T/c"
	assert_status 0
	works 13.0.2
}

@test "from: conda packages that are broken inside" {
	for evil in inner deflated nopkg cut dotdot; do
		rm -rf "$T/c"
		conda 12.4.1 --evil $evil
		cudaenv install 12.4.1 --from "$T/c"
		assert_status 6
		assert_stderr_has "cuda-cudart-12.4.99"
		assert_nothing
	done
	rm -rf "$T/c"
	conda 12.4.1 --old --evil dotdot
	cudaenv install 12.4.1 --from "$T/c"
	assert_status 6
	assert_nothing
}

@test "from: wheels" {
	python3 "$SOURCE_ROOT/tests/index/fakewheels.py" "$T/w" 13.0.2
	cudaenv install 13.0.2 --from "$T"/w/nvidia_*
	assert_status 0
	capture "$v/13.0.2/bin/nvcc" --version
	assert_status 0
	assert_exists "$v/13.0.2/nvvm/bin/cicc"
}

@test "from: Debian's packages, and what they lack" {
	python3 "$SOURCE_ROOT/tests/index/fakedebs.py" toolkit "$T/d" 12.4.1
	cudaenv install --from "$T"/d/*.deb
	assert_status 0
	assert_stdout "$v/12.4.1"
	capture "$v/12.4.1/bin/nvcc" --version
	assert_status 0
	assert_exists "$v/12.4.1/bin/nvcc.profile"
	rm "$T"/d/libnvvm*
	cudaenv install --as other --from "$T"/d/*.deb
	assert_status 8
	assert_stderr_has "they lack libnvvm"
}

@test "from: what it cannot be" {
	printf '<!DOCTYPE html><title>Sign in</title>' >"$T/cudnn.tar.xz"
	echo text >"$T/notes.txt"
	mkdir "$T/empty"
	for f in "$T/notes.txt" "$T/none" "$T/empty" /dev/null; do
		cudaenv install 12.4.1 --from "$f"
		assert_status 2
		assert_stderr_has "$f"
	done
	cudaenv install 12.4.1 --from "$T/cudnn.tar.xz"
	assert_status 6
	assert_stderr_has "HTML page"
	archives 12.4.1
	mv "$T"/a/cuda_nvcc* "$T/a/nvcc.tar.xz"
	cudaenv install 12.4.1 --from "$T/a/nvcc.tar.xz"
	assert_status 2
	assert_stderr_has "its name is not of NVIDIA's archives"
	assert_nothing
}
