#!/usr/bin/env bats
# list-remote: the catalog as a person sees it.
load lib
setup() { setup_root; }
teardown() { teardown_root; }

@test "list-remote lists oldest first, with date, sources and what is installed" {
	fake_toolkit 13.0.2
	cudaenv list-remote
	assert_status 0
	[[ $out =~ 13\.0\.2\ +2025-10-09\ +[^$'\n']*wheels[^$'\n']*installed ]] || fail
	[ "$(tail -1 "$T/stdout" | cut -d' ' -f1)" = 13.5.0 ] || fail
	[ "$(cut -d' ' -f1 "$T/stdout" | sort -V | cmp - <(cut -d' ' -f1 "$T/stdout"))" = "" ] || fail
}

@test "list-remote --bare prints numbers alone, of a SPEC if asked" {
	cudaenv list-remote --bare 13.0
	assert_status 0
	assert_stdout $'13.0.0\n13.0.1\n13.0.2\n13.0.3'
	cudaenv list-remote --bare '>=12.4,<12.6'
	assert_stdout $'12.4.0\n12.4.1\n12.5.0\n12.5.1'
	cudaenv list-remote --bare latest:12
	assert_stdout 12.9.2
	cudaenv list-remote --bare 9
	assert_stdout $'9.0.176\n9.1.85\n9.2.88\n9.2.148'
}

@test "list-remote --all adds what only runfiles hold" {
	cudaenv list-remote --bare
	refute_stdout_has 10.2.89
	cudaenv list-remote --bare --all
	assert_stdout_has 10.2.89
}

@test "list-remote --json is what a script can read" {
	cudaenv list-remote --json 12.4.1
	assert_status 0
	python3 -c '
import json, sys
(r,) = json.load(sys.stdin)
assert r["version"] == "12.4.1" and r["date"] == "2024-04-03", r
assert r["sources"] == ["redist", "runfile"] and r["installed"] is False, r
assert r["driver"]["min"] == "550.54.15" and r["driver"]["floor"] == "525.60.13", r
' <"$T/stdout"
}

@test "a number without a release gets the nearest ones" {
	cudaenv list-remote 12.4.7
	assert_status 4
	assert_stderr_has "the nearest is 12.4.1"
	cudaenv list-remote 14
	assert_status 4
	assert_stderr_has "the newest is 13.5.0"
	cudaenv list-remote 12.7
	assert_status 4
	assert_stderr_has "drivers report that number, no toolkit has it; the nearest are 12.6.3 and 12.8.0"
	cudaenv list-remote ../12
	assert_status 2
}

@test "a broken catalog is named with file and line" {
	printf '[catalog]\nformat = 1\n[12.4.1]\ndriver_mim = 1\n' >"$T/v.ini"
	CUDAENV_CATALOG="$T/v.ini" cudaenv list-remote
	assert_status 2
	assert_stderr_has "'$T/v.ini' line 4: unknown key 'driver_mim', did you mean 'driver_min'?"
	CUDAENV_CATALOG="$T/none.ini" cudaenv list-remote
	assert_status 7
	assert_stderr_has "$T/none.ini"
}
