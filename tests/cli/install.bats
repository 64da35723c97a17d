#!/usr/bin/env bats
# Installing from a package index on this machine, with small wheels in the shape of the real ones.
load lib

setup() {
	setup_root
	unset CUDAENV_CATALOG
	export CUDAENV_CATALOG=$SOURCE_ROOT/share/versions.ini CUDAENV_VERIFY=files CUDAENV_ACCEPT_EULA=1 CUDAENV_SOURCE=wheels
	wheels=$T/wheels
	fake 13.0.2
}

teardown() {
	[ -z "${server:-}" ] || kill "$server" 2>/dev/null || :
	teardown_root
}

fake() { python3 "$SOURCE_ROOT/tests/index/fakewheels.py" "$wheels" "$@"; }

# serve [FLAGS]: the wheels as an index; later requests can be read with `requests`.
serve() {
	coproc HTTPD { exec python3 "$SOURCE_ROOT/tests/httpd.py" --simple "$wheels" 2>/dev/null; }
	server=$HTTPD_PID
	read -r port <&"${HTTPD[0]}"
	export UV_DEFAULT_INDEX="http://127.0.0.1:$port/simple${1:-}"
}

requests() { python3 -c 'import sys,urllib.request; sys.stdout.write(urllib.request.urlopen(sys.argv[1]).read().decode())' "http://127.0.0.1:$port/log"; }

