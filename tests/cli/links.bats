#!/usr/bin/env bats
# Existing trees, aliases, shims, and what `versions` says of them.
load lib
setup() { setup_root; }
teardown() { teardown_root; }

# foreign NAME RELEASE: a tree that cudaenv did not install, at $T/NAME.
foreign() {
	FAKE_ROOT=$T/foreign fake_toolkit "$2"
	mv "$prefix" "$T/$1"
	rm -r "$T/$1/.cudaenv" "$T/foreign"
}

@test "link, select, run, unlink: the tree is never touched" {
	foreign 'my cuda' 12.4.1
	find "$T/my cuda" -printf '%p %m %T@ %s\n' | sort >"$T/before"
	cudaenv link mine "$T/my cuda"
	assert_status 0
	assert_stdout ""
	assert_stderr_has "'mine' is CUDA 12.4.1"
	cudaenv global mine
	cudaenv version
	assert_stdout "mine (set by '$CUDAENV_ROOT/version')"
	[ "$(readlink "$CUDAENV_ROOT/current")" = versions/mine ]
	capture "$CUDAENV_ROOT/shims/nvcc" x
	assert_stdout "nvcc 12.4.1
$CUDAENV_ROOT/versions/mine/bin/nvcc
[x]"
	cudaenv unlink mine
	assert_status 0
	refute_exists "$CUDAENV_ROOT/versions/mine"
	refute_exists "$CUDAENV_ROOT/shims/nvcc"
	refute_exists "$CUDAENV_ROOT/current"
	find "$T/my cuda" -printf '%p %m %T@ %s\n' | sort | cmp - "$T/before"
	cudaenv version
	assert_status 3
}

@test "the release of a linked tree: version.json, version.txt, cuda.h" {
	foreign a 12.4.1
	cudaenv link a "$T/a"
	cudaenv versions
	assert_stdout_has "-> $T/a (CUDA 12.4.1)"
	rm "$T/a/version.json"
	echo 'CUDA Version 10.1.243' >"$T/a/version.txt"
	cudaenv versions
	assert_stdout_has "(CUDA 10.1.243)"
	rm "$T/a/version.txt"
	echo '#define CUDA_VERSION 11080' >"$T/a/include/cuda.h"
	cudaenv versions
	assert_stdout_has "(CUDA 11.8)"
	rm "$T/a/include/cuda.h"
	cudaenv versions
	assert_stdout_has "-> $T/a"
	refute_stdout_has "(CUDA"
	cudaenv link a "$T/a"
	assert_status 0
	assert_stderr_has "does not say which CUDA release it is"
}

@test "a link whose name is a number is found by numbers" {
	foreign a 12.4.1
	cudaenv link 12.4.1 "$T/a"
	assert_status 0
	cudaenv prefix 12
	assert_stdout "$CUDAENV_ROOT/versions/12.4.1"
}

@test "a number that is not the tree's own is no name for it" {
	foreign a 13.0.2
	for e in 12.4 13.0.1 13.1; do
		cudaenv link $e "$T/a"
		assert_status 2
		assert_stderr "cudaenv: '$T/a' is CUDA 13.0.2, not $e
hint: take the name 13.0.2, or one with a letter"
		[ ! -e "$CUDAENV_ROOT/versions/$e" ]
	done
	cudaenv link 13.0 "$T/a"
	assert_status 0
	cudaenv prefix 13
	assert_stdout "$CUDAENV_ROOT/versions/13.0"
}

@test "a number stays what it is when the path comes to lead elsewhere" {
	foreign a 12.4.1
	foreign b 13.0.2
	ln -s a "$T/cuda"
	cudaenv link 12.4 "$T/cuda"
	cudaenv link any "$T/cuda"
	ln -sfn b "$T/cuda"
	[ "$(readlink "$CUDAENV_ROOT/versions/12.4")" = "$T/a" ]
	[ "$(readlink "$CUDAENV_ROOT/versions/any")" = "$T/cuda" ]
}

@test "/usr is no tree of its own" {
	for e in /usr /usr/ / /usr/../usr; do
		cudaenv link a $e
		assert_status 2
		assert_stderr_has "holds much else than CUDA
hint: cudaenv adopt /usr"
	done
}

@test "to forget the global version is told" {
	foreign a 13.0.2
	cudaenv link a "$T/a"
	cudaenv link b "$T/a"
	cudaenv global a
	cudaenv unlink b
	assert_stderr ""
	cudaenv unlink a
	assert_status 0
	assert_stderr_has "warning: 'a' was the global version
hint: choose another one with 'cudaenv global', or cudaenv global --unset"
}

