#!/usr/bin/env bats
# Installing NVIDIA's component archives from a mirror on this machine.
load lib
load redist

@test "redist: a whole version in the drop-in layout, usable through the shim" {
	serve
	cudaenv install 13.0.2
	assert_status 0
	assert_stdout "$v/13.0.2"
	assert_stderr_has "take 13.0.2 from source redist"
	assert_stderr_has "is not pinned"
	cudaenv local 13.0
	capture "$CUDAENV_ROOT/shims/nvcc" --version
	assert_stdout "nvcc of 13.0.2"
	[ "$(readlink "$v/13.0.2/lib64")" = targets/x86_64-linux/lib ]
	[ "$(readlink "$v/13.0.2/lib64/libcudart.so.13")" = libcudart.so.13.1.2 ]
	assert_exists "$v/13.0.2/include/cuda_runtime.h"
	assert_exists "$v/13.0.2/lib64/stubs/libcuda.so.1"
	assert_exists "$v/13.0.2/extras/CUPTI/include/cupti.h"
	assert_exists "$v/13.0.2/extras/CUPTI/samples/a.cu"
	assert_exists "$v/13.0.2/licenses/cuda_nvcc/LICENSE"
	grep -q 'versions/13.0.2' "$v/13.0.2/pkg-config/cudart.pc"
	[ "$(stat -c %a "$v/13.0.2/bin/nvcc" "$v/13.0.2/include/cuda_runtime.h" | tr '\n' ' ')" = "555 444 " ]
	[ -z "$(ls -A "$CUDAENV_ROOT/staging")" ]
	! grep -rl staging "$v"
	[ -z "$(find "$v" -lname '*staging*')" ]
}

@test "redist: 12.x, whose nvcc brings its compiler along" {
	fake 12.4.1
	serve
	cudaenv install 12.4
	assert_status 0
	assert_exists "$v/12.4.1/nvvm/bin/cicc"
	assert_exists "$v/12.4.1/lib64/libcudart.so.12"
	fake 11.8.0 --old
	cudaenv install 11.8
	assert_status 0
	assert_stdout "$v/11.8.0"
}

@test "redist: profiles by what the manifest lists, never a driver" {
	serve
	cudaenv install --profile minimal --as minimal 13.0.2
	assert_status 0
	refute_exists "$v/minimal/lib64/libcublas.so.13"
	assert_exists "$v/minimal/lib64/libculibos.a"
	cudaenv install --as default 13.0.2
	assert_exists "$v/default/lib64/libcublas.so.13"
	refute_exists "$v/default/bin/ncu"
	refute_exists "$v/default/licenses/cuda_documentation"
	cudaenv install --profile full --as full 13.0.2
	assert_exists "$v/full/bin/ncu"
	assert_exists "$v/full/licenses/cuda_documentation/EULA.txt"
	for p in minimal default full; do
		refute_exists "$v/$p/lib64/libcuda.so.1"
		refute_exists "$v/$p/bin/nv-fabricmanager"
		refute_exists "$v/$p/licenses/nvidia_driver"
	done
	! requests | grep -E 'nvidia_driver|fabricmanager|driver_assistant|cuda_compat|windows'
}

@test "redist: components by name" {
	serve
	cudaenv install --components cuda_nvcc --as compiler 13.0.2
	assert_status 0
	assert_exists "$v/compiler/nvvm/bin/cicc"
	assert_exists "$v/compiler/include/cuda_runtime.h"
	refute_exists "$v/compiler/lib64/libnvrtc.so.13"
	cudaenv install --components cuda_nvrct --as no 13.0.2
	assert_status 4
	assert_stderr_has "has no component 'cuda_nvrct'"
	assert_stderr_has "did you mean 'cuda_nvrtc'"
	cudaenv install --arch sbsa --components nsight_compute --as no 13.0.2
	assert_status 4
	assert_stderr_has "'nsight_compute' of 13.0.2 is not made for linux-sbsa"
	refute_exists "$v/no"
}

@test "redist: --as takes a name, not a path or what means a version" {
	local name
	for name in ../x a/b .. -x '' 12 latest system 'a b' $'a\nb'; do
		cudaenv install "--as=$name" 13.0.2
		[ "$status" -eq 2 ] || fail "'$name'"
	done
	[ -z "$(ls -A "$CUDAENV_ROOT" 2>/dev/null)" ]
}

@test "redist: another architecture's archives" {
	serve
	cudaenv install --profile full --arch sbsa 13.0.2
	assert_status 0
	assert_stdout "$v/13.0.2-sbsa"
	assert_exists "$v/13.0.2-sbsa/targets/sbsa-linux/lib/libcudart.so.13"
	assert_stderr_has "left out, since linux-sbsa of 13.0.2 has them not: nsight_compute"
	! requests | grep -q 'linux-x86_64'
	cudaenv install --arch aarch64 13.0.2
	assert_status 4
	assert_stderr_has "not made for linux-aarch64"
}

