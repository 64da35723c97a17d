#!/usr/bin/env bats
# What holds for every command: words, help, streams, statuses, JSON.
load lib
setup() { setup_root; }
teardown() { teardown_root; }

is_json() { python3 -m json.tool >/dev/null 2>&1 <<<"$1" || fail "not JSON: $1"; }

@test "without a command: help on stderr, status 2" {
	cudaenv
	assert_status 2
	assert_stdout ""
	assert_stderr_has "usage: cudaenv"
}

@test "help goes to stdout and lists every command" {
	local name
	cudaenv help
	assert_status 0
	assert_stderr ""
	local help=$out
	cudaenv commands
	for name in $out; do
		[[ $help == *$'\n'"  $name"* ]] || fail "help does not list $name"
	done
	cudaenv --help
	assert_stdout "$help"
	cudaenv -h
	assert_stdout "$help"
}

@test "every command explains itself, whichever way it is asked" {
	local name
	for name in $("$CUDAENV" commands); do
		cudaenv help "$name"
		assert_status 0
		assert_stderr ""
		[[ $out == "usage: cudaenv $name"* ]] || fail "no help for $name"
		local help=$out
		cudaenv "$name" --help
		assert_status 0
		assert_stdout "$help"
		cudaenv "$name" -h
		assert_stdout "$help"
		cudaenv --help "$name"
		assert_stdout "$help"
	done
}

@test "help text fits into 80 columns" {
	local name
	for name in "" $("$CUDAENV" commands); do
		# shellcheck disable=SC2086
		cudaenv help $name
		[ -z "$(awk 'length > 85' <<<"$out")" ] || fail "too wide: $name"
	done
}

@test "every command refuses an option that it does not know" {
	local name
	for name in $("$CUDAENV" commands); do
		cudaenv "$name" --no-such-option
		assert_status 2
		assert_stdout ""
		assert_stderr_has "unknown option '--no-such-option'"
		assert_stderr_has "hint: see 'cudaenv help $name'"
	done
}

@test "names that other tools use find the command" {
	local words
	for words in "default global" "pin local" "use shell" "list versions" "ls versions"; do
		cudaenv help "${words% *}"
		[[ $out == "usage: cudaenv ${words#* }"* ]] || fail "$words"
	done
	cudaenv commands
	[[ $'\n'$out$'\n' != *$'\n'pin$'\n'* ]]
}

@test "an unknown command gets the nearest name" {
	cudaenv verisons
	assert_status 2
	assert_stdout ""
	assert_stderr "cudaenv: unknown command 'verisons'
hint: did you mean 'versions'?"
	cudaenv help verisons
	assert_status 2
	assert_stderr_has "did you mean 'versions'?"
	cudaenv zzzzzzzz
	assert_status 2
	assert_stderr_has "'cudaenv help' lists all commands"
	cudaenv ''
	assert_status 2
}

@test "an unknown option gets the nearest name" {
	cudaenv versions --brae
	assert_status 2
	assert_stderr_has "did you mean '--bare'?"
	cudaenv --vresion
	assert_status 2
	assert_stderr_has "did you mean '--version'?"
}

@test "control characters of an argument do not reach the terminal" {
	cudaenv $'\033[31m'
	assert_status 2
	refute_stderr_has $'\033'
	cudaenv help $'a\nb'
	assert_stderr_has "'a?b'"
}

@test "too few and too many operands name the command and its use" {
	cudaenv whence
	assert_status 2
	assert_stderr "cudaenv: 'whence' needs TOOL
hint: usage: cudaenv whence TOOL"
	cudaenv root one
	assert_status 2
	assert_stderr_has "'root' does not take 'one'"
}

