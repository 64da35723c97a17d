#!/usr/bin/env bats
# cache: the folder of downloaded archives.
load lib
setup() {
	setup_root
	cache=$CUDAENV_ROOT/cache
	a=$(printf '%064d' 1)
	b=$(printf '%064d' 2)
	mkdir -p "$cache"
	printf '12345' >"$cache/$a.alpha.whl"
	printf '123' >"$cache/$b.beta.whl.part"
	printf 'x' >"$cache/notes"
}
teardown() { teardown_root; }

@test "cache dir is below the root, or where it is set" {
	cudaenv cache dir
	assert_status 0
	assert_stdout "$cache"
	CUDAENV_CACHE_DIR="$T/else where" cudaenv cache dir
	assert_stdout "$T/else where"
}

@test "cache list tells whole files from parts" {
	cudaenv cache list
	assert_status 0
	assert_stdout "5 B  whole  alpha.whl
3 B  part   beta.whl"
	cudaenv cache list --json
	assert_status 0
	python3 -c '
import json, sys
rows = json.load(sys.stdin)
assert [(r["file"], r["size"], r["whole"]) for r in rows] == [("alpha.whl", 5, True), ("beta.whl", 3, False)]
assert rows[0]["sha256"] == "0" * 63 + "1"
' <"$T/stdout"
}

@test "cache clear removes archives and parts, and nothing else" {
	cudaenv cache clear
	assert_status 0
	assert_stdout ''
	assert_stderr_has '8 B came back'
	[ "$(ls "$cache")" = notes ] || fail
	cudaenv cache list
	assert_status 0
	assert_stdout ''
	cudaenv cache clear --json
	assert_status 0
	python3 -c 'import json, sys; assert json.load(sys.stdin) == {"freed": 0}' <"$T/stdout"
}

@test "cache list and clear without a cache" {
	rm -rf "$CUDAENV_ROOT"
	cudaenv cache list
	assert_status 0
	assert_stdout ''
	cudaenv cache clear
	assert_status 0
}

@test "cache clear does not pull files from under an install" {
	mkdir -p "$CUDAENV_ROOT"
	exec 9>"$CUDAENV_ROOT/lock"
	flock 9
	CUDAENV_LOCK_WAIT=0 cudaenv cache clear
	exec 9>&-
	assert_status 10
	assert_exists "$cache/$a.alpha.whl"
}

@test "cache: wrong words" {
	cudaenv cache
	assert_status 2
	cudaenv cache lits
	assert_status 2
	assert_stderr_has "did you mean 'cudaenv cache list'"
	cudaenv cache /
	assert_status 2
	assert_stderr_has 'dir|list|clear'
	assert_exists "$cache/$a.alpha.whl"
}