@test "redist: the catalog's digest of the manifest decides" {
	serve
	pin 13.0.2 "$(sha256sum <"$mirror/cuda/redist/redistrib_13.0.2.json" | cut -d' ' -f1)"
	cudaenv install 13.0.2
	assert_status 0
	refute_stderr_has pinned
	grep -q '"pinned": true' "$v/13.0.2/.cudaenv/record.json"
	cudaenv uninstall 13.0.2
	echo ' ' >>"$mirror/cuda/redist/redistrib_13.0.2.json"
	# What was kept is the right one, and needs no mirror to say so.
	cudaenv install 13.0.2
	assert_status 0
	cudaenv uninstall 13.0.2
	cudaenv cache clear
	cudaenv install 13.0.2
	assert_status 6
	assert_stderr_has "the known one has"
	assert_nothing
	# Another mirror may have the right one.
	cp -r "$mirror" "$T/second"
	sed -i '$ d' "$T/second/cuda/redist/redistrib_13.0.2.json"
	printf '}' >>"$T/second/cuda/redist/redistrib_13.0.2.json"
	CUDAENV_MIRROR="$CUDAENV_MIRROR $at/file/second" cudaenv install 13.0.2
	assert_status 0
}

@test "redist: of many releases the newest that can be had" {
	fake 13.0.1
	fake 12.4.1
	serve
	cudaenv install 13
	assert_status 0
	assert_stdout "$v/13.0.2"
	assert_stderr_has "13.0.2 is the newest that can be had, not"
	cudaenv install '>=12,<13'
	assert_stdout "$v/12.4.1"
	cudaenv install -n latest
	assert_status 0
	assert_stdout_has "CUDA 13.0.2 from redist"
	# The index page is read once, and nothing is guessed.
	[ "$(requests | grep -c '"path": "/file/mirror/cuda/redist/"')" -eq 3 ]
	rm "$mirror/cuda/redist/index.html"
	cudaenv install -n latest
	assert_status 4
}

@test "redist: a release that the catalog does not know" {
	fake 99.1.0
	fake 99.1.1
	fake 99.1.12
	fake 12.4.7
	serve
	cudaenv install 99.1.1
	assert_status 0
	assert_stdout "$v/99.1.1"
	assert_stderr_has "99.1.1 is not pinned"
	cudaenv install 99.1
	assert_status 0
	assert_stdout "$v/99.1.12"
	cudaenv install '>=99'
	assert_stdout "$v/99.1.12"
	cudaenv install 12.4.7
	assert_status 0
	# Older than what is known beside it: nobody is asked.
	cudaenv install 12.7.0
	assert_status 4
	assert_stderr_has "drivers report that number"
	cudaenv install 12.4.8
	assert_status 4
	assert_stderr_has "the nearest is 12.4.1"
	cudaenv install 98
	assert_status 4
}