@test "what is no toolkit is not linked, and what is missing is named" {
	mkdir "$T/empty"
	cudaenv link a "$T/empty"
	assert_status 7
	assert_stderr_has "it has no program 'bin/nvcc'"
	cudaenv link a "$T/none"
	assert_status 7
	assert_stderr_has "No such file or directory"
	echo >"$T/file"
	cudaenv link a "$T/file"
	assert_status 7
	mkdir "$T/empty/bin"
	echo >"$T/empty/bin/nvcc"
	cudaenv link a "$T/empty"
	assert_status 7
	refute_exists "$CUDAENV_ROOT/versions/a"
}

@test "names of links and aliases that mean something else are refused" {
	foreign a 12.4.1
	local name
	for name in latest latest:12 system supported 12 cu124 v12.4 12.x '>=12' ../x a/b -- '' .x; do
		cudaenv link -- "$name" "$T/a"
		assert_status 2
		cudaenv alias -- "$name" 12
		assert_status 2
	done
	cudaenv alias 12.4.1 12
	assert_status 2
	[ -z "$(ls "$CUDAENV_ROOT/versions" "$CUDAENV_ROOT/aliases" 2>/dev/null)" ]
}

@test "a name that is taken stays as it is" {
	fake_toolkit 12.4.1
	foreign a 11.8.0
	foreign b 11.8.0
	cudaenv link 12.4.1 "$T/a"
	assert_status 2
	assert_stderr_has "version '12.4.1' is installed"
	cudaenv link x "$T/a"
	cudaenv link x "$T/a/"
	assert_status 0
	cudaenv link x "$T/b"
	assert_status 2
	assert_stderr_has "'x' is linked to '$T/a'"
	cudaenv alias x 12
	assert_status 2
	cudaenv alias y 12
	cudaenv link y "$T/a"
	assert_status 2
	assert_stderr_has "'y' is an alias"
	cudaenv unlink 12.4.1
	assert_status 2
	assert_stderr_has "hint: cudaenv uninstall 12.4.1"
	cudaenv unlink none
	assert_status 3
	cudaenv unlink ../versions
	assert_status 2
	assert_exists "$CUDAENV_ROOT/versions/12.4.1/bin/nvcc"
}

@test "one of ours is not linked a second time" {
	fake_toolkit 12.4.1
	cudaenv link a "$CUDAENV_ROOT/versions/12.4.1"
	assert_status 2
	assert_stderr_has "cudaenv alias NAME 12.4.1"
	ln -s "$CUDAENV_ROOT/versions/12.4.1" "$T/l"
	cudaenv link a "$T/l"
	assert_status 2
}

@test "relative paths become absolute, a path of links stays one" {
	foreign cuda-12.4 12.4.1
	ln -s cuda-12.4 "$T/cuda"
	cudaenv link a ../cuda-12.4
	assert_status 0
	[ "$(readlink "$CUDAENV_ROOT/versions/a")" = "$T/cuda-12.4" ]
	cudaenv link b "$T/cuda/"
	[ "$(readlink "$CUDAENV_ROOT/versions/b")" = "$T/cuda" ]
}

@test "a dangling link is marked, named, and can be taken away" {
	foreign a 12.4.1
	cudaenv link a "$T/a"
	rm -r "$T/a"
	cudaenv versions
	assert_status 0
	[[ $out =~ a\ +dangling\ +-\>\ .*/a ]] || fail
	cudaenv --json versions
	assert_stdout_has '"dangling": true'
	cudaenv prefix a
	assert_status 3
	assert_stderr_has "hint: cudaenv unlink a"
	cudaenv unlink a
	assert_status 0
}

@test "aliases: set, show, list, follow, remove" {
	fake_toolkit 12.4.1
	fake_toolkit 11.8.0
	cudaenv alias work 12
	assert_status 0
	cudaenv alias old 11.8
	cudaenv alias team work
	cudaenv alias
	assert_stdout "old   11.8
team  work
work  12"
	cudaenv alias work
	assert_stdout 12
	cudaenv --json alias
	[ "$(python3 -c 'import json,sys; print(json.load(sys.stdin)["team"])' <<<"$out")" = work ]
	cudaenv prefix team
	assert_stdout "$CUDAENV_ROOT/versions/12.4.1"
	cudaenv local team
	[ "$(cat .cuda-version)" = team ]
	cudaenv alias work 11
	cudaenv version-name
	assert_stdout 11.8.0
	cudaenv unalias work
	assert_status 0
	cudaenv version
	assert_status 3
	cudaenv unalias work
	assert_status 1
	cudaenv alias work
	assert_status 1
	cudaenv unalias ../version
	assert_status 1
}