@test "--version before and behind a command" {
	cudaenv --version
	assert_status 0
	[[ $out =~ ^cudaenv\ [0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "$out"
	local version=$out
	cudaenv root --version
	assert_status 0
	assert_stdout "$version"
}

@test "global options stand before the command or behind it" {
	fake_toolkit 12.4.1
	cudaenv --json versions
	is_json "$out"
	local before=$out
	cudaenv versions --json
	assert_stdout "$before"
	cudaenv versions -qv --json
	assert_stdout "$before"
}

@test "-- ends the options" {
	cudaenv prefix -- --json
	assert_status 2
	assert_stderr_has "'--json'"
	cudaenv -- root
	assert_status 0
	assert_stdout "$CUDAENV_ROOT"
}

@test "what --json prints is JSON, also with nothing installed" {
	local words
	for round in empty full; do
		for words in versions version shims alias commands env root latest "which nvcc" "which -a nvcc" \
			"whence nvcc" "prefix" "config list"; do
			# shellcheck disable=SC2086
			cudaenv --json $words
			[ -z "$out" ] || is_json "$out"
			[ -z "$err" ] || is_json "${err%%$'\n'*}"
			[ "$round" = empty ] || [ "$status" -eq 0 ] || fail "$words"
		done
		fake_toolkit 12.4.1
		cudaenv rehash
		cudaenv alias work 12
		cudaenv global 12
		assert_status 0
	done
}

@test "with --json an error is one object" {
	cudaenv --json local 99
	assert_status 3
	assert_stdout ""
	[ "$(wc -l <"$T/stderr")" -eq 1 ]
	[ "$(python3 -c 'import json,sys; e = json.load(sys.stdin); print(e["status"], "error" in e, "hint" in e)' \
		<<<"$err")" = "3 True True" ]
}

@test "a path that is not UTF-8 does not break JSON" {
	CUDAENV_ROOT="$T/r"$'\377'"x" cudaenv --json root
	assert_status 0
	is_json "$out"
}

@test "a result that cannot be written is an error" {
	status=0
	"$CUDAENV" help >/dev/full 2>"$T/stderr" || status=$?
	[ "$status" -eq 7 ]
	[[ $(cat "$T/stderr") == *"cannot write to standard output: No space left on device"* ]]
	status=0
	"$CUDAENV" help >&- 2>"$T/stderr" || status=$?
	[ "$status" -eq 7 ]
	[[ $(cat "$T/stderr") == *"cannot write to standard output"* ]]
}

@test "a reader that has seen enough is no error" {
	{ "$CUDAENV" help 2>"$T/stderr" || echo "$?" >"$T/status"; } | :
	[ ! -s "$T/stderr" ]
	# 141 where the write came after the reader was gone.
	[ ! -e "$T/status" ] || [ "$(cat "$T/status")" -eq 141 ]
}

@test "closed standard streams are not taken by files" {
	fake_toolkit 12.4.1
	"$CUDAENV" rehash <&- >&- 2>&-
	assert_exists "$CUDAENV_ROOT/shims/nvcc"
	[ ! -s "$CUDAENV_ROOT/lock" ]
	status=0
	"$CUDAENV" local 99 <&- >&- 2>&- || status=$?
	[ "$status" -eq 3 ]
}

# on_terminal COMMAND...: runs it on a terminal of its own; $out is what came.
on_terminal() {
	local line
	printf -v line '%q ' "$@"
	out=$(script -qec "$line" /dev/null </dev/null) || :
}

@test "colour on a terminal alone, and not with NO_COLOR or TERM=dumb" {
	TERM=xterm on_terminal "$CUDAENV" verisons
	[[ $out == *$'\033['* ]] || fail "no colour on a terminal"
	TERM=xterm NO_COLOR=1 on_terminal "$CUDAENV" verisons
	refute_stdout_has $'\033'
	assert_stdout_has "did you mean 'versions'?"
	TERM=xterm NO_COLOR='' on_terminal "$CUDAENV" verisons
	assert_stdout_has $'\033['
	TERM=dumb on_terminal "$CUDAENV" verisons
	refute_stdout_has $'\033'
	TERM=xterm cudaenv verisons
	refute_stderr_has $'\033'
}

@test "the locale does not matter" {
	local locale
	fake_toolkit 12.4.1
	head -c 1500000 /dev/zero >"$prefix/big"
	LC_ALL=C cudaenv versions
	local plain=$out
	[[ $plain == *"1.5"*MB* ]] || fail "no size"
	for locale in tr_TR.UTF-8 zh_CN.UTF-8 de_DE.UTF-8 nonsense; do
		LC_ALL=$locale LANG=$locale cudaenv versions
		assert_status 0
		assert_stdout "$plain"
		LC_ALL=$locale LANG=$locale cudaenv VERSIONS
		assert_status 2
	done
}

@test "help works without a home and with a broken config, the rest names the file" {
	mkdir -p "$CUDAENV_ROOT"
	echo 'jobz = 3' >"$CUDAENV_ROOT/config.ini"
	cudaenv help
	assert_status 0
	cudaenv commands
	assert_status 0
	cudaenv versions
	assert_status 2
	assert_stderr_has "$CUDAENV_ROOT/config.ini"
	capture env -i "$CUDAENV" help
	assert_status 0
	CUDAENV_ROOT=relative cudaenv root
	assert_status 2
	assert_stderr_has "CUDAENV_ROOT is 'relative'"
}

@test "a lock that another holds: status 10, with the holder named" {
	mkdir -p "$CUDAENV_ROOT"
	local wait
	for wait in 0 1; do
		# shellcheck disable=SC2016
		flock "$CUDAENV_ROOT/lock" env CUDAENV_LOCK_WAIT=$wait bash -c \
			'"$CUDAENV" rehash 2>"$T/stderr"; echo $? >"$T/status"'
		[ "$(cat "$T/status")" -eq 10 ]
		err=$(cat "$T/stderr")
		assert_stderr_has "cudaenv: another cudaenv (another process) holds '$CUDAENV_ROOT/lock'"
	done
	assert_stderr_has "note: waiting for another cudaenv (another process) to end"
	CUDAENV_LOCK_WAIT=long cudaenv rehash
	assert_status 2
	assert_stderr_has "CUDAENV_LOCK_WAIT is 'long'"
	cudaenv rehash
	assert_status 0
}

@test "commands that only read make nothing" {
	local words
	for words in versions version version-name version-origin version-file global local root shims alias \
		"latest 12" "which nvcc" env prefix; do
		# shellcheck disable=SC2086
		cudaenv $words
	done
	refute_exists "$CUDAENV_ROOT"
}

@test "--quiet leaves warnings and errors, --debug adds, also by variable" {
	cudaenv versions
	assert_stderr_has "note: nothing is installed"
	cudaenv -q versions
	assert_stderr ""
	fake_toolkit 12.4.1
	echo 99 >.cuda-version
	cudaenv -q versions
	assert_status 0
	assert_stderr_has "warning: version '99' is not installed"
	assert_stdout_has "12.4.1"
	rm .cuda-version
	CUDAENV_DEBUG=1 cudaenv exec +12.4 true
	assert_stderr_has "debug:"
	CUDAENV_DEBUG=0 cudaenv exec +12.4 true
	assert_stderr ""
}