@test "redist: offline from the cache, and again without a network" {
	serve
	cudaenv install --offline 13.0.2
	assert_status 5
	assert_stderr_has offline
	cudaenv install 13.0.2
	assert_status 0
	kill "$server"
	cudaenv uninstall 13.0.2
	cudaenv install --offline 13.0.2
	assert_status 0
	assert_stderr_has "take 13.0.2 from source redist"
	cudaenv uninstall 13.0.2
	# Nobody answers, and all of it is here.
	cudaenv install 13.0.2
	assert_status 0
	cudaenv uninstall 13.0.2
	rm "$CUDAENV_ROOT"/cache/*cuda_nvrtc*
	cudaenv install 13.0.2
	assert_status 5
	PIP_INDEX_URL=http://127.0.0.1:1/simple cudaenv install --profile minimal --source auto --as x 13.0.2
	assert_status 5
	assert_stderr_has "redist: cannot fetch"
	cudaenv install --components libcublas 13.0.2
	assert_status 0
	cudaenv uninstall 13.0.2
	pin 13.0.2 "$(sha256sum <"$mirror/cuda/redist/redistrib_13.0.2.json" | cut -d' ' -f1)"
	cudaenv install --components libcublas 13.0.2
	assert_status 0
	refute_stderr_has pinned
}

@test "redist: two releases share what is equal" {
	fake 13.0.1
	serve
	cudaenv install 13.0.1 13.0.2
	assert_status 0
	[ "$v/13.0.1/include/cuda/std/version" -ef "$v/13.0.2/include/cuda/std/version" ]
	[ "$(requests | grep -c 'cuda_cccl-linux-x86_64')" -eq 1 ]
	cudaenv uninstall 13.0.1 13.0.2
	[ -z "$(ls -A "$CUDAENV_ROOT/store")" ]
}

@test "redist: killed at any moment, the next run completes" {
	fake 13.0.2 --size 6000000
	serve
	local i
	for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
		"$CUDAENV" install 13.0.2 >/dev/null 2>&1 </dev/null &
		sleep "0.$(printf %02d $((i * 3)))"
		kill -9 $! 2>/dev/null || :
		wait $! 2>/dev/null || :
		for p in "$v"/*/; do
			[ ! -d "$p" ] || { [ -e "$p/.cudaenv/record.json" ] && [ -e "$p/lib64/libbig.so.1" ]; }
		done
		for p in "$CUDAENV_ROOT"/store/*/; do
			[ ! -d "$p" ] || [ -e "$p/component.json" ]
		done
		[ $((i % 4)) -ne 3 ] || rm -rf "$v/13.0.2" "$CUDAENV_ROOT"/store/*
	done
	cudaenv install 13.0.2
	assert_status 0
	[ -z "$(ls -A "$CUDAENV_ROOT/staging")" ]
	cmp "$v/13.0.2/lib64/libbig.so.1" <(python3 -c 'import random,sys; sys.stdout.buffer.write(random.Random(6000000).randbytes(6000000))')
}

@test "redist: an interrupt ends it with 130 and keeps what came" {
	fake 13.0.2 --size 3000000
	serve
	# A shell in the background ignores SIGINT for its children: python gives it back.
	python3 - "$CUDAENV" "$at/slow/400000/mirror" <<-'EOP'
		import os, signal, subprocess, sys, time
		signal.signal(signal.SIGINT, signal.SIG_DFL)
		p = subprocess.Popen([sys.argv[1], "install", "--mirror", sys.argv[2], "13.0.2"], stderr=subprocess.DEVNULL)
		time.sleep(2)
		p.send_signal(signal.SIGINT)
		sys.exit(0 if p.wait(10) == 130 else 1)
	EOP
	assert_nothing
	[ -n "$(ls "$CUDAENV_ROOT"/cache/*.part)" ]
	cudaenv install 13.0.2
	assert_status 0
}

@test "redist: a full disk is told and leaves nothing" {
	[ "$(id -u)" -eq 0 ] || skip "needs to mount"
	fake 13.0.2 --size 6000000
	serve
	mkdir -p "$CUDAENV_ROOT"
	mount -t tmpfs -o size=4m none "$CUDAENV_ROOT" 2>/dev/null || skip "cannot mount here"
	CUDAENV_CACHE_DIR=$T/cache cudaenv install 13.0.2
	local s=$status
	umount "$CUDAENV_ROOT"
	[ "$s" -eq 7 ] || fail "wanted status 7"
	assert_stderr_has "space"
}

# A mirror of one component with 600 small files in 24 folders.
many_files() {
	python3 - "$T/many" <<-'P'
		import hashlib, io, json, os, sys, tarfile
		top, file = "cuda_cccl-linux-x86_64-13.0.85-archive/", "cuda_cccl-linux-x86_64-13.0.85-archive.tar.xz"
		os.mkdir(sys.argv[1])
		path = os.path.join(sys.argv[1], file)
		with tarfile.open(path, "w:xz", preset=0) as t:
		    for i in range(600):
		        info = tarfile.TarInfo(top + "include/cccl/d%d/%sf%d.h" % (i // 50, "e/" * (i // 25 % 2), i))
		        info.size = 10
		        t.addfile(info, io.BytesIO(b"x" * 10))
		with open(path, "rb") as f:
		    data = f.read()
		part = {"relative_path": file, "sha256": hashlib.sha256(data).hexdigest(), "md5": "0" * 32, "size": str(len(data))}
		with open(os.path.join(sys.argv[1], "redistrib_13.0.2.json"), "w") as f:
		    json.dump({"release_date": "2025-10-09", "release_label": "13.0.2", "release_product": "cuda",
		               "cuda_cccl": {"name": "CCCL", "version": "13.0.85", "linux-x86_64": part}}, f)
	P
}

@test "redist: a small file is made by three system calls" {
	command -v strace >/dev/null || skip 'strace is not here'
	[ "${SANITIZE:-none}" = none ] || skip 'the sanitizer has system calls of its own'
	many_files
	run strace -f -qq -o "$T/trace" -e trace=file,desc "$CUDAENV" install --mirror "file://${T// /%20}/many" --profile full 13.0.2
	[ "$status" -eq 0 ] || fail "$output"
	[ "$(find "$v/13.0.2/" -name 'f*.h' | wc -l)" -eq 600 ]
	[ "$(grep -c 'openat(.*f[0-9]*\.h", O_WRONLY|O_CREAT' "$T/trace")" -eq 600 ]
	# Not asked for, and no mode set, one by one.
	[ "$(grep -c 'fstatat(.*f[0-9]*\.h"' "$T/trace")" -le 610 ]
	[ "$(grep -c 'fchmod(' "$T/trace")" -lt 60 ]
	[ "$(grep -c 'mkdirat(.*/d[0-9]*.*EEXIST' "$T/trace")" -eq 0 ]
	# To the disk together, or each when others write much: started, then waited for.
	[ "$(grep -c 'sync_file_range(' "$T/trace")" -le 1300 ]
	[ "$(grep -cE '[0-9]+ (fsync|syncfs)\(' "$T/trace")" -le 20 ]
}