@test "an alias cannot lead back to itself" {
	cudaenv alias a a
	assert_status 2
	cudaenv alias a b
	cudaenv alias b c
	cudaenv alias c a
	assert_status 2
	assert_stderr_has "alias 'c' would lead back to itself"
	refute_exists "$CUDAENV_ROOT/aliases/c"
	# Made by hand, it is still no endless loop.
	ln -s a "$CUDAENV_ROOT/aliases/c"
	cudaenv prefix a
	assert_status 2
	cudaenv alias
	assert_status 0
}

@test "shims lists what rehash made" {
	fake_toolkit 12.4.1 nvcc ptxas sh
	cudaenv shims
	assert_status 0
	assert_stdout ""
	cudaenv rehash
	assert_status 0
	assert_stdout ""
	assert_stderr_has "'sh' of 12.4.1 gets no shim"
	cudaenv shims
	assert_stdout "$CUDAENV_ROOT/shims/nvcc
$CUDAENV_ROOT/shims/ptxas"
	cudaenv shims --short
	assert_stdout "nvcc
ptxas"
	rm -r "$CUDAENV_ROOT/versions/12.4.1"
	cudaenv rehash
	cudaenv shims
	assert_stdout ""
}

@test "rehash repairs, and leaves what is not ours" {
	fake_toolkit 12.4.1
	cudaenv rehash
	rm "$CUDAENV_ROOT/shims/nvcc"
	echo x >"$CUDAENV_ROOT/shims/nvcc"
	echo x >"$CUDAENV_ROOT/shims/mine"
	cudaenv rehash
	assert_status 0
	assert_stderr_has "warning: '$CUDAENV_ROOT/shims/mine' is not a shim of ours"
	cmp "$CUDAENV_ROOT/shims/nvcc" "$CUDAENV_SHIM"
	[ "$(cat "$CUDAENV_ROOT/shims/mine")" = x ]
	CUDAENV_SHIM=$T/none cudaenv rehash
	assert_status 7
	assert_stderr_has "no shim program: cannot open '$T/none'"
	cmp "$CUDAENV_ROOT/shims/nvcc" "$SHIM"
}

@test "versions: names, verdicts and sizes" {
	fake_toolkit 12.4.1
	fake_toolkit 11.8.0
	cat >"$prefix/.cudaenv/verdict.json" <<-'EOS'
		{"format": 1, "verdict": "compiled", "level": "compile", "detail": "", "hint": "", "ccbin": "",
		 "date": "2025-01-02T03:04:05Z"}
	EOS
	foreign zz 9.2.0
	cudaenv link zz "$T/zz"
	cudaenv versions --bare
	assert_stdout "12.4.1
11.8.0
zz"
	cudaenv versions
	[[ $out =~ "  12.4.1  unverified  "[0-9.]+" kB" ]] || fail
	[[ $out =~ "  11.8.0  compiled    "[0-9.]+" kB" ]] || fail
	[[ $out =~ "  zz      linked  " ]] || fail
	assert_stdout_has "* system"
	assert_stdout_has "nothing selects a version"
}

@test "versions of a shared root are there, and cannot be changed through it" {
	FAKE_ROOT="$T/site" fake_toolkit 12.4.1
	fake_toolkit 11.8.0
	export CUDAENV_SHARED_ROOTS="$T/site"
	cudaenv versions --bare
	assert_stdout "12.4.1
11.8.0"
	cudaenv global 12.4
	[ "$(readlink "$CUDAENV_ROOT/current")" = "$T/site/versions/12.4.1" ]
	cudaenv rehash
	capture "$CUDAENV_ROOT/shims/nvcc"
	assert_stdout "nvcc 12.4.1
$T/site/versions/12.4.1/bin/nvcc"
	refute_exists "$T/site/shims"
}

@test "an installation that was moved as a whole finds its own shim program" {
	fake_toolkit 12.4.1
	mkdir -p "$T/moved here/bin" "$T/moved here/libexec/cudaenv"
	cp "$CUDAENV" "$T/moved here/bin/cudaenv"
	cp "$SHIM" "$T/moved here/libexec/cudaenv/cudaenv-shim"
	unset CUDAENV_SHIM
	capture "$T/moved here/bin/cudaenv" rehash
	assert_status 0
	assert_stderr ""
	cmp "$CUDAENV_ROOT/shims/nvcc" "$SHIM"
}

@test "an installation that was moved as a whole finds its own catalog" {
	mkdir -p "$T/moved here/bin" "$T/moved here/share/cudaenv"
	cp "$CUDAENV" "$T/moved here/bin/cudaenv"
	printf '[catalog]\nformat = 1\n[12.4.1]\ndate = 2024-04-03\nplatforms = linux-x86_64\n' \
		>"$T/moved here/share/cudaenv/versions.ini"
	unset CUDAENV_CATALOG
	capture "$T/moved here/bin/cudaenv" list-remote --bare
	assert_status 0
	assert_stdout 12.4.1
}