# Whole versions only, nothing half made, nothing in staging.
assert_store_sane() {
	local v
	for v in "$CUDAENV_ROOT"/versions/*/; do
		[ -d "$v" ] || continue
		assert_exists "$v.cudaenv/record.json"
		assert_exists "$v/bin/nvcc"
		assert_exists "$v/nvvm/bin/cicc"
		assert_exists "$v/version.json"
	done
}

@test "install: a whole version, listed, usable through the shim" {
	serve
	cudaenv install --profile minimal 13.0.2
	assert_status 0
	assert_stdout "$CUDAENV_ROOT/versions/13.0.2"
	cudaenv versions --bare
	assert_stdout 13.0.2
	cudaenv local 13.0
	assert_status 0
	capture "$CUDAENV_ROOT/shims/nvcc" --version
	assert_stdout "nvcc of 13.0.2"
	assert_exists "$CUDAENV_ROOT/versions/13.0.2/lib64/libcudart.so"
	[ "$(stat -c %a "$CUDAENV_ROOT/versions/13.0.2/bin/nvcc")" = 555 ]
	[ -z "$(ls -A "$CUDAENV_ROOT/staging")" ]
	! grep -rl staging "$CUDAENV_ROOT/versions"
}

@test "install: what .cuda-version asks for, with its profile" {
	serve
	printf '# here\n13.0.2\nprofile=minimal\n' >.cuda-version
	cudaenv install
	assert_status 0
	refute_exists "$CUDAENV_ROOT/versions/13.0.2/lib64/libcublas.so.13"
	rm .cuda-version
	cudaenv install
	assert_status 2
	assert_stderr_has "no .cuda-version here or above"
}

@test "install: default profile has the libraries, --components just those and what nvcc needs" {
	serve
	cudaenv install 13.0.2
	assert_status 0
	assert_exists "$CUDAENV_ROOT/versions/13.0.2/lib64/libcublas.so.13"
	cudaenv install --components libcublas --as blas 13.0.2
	assert_status 0
	assert_exists "$CUDAENV_ROOT/versions/blas/lib64/libcublas.so"
	refute_exists "$CUDAENV_ROOT/versions/blas/bin/nvcc"
	cudaenv install --components cuda_nvcc --as compiler 13.0.2
	assert_status 0
	assert_exists "$CUDAENV_ROOT/versions/compiler/nvvm/bin/cicc"
	cudaenv install --components libcubals 13.0.2 -f
	assert_status 4
	assert_stderr_has libcublas
}

@test "install: again is quick, -f builds anew, nothing is fetched twice" {
	serve
	cudaenv install 13.0.2
	assert_status 0
	cudaenv install 13.0.2
	assert_status 0
	assert_stderr_has "installed already"
	cudaenv install -s 13.0.2
	assert_status 0
	assert_stderr_has ""
	echo damage >"$CUDAENV_ROOT/versions/13.0.2/mark"
	cudaenv install -f 13.0.2
	assert_status 0
	refute_exists "$CUDAENV_ROOT/versions/13.0.2/mark"
	[ "$(requests | grep -c 'packages/nvidia_')" -eq 9 ]
}

@test "install: again does what a run left undone that was killed after it published" {
	serve
	cudaenv install 13.0.2
	assert_status 0
	rm -r "$CUDAENV_ROOT/shims"
	mkdir -p "$CUDAENV_ROOT/staging/13.0.2.1/bin"
	cudaenv install 13.0.2
	assert_status 0
	assert_exists "$CUDAENV_ROOT/shims/nvcc"
	[ -z "$(ls -A "$CUDAENV_ROOT/staging")" ]
}

@test "install: --dry-run changes nothing and prints sizes" {
	serve
	cudaenv install -n 13.0.2
	assert_status 0
	assert_stdout_has cuda_nvcc
	assert_stdout_has "CUDA 13.0.2 from wheels"
	refute_exists "$CUDAENV_ROOT/versions/13.0.2"
	cudaenv --json install -n 13.0.2
	assert_status 0
	python3 -c 'import json,sys; d=json.load(open(sys.argv[1])); assert d["version"]=="13.0.2" and len(d["components"])==9' "$T/stdout"
}

@test "install: events and result as JSON" {
	serve
	cudaenv --json install 13.0.2
	assert_status 0
	python3 - "$T/stdout" "$T/stderr" <<-'EOP'
		import json, sys
		r = json.load(open(sys.argv[1]))
		assert r["version"] == "13.0.2" and r["verdict"] == "files-ok", r
		for line in open(sys.argv[2]):
		    json.loads(line)
	EOP
}

@test "install: two versions share what is equal; uninstall gives it back at the end" {
	fake 13.0.1
	serve
	cudaenv install 13.0.1 13.0.2
	assert_status 0
	a=$CUDAENV_ROOT/versions/13.0.1/include/cccl/cuda/std/version
	b=$CUDAENV_ROOT/versions/13.0.2/include/cccl/cuda/std/version
	[ "$a" -ef "$b" ]
	[ "$(requests | grep -c 'packages/nvidia_cuda_cccl')" -eq 1 ]
	cudaenv uninstall 13.0.1
	assert_status 0
	assert_stderr_has "came back"
	assert_exists "$b"
	cudaenv uninstall 13.0.2
	assert_status 0
	[ -z "$(ls -A "$CUDAENV_ROOT/store")" ]
	refute_exists "$CUDAENV_ROOT/shims/nvcc"
}

@test "uninstall: exact names only, not the global one without -f" {
	serve
	cudaenv install 13.0.2
	cudaenv uninstall 13.0
	assert_status 3
	cudaenv uninstall ../versions/13.0.2
	assert_status 2
	cudaenv global 13.0.2
	cudaenv uninstall 13.0.2
	assert_status 2
	assert_stderr_has "global"
	assert_exists "$CUDAENV_ROOT/versions/13.0.2"
	cudaenv uninstall -f 13.0.2
	assert_status 0
	refute_exists "$CUDAENV_ROOT/current"
}

@test "install: offline from the cache, and refused without it" {
	serve
	cudaenv install --offline 13.0.2
	assert_status 5
	assert_stderr_has offline
	cudaenv install 13.0.2
	assert_status 0
	kill "$server"
	cudaenv cache list
	assert_stdout_has "  whole  cuda-toolkit.index-page"
	assert_stdout_has "  whole  nvidia-cuda-nvcc.index-page"
	cudaenv uninstall 13.0.2
	cudaenv install --offline 13.0.2
	assert_status 0
	assert_exists "$CUDAENV_ROOT/versions/13.0.2/bin/nvcc"
}

refused() {
	cudaenv install 13.0.2
	assert_status "$1"
	[ -z "${2:-}" ] || assert_stderr_has "$2"
	assert_stderr_has "cudaenv: "
	refute_exists "$CUDAENV_ROOT/versions/13.0.2"
	[ -z "$(ls -A "$CUDAENV_ROOT/versions" 2>/dev/null)" ]
	[ -z "$(ls -A "$CUDAENV_ROOT/staging" 2>/dev/null)" ]
	refute_exists "$T/evil"
	refute_exists /tmp/evil-absolute
}

for_index() {
	serve "$1"
	refused "$2" "$3"
	kill "$server"
	wait "$server" 2>/dev/null || :
}

@test "install: an index that is down, asks for a login, has nothing, lies" {
	export UV_DEFAULT_INDEX=http://127.0.0.1:1/simple
	refused 5 127.0.0.1:1
	for_index +login 5 HTML
	for_index +404 5 cuda-toolkit
	for_index +503 5 503
	for_index +broken 5
	for_index +wronghash 6 sha256
	for_index +nohash 6
	for_index +html+wronghash 6 sha256
}

@test "install: an index that speaks only HTML, or puts files elsewhere, works" {
	serve +html+base
	cudaenv install 13.0.2
	assert_status 0
}

@test "install: wheels that must be refused leave an untouched store" {
	local kind
	serve
	for kind in dotdot absolute backslash newline symlink device duplicate norecord badrecord shortrecord \
		extra badcrc cutdir nodir encrypted bomb; do
		fake 13.0.2 --evil "$kind"
		cudaenv install 13.0.2
		[ "$status" -eq 6 ] || fail "$kind: wanted status 6"
		assert_stderr_has nvidia_cuda_crt
		[ -z "$(ls -A "$CUDAENV_ROOT/versions")" ] || fail "$kind left a version"
		[ -z "$(ls -A "$CUDAENV_ROOT/staging" 2>/dev/null)" ] || fail "$kind left staging"
		refute_exists /tmp/evil-absolute
	done
	fake 13.0.2
	cudaenv install 13.0.2
	assert_status 0
}

@test "install: no such version, a driver's number, no nvcc by wheels, another platform" {
	serve
	cudaenv install --source wheels 13.0.7
	assert_status 4
	assert_stderr_has 13.0.
	cudaenv install --source wheels 12.7
	assert_status 4
	assert_stderr_has 12.7
	cudaenv install --source wheels 12.4
	assert_status 4
	assert_stderr_has nvcc
	cudaenv install --source wheels latest:99
	assert_status 4
	cudaenv install --source nowhere 13.0.2
	assert_status 2
	cudaenv install --arch vax 13.0.2
	assert_status 2
	cudaenv install --source wheels --arch sbsa 13.0.2
	assert_status 4
	assert_stderr_has 13.0.2
	cudaenv install system
	assert_status 4
	cudaenv install '../evil'
	assert_status 2
}

@test "install: a metapackage without nvcc is no toolkit" {
	rm -r "$wheels"
	fake 13.0.2 --no-nvcc
	serve
	cudaenv install 13.0.2
	assert_status 4
	assert_stderr_has nvcc
}

@test "install: a version's fourth part is only packaging" {
	rm -r "$wheels"
	fake 13.4.1 --meta 13.4.1.0
	serve
	cudaenv install 13.4.1
	assert_status 0
	assert_exists "$CUDAENV_ROOT/versions/13.4.1/bin/nvcc"
}

@test "install: eight at once give one version and no error" {
	serve
	local i pids=()
	for i in 1 2 3 4 5 6 7 8; do
		"$CUDAENV" install 13.0.2 >"$T/out.$i" 2>"$T/err.$i" </dev/null &
		pids+=($!)
	done
	for i in "${pids[@]}"; do
		wait "$i" || fail "one failed: $(cat "$T"/err.*)"
	done
	assert_store_sane
	[ "$(cat "$T"/out.* | sort -u)" = "$CUDAENV_ROOT/versions/13.0.2" ]
	[ "$(requests | grep -c 'packages/nvidia_cuda_nvrtc')" -eq 1 ]
}

@test "install: killed at any moment, the next run completes and fetches nothing whole twice" {
	rm -r "$wheels"
	fake 13.0.2 --size 3000000
	serve
	local i
	for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
		"$CUDAENV" install 13.0.2 >/dev/null 2>&1 </dev/null &
		sleep "0.$(printf %02d $((i * 3)))"
		kill -9 $! 2>/dev/null || :
		wait $! 2>/dev/null || :
		assert_store_sane
		[ $((i % 4)) -ne 3 ] || rm -rf "$CUDAENV_ROOT/versions/13.0.2"
	done
	cudaenv install 13.0.2
	assert_status 0
	assert_store_sane
	[ -z "$(ls -A "$CUDAENV_ROOT/staging")" ]
	# Each file went out in whole once; a second whole answer is allowed only to a killed reader.
	requests >"$T/log"
	python3 - "$T/log" "$wheels" <<-'EOP'
		import json, os, sys
		seen = {}
		for line in open(sys.argv[1]):
		    r = json.loads(line)
		    if "/packages/nvidia_" in r["path"] and r["status"] == 206:
		        assert r["range"], r
		    if "/packages/nvidia_" in r["path"]:
		        seen.setdefault(r["path"], []).append(r)
		assert len(seen) == 9, seen.keys()
	EOP
}

@test "install: an interrupt ends it with 130 and keeps what came" {
	rm -r "$wheels"
	fake 13.0.2 --size 3000000
	serve +via:slow:400000
	# A shell in the background ignores SIGINT for its children: python gives it back.
	capture timeout -s INT 3 python3 -c 'import os,signal,sys
signal.signal(signal.SIGINT, signal.default_int_handler); os.execv(sys.argv[1], sys.argv[1:])' "$CUDAENV" install 13.0.2
	[ "$status" -eq 124 ] || [ "$status" -eq 130 ] || fail "wanted 130"
	[ -z "$(ls -A "$CUDAENV_ROOT/versions")" ]
	ls "$CUDAENV_ROOT"/cache/*.part
}

@test "install: a full disk and a read-only root are told with the path" {
	[ "$(id -u)" -eq 0 ] || skip "needs root to mount"
	mkdir "$T/small"
	mount -t tmpfs -o size=20m none "$T/small" || skip "cannot mount"
	serve
	CUDAENV_ROOT=$T/small/root capture "$CUDAENV" install 13.0.2
	local code=$status
	mount -o remount,ro "$T/small"
	CUDAENV_ROOT=$T/small/root2 capture "$CUDAENV" install 13.0.2
	umount "$T/small"
	[ "$code" -eq 7 ] || fail "full disk: $code"
	assert_status 7
	assert_stderr_has "$T/small/root2"
}

@test "install: a store on another disk is copied from, and told when something must move to it" {
	[ "$(id -u)" -eq 0 ] || skip "needs root to mount"
	serve
	cudaenv install 13.0.2
	assert_status 0
	mkdir "$T/disk"
	mount -t tmpfs -o size=20m none "$T/disk" || skip "cannot mount"
	cp -a "$CUDAENV_ROOT/store" "$T/disk/"
	chmod -R u+w "$CUDAENV_ROOT/store"
	rm -r "$CUDAENV_ROOT/store"
	ln -s "$T/disk/store" "$CUDAENV_ROOT/store"
	cudaenv install -f 13.0.2
	local code=$status mode nlink
	mode=$(stat -c %a "$CUDAENV_ROOT/versions/13.0.2/bin/nvcc")
	nlink=$(stat -c %h "$CUDAENV_ROOT/versions/13.0.2/bin/nvcc")
	fake 13.0.1
	cudaenv install 13.0.1
	umount "$T/disk"
	[ "$code" -eq 0 ] || fail "by copies: $code"
	[ "$mode $nlink" = "555 1" ] || fail "mode and links: $mode $nlink"
	assert_status 7
	assert_stderr_has "must be on one file system"
	refute_exists "$CUDAENV_ROOT/versions/13.0.1"
}
