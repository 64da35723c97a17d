#!/usr/bin/env bats
# Installs that are killed, and several at once, from a mirror in NVIDIA's form.

# shellcheck source=tests/toolkit/redist.bash
. "${BATS_TEST_FILENAME%/*}/redist.bash"

setup() {
	redist_setup
	need 12.4.1
}

teardown() { redist_teardown; }

SMALL=cuda_cudart,cuda_cuobjdump,cuda_cuxxfilt,cuda_nvml_dev,cuda_nvprune,cuda_profiler_api

install() { "$CUDAENV" install --components "$SMALL" --mirror "$SERVER/$1" "${@:2}" 12.4.1 </dev/null; }

is_whole() {
	capture "$CUDAENV_ROOT/versions/12.4.1/bin/cuobjdump" --version
	assert_stdout_has "release 12.4"
	[ "$(ls "$CUDAENV_ROOT/store" | wc -l)" -eq 6 ]
	[ -f "$CUDAENV_ROOT/versions/12.4.1/.cudaenv/record.json" ]
	[ -f "$CUDAENV_ROOT/versions/12.4.1/include/cuda_runtime.h" ]
	[ -x "$CUDAENV_ROOT/shims/cuobjdump" ]
	[ -z "$(ls -A "$CUDAENV_ROOT/staging")" ]
}

@test "SIGKILL at 200 moments: only what is whole, the next run completes, nothing comes twice" {
	capture python3 "${BATS_TEST_FILENAME%/*}/kill.py" "$MIRROR" "$T/work" 200
	assert_status 0
	echo "# $out" >&3
}

@test "one version installed by four at once: one works, the others find it" {
	local i pids=()
	for i in 1 2 3 4; do
		install four/rate/1000000 >"$T/out.$i" 2>"$T/err.$i" &
		pids+=($!)
	done
	for i in "${pids[@]}"; do
		wait "$i" || fail "one failed: $(cat "$T"/err.*)"
	done
	is_whole
	[ "$(sort -u "$T"/out.*)" = "$CUDAENV_ROOT/versions/12.4.1" ]
	[ "$(cat "$T"/err.* | grep -c '^installed 12.4.1')" -eq 1 ]
	[ "$(cat "$T"/err.* | grep -c 'installed already')" -eq 3 ]
	[ "$(served four | grep -c 'xz$')" -eq 6 ]
}

@test "install and uninstall of one version at once end as one after the other" {
	local i a b
	install first >/dev/null 2>&1
	for i in 1 2 3 4 5 6 7 8; do
		install "round$i" --force >"$T/out" 2>"$T/err" &
		a=$!
		"$CUDAENV" uninstall 12.4.1 >"$T/out2" 2>"$T/err2" </dev/null &
		b=$!
		wait $a || fail "install: $(<"$T/err")"
		wait $b || fail "uninstall: $(<"$T/err2")"
		[ -z "$(ls -A "$CUDAENV_ROOT/staging")" ]
		if [ -d "$CUDAENV_ROOT/versions/12.4.1" ]; then
			is_whole
		else
			[ -z "$(ls -A "$CUDAENV_ROOT/store")" ]
			[ ! -e "$CUDAENV_ROOT/shims/cuobjdump" ]
			install "mend$i" >/dev/null 2>&1
		fi
		is_whole
		# All of it was in the cache.
		[ "$(bytes "round$i")" -eq 0 ] && [ "$(bytes "mend$i")" -eq 0 ]
	done
}

@test "uninstall of another version during an install takes nothing away from it" {
	local i
	install other --as old >/dev/null 2>&1
	for i in 1 2 3 4; do
		rm -rf "$CUDAENV_ROOT/versions/12.4.1"
		install "new$i" >"$T/out" 2>"$T/err" &
		"$CUDAENV" uninstall old >/dev/null 2>&1 </dev/null || :
		wait $! || fail "$(<"$T/err")"
		is_whole
		install "again$i" --as old >/dev/null 2>&1
	done
}
