#!/usr/bin/env bats
# config: where values come from, and what happens to config.ini.
load lib
setup() { setup_root; }
teardown() { teardown_root; }

file() { cat "$CUDAENV_ROOT/config.ini"; }

@test "config lists every key with its origin" {
	mkdir -p "$CUDAENV_ROOT"
	printf '# mine\njobs = 3\n' >"$CUDAENV_ROOT/config.ini"
	export CUDAENV_PROFILE=minimal
	cudaenv config
	assert_status 0
	[[ $out =~ jobs\ +3\ +"'$CUDAENV_ROOT/config.ini' line 2" ]] || fail
	[[ $out =~ profile\ +minimal\ +CUDAENV_PROFILE ]] || fail
	[[ $out =~ verify\ +compile\ +built\ in ]] || fail
	cudaenv config list --json
	assert_status 0
	python3 -c '
import json, sys
rows = {r["key"]: r for r in json.load(sys.stdin)}
assert rows["jobs"]["value"] == "3" and rows["profile"]["origin"] == "CUDAENV_PROFILE"
' <"$T/stdout"
}

@test "config set, get and unset leave the other lines alone" {
	cudaenv config set jobs 4
	assert_status 0
	printf '# a comment\noffline = yes ; for the train\njobs = 4' >"$CUDAENV_ROOT/config.ini"
	cudaenv config set jobs 5
	[ "$(file)" = $'# a comment\noffline = yes ; for the train\njobs = 5' ] || fail "$(file)"
	cudaenv config get jobs
	assert_stdout 5
	cudaenv config get offline
	assert_stdout yes
	cudaenv config unset jobs
	assert_status 0
	[ "$(file)" = $'# a comment\noffline = yes ; for the train' ] || fail "$(file)"
}

@test "config says when a variable wins over what was set" {
	CUDAENV_JOBS=7 cudaenv config set jobs 5
	assert_status 0
	assert_stderr_has "CUDAENV_JOBS is set and wins"
}

@test "config refuses what is wrong and names the nearest" {
	cudaenv config set jbos 3
	assert_status 2
	assert_stderr_has "did you mean 'jobs'"
	cudaenv config set jobs many
	assert_status 2
	assert_stderr_has "'many' of 'jobs'"
	cudaenv config set index $'x\njobs = 3'
	assert_status 2
	refute_exists "$CUDAENV_ROOT/config.ini"
	cudaenv config gte jobs
	assert_status 2
	assert_stderr_has "config get"
	cudaenv config get
	assert_status 2
	assert_stderr_has "usage: cudaenv config get KEY"
}

@test "a bad config.ini is named with file and line, and config mends it" {
	mkdir -p "$CUDAENV_ROOT"
	printf 'offline = no\nverify = quick\n' >"$CUDAENV_ROOT/config.ini"
	cudaenv list-remote
	assert_status 2
	assert_stderr_has "'$CUDAENV_ROOT/config.ini' line 2: 'quick' of 'verify'"
	cudaenv config unset verify
	assert_status 0
	cudaenv config get verify
	assert_stdout compile
}

@test "passwords in URLs are not listed" {
	export CUDAENV_MIRROR='https://me:secret@one/ https://you:hidden@two/'
	cudaenv config
	assert_stdout_has "https://***@one/ https://***@two/"
	cudaenv config --json
	refute_stdout_has secret
	refute_stdout_has hidden
}
