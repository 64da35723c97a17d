#!/usr/bin/env bats
# The launcher under a tool's name. Only counts, never times.
load lib
setup() {
	setup_root
	S=$CUDAENV_ROOT/shims
	shims nvcc ptxas
}
teardown() { teardown_root; }

shims() {
	local name
	mkdir -p "$S"
	for name; do ln -f "$SHIM" "$S/$name" 2>/dev/null || cp "$SHIM" "$S/$name"; done
}

pin() { printf '%s\n' "$1" >.cuda-version; }

# tool TEXT: replaces nvcc of $prefix by a script with this text.
tool() {
	printf '%s\n' "$1" >"$prefix/bin/nvcc"
	chmod 755 "$prefix/bin/nvcc"
}

assert_runs() {
	assert_status 0
	[[ $out == "nvcc $1"$'\n'* ]] || fail "wanted nvcc of $1"
}

needs_static() {
	[[ $SHIM_KIND == static* ]] || skip "the shim is $SHIM_KIND"
}

# trace COMMAND...: $calls is what the processes asked of the kernel.
trace() {
	command -v strace >/dev/null || skip 'strace is not here'
	capture strace -f -qq -o "$T/trace" "$@"
	calls=$(cat "$T/trace")
}

# Most calls that the shim may make with so many folder levels above it; glibc makes some of its own.
most() {
	case $SHIM_KIND in
	*musl*) echo $(($1 + 12)) ;;
	*) echo 40 ;;
	esac
}

# Calls before the tool's own execve.
overhead() { awk '/execve\(/ && n++ { exit } { calls++ } END { print calls }' "$T/trace"; }

# --- what it is

@test "no interpreter and no shared library" {
	needs_static
	run readelf -lW "$SHIM"
	[ "$status" -eq 0 ]
	[[ $output == *LOAD* && $output != *INTERP* ]]
	run readelf -dW "$SHIM"
	[[ $output != *NEEDED* ]]
}

@test "twelve calls, one more for each folder level, one exec, no fork" {
	needs_static
	fake_toolkit 12.4.1
	pin 12.4.1
	trace "$S/nvcc"
	assert_runs 12.4.1
	[ "$(overhead)" -le "$(most 0)" ] || fail "calls: $(overhead)" "$calls"
	[ "$(grep -c 'execve(' "$T/trace")" -eq 2 ]
	! grep -E 'fork|clone' "$T/trace" || false

	mkdir -p 1/2/3/4/5
	cd 1/2/3/4/5
	trace "$S/nvcc"
	assert_runs 12.4.1
	[ "$(overhead)" -le "$(most 5)" ] || fail "calls: $(overhead)" "$calls"
}

@test "well below forty calls where the newest match must be found" {
	needs_static
	fake_toolkit 12.4.1
	fake_toolkit 12.4.10
	pin 12.4
	trace "$S/nvcc"
	assert_runs 12.4.10
	[ "$(overhead)" -le "$(most 8)" ] || fail "calls: $(overhead)" "$calls"
}

# --- what it hands over

@test "argv[0] is the path in the prefix, whatever the shim was called by" {
	fake_toolkit 12.4.1
	pin 12.4
	capture "$S/nvcc"
	assert_stdout "nvcc 12.4.1"$'\n'"$prefix/bin/nvcc"
	ln -s "$S/nvcc" "$T/bin/nvcc"
	capture nvcc
	assert_stdout "nvcc 12.4.1"$'\n'"$prefix/bin/nvcc"
	capture bash -c 'exec -a x/nvcc "$0"' "$SHIM"
	assert_stdout "nvcc 12.4.1"$'\n'"$prefix/bin/nvcc"
}

@test "a program, too: the kernel gives scripts their path, but programs what the shim says" {
	fake_toolkit 12.4.1
	pin 12.4
	cp /bin/sh "$prefix/bin/nvcc"
	capture "$S/nvcc" -c 'echo "$0"'
	assert_stdout "$prefix/bin/nvcc"
	cd "$S"
	capture ./nvcc +12.4 -c 'echo "$0"'
	assert_stdout "$prefix/bin/nvcc"
	mkdir "$T/sys"
	cp /bin/sh "$T/sys/nvcc"
	PATH="$S:$T/sys:$PATH" capture nvcc +system -c 'echo "$0"'
	assert_stdout "$T/sys/nvcc"
}

@test "a script finds its folder by \$0" {
	fake_toolkit 12.4.1
	pin 12.4
	mkdir "$prefix/x"
	echo 'echo sourced' >"$prefix/x/y"
	tool '#!/bin/sh
. "$(dirname "$0")/../x/y"'
	capture "$S/nvcc"
	assert_stdout sourced
}

@test "arguments byte for byte" {
	fake_toolkit 12.4.1
	pin 12.4
	local args=('' ' ' 'a  b' $'new\nline' $'\xff\xfe invalid' '*' '$HOME' '"' "'" '\' -- --help + +12.4 $'\t')
	capture "$prefix/bin/nvcc" x "${args[@]}"
	cp "$T/stdout" "$T/wanted"
	capture "$S/nvcc" x "${args[@]}"
	assert_status 0
	cmp "$T/stdout" "$T/wanted"
}

@test "many arguments and a large environment" {
	fake_toolkit 12.4.1
	pin 12.4
	tool '#!/bin/sh
echo $# ${#BIG}'
	BIG=$(head -c 100000 /dev/zero | tr '\0' x) capture "$S/nvcc" $(seq 20000)
	assert_status 0
	assert_stdout '20000 100000'
	capture bash -c 'for i in {1..5000}; do export V$i=1; done; exec "$0"' "$S/nvcc"
	assert_status 0
}

@test "the environment, but for a counter" {
	fake_toolkit 12.4.1
	tool '#!/bin/sh
exec env'
	local vars=(A=1 B= PATH=/usr/bin "HOME=$HOME" "CUDAENV_ROOT=$CUDAENV_ROOT" CUDAENV_VERSION=12.4 LD_LIBRARY_PATH=/x:)
	capture env -i "${vars[@]}" "$prefix/bin/nvcc"
	local direct=$out
	capture env -i "${vars[@]}" "$S/nvcc"
	assert_status 0
	[ "$(sort <<<"$out")" = "$(printf '%s\nCUDAENV_SHIM_DEPTH=1' "$direct" | sort)" ] || fail "direct: $direct"
	capture env -i PATH=/usr/bin CUDAENV_SHIM_DEPTH=9 CUDAENV_ROOT="$CUDAENV_ROOT" CUDAENV_VERSION=12.4 "$S/nvcc"
	assert_stdout_has CUDAENV_SHIM_DEPTH=10
	CUDAENV_SHIM_DEPTH=nonsense CUDAENV_VERSION=12.4 capture "$S/nvcc"
	assert_stdout_has CUDAENV_SHIM_DEPTH=1
}

@test "stdin, stdout and stderr" {
	fake_toolkit 12.4.1
	pin 12.4
	tool '#!/bin/sh
cat; echo two >&2'
	printf 'one\0\377\n' >"$T/in"
	"$S/nvcc" <"$T/in" >"$T/stdout" 2>"$T/stderr"
	cmp "$T/in" "$T/stdout"
	[ "$(cat "$T/stderr")" = two ]
}

@test "exit statuses and signals" {
	fake_toolkit 12.4.1
	pin 12.4
	local n
	for n in 0 1 2 3 126 127 255; do
		FAKE_STATUS=$n capture "$S/nvcc"
		assert_status "$n"
		assert_stderr ''
	done
	tool '#!/bin/sh
kill -$1 $$'
	for n in 9 11 15; do
		capture "$S/nvcc" $n
		assert_status $((128 + n))
	done
}

# --- which version

@test "+SPEC as first argument alone" {
	fake_toolkit 11.8.0
	fake_toolkit 12.4.1
	pin 12.4
	capture "$S/nvcc" +11.8 -V
	assert_stdout "nvcc 11.8.0"$'\n'"$CUDAENV_ROOT/versions/11.8.0/bin/nvcc"$'\n[-V]'
	capture "$S/nvcc" +cu118
	assert_runs 11.8.0
	capture "$S/nvcc" -V +11.8
	assert_runs 12.4.1
	assert_stdout_has $'[-V]\n[+11.8]'
	capture "$S/nvcc" +
	assert_stdout_has '[+]'
	capture "$S/nvcc" +11.8 +12.4
	assert_runs 11.8.0
	assert_stdout_has '[+12.4]'
	capture "$S/nvcc" +../x
	assert_status 2
	assert_stderr_has "'../x' in the command line is not a version"
}

@test "argument, variable, nearest file, global pin" {
	local v
	for v in 11.8.0 12.1.0 12.2.0 12.3.0; do fake_toolkit "$v"; done
	echo 11.8.0 >"$CUDAENV_ROOT/version"
	capture "$S/nvcc"
	assert_runs 11.8.0
	mkdir -p a/b/c
	echo 12.1.0 >.cuda-version
	cd a/b/c
	capture "$S/nvcc"
	assert_runs 12.1.0
	echo 12.2.0 >../.cuda-version
	capture "$S/nvcc"
	assert_runs 12.2.0
	CUDAENV_VERSION=12.3 capture "$S/nvcc"
	assert_runs 12.3.0
	CUDAENV_VERSION=12.3 capture "$S/nvcc" +11.8
	assert_runs 11.8.0
	CUDAENV_VERSION= capture "$S/nvcc"
	assert_runs 12.2.0
}

@test "the newest patch, also when it goes or comes" {
	fake_toolkit 12.4.0
	fake_toolkit 12.4.1
	pin 12.4
	capture "$S/nvcc"
	assert_runs 12.4.1
	rm -r "$CUDAENV_ROOT/versions/12.4.1"
	capture "$S/nvcc"
	assert_runs 12.4.0
	fake_toolkit 12.4.10
	fake_toolkit 12.4.9
	capture "$S/nvcc"
	assert_runs 12.4.10
}

@test "the same text in a nested file: the variable goes before every file" {
	fake_toolkit 11.8.0
	fake_toolkit 12.4.1
	mkdir -p a/b
	echo 12.4.1 | tee a/.cuda-version >a/b/.cuda-version
	cd a/b
	CUDAENV_VERSION=11.8.0 capture "$S/nvcc"
	assert_runs 11.8.0
}

@test "a project reached through a link has the pins of where it really is" {
	fake_toolkit 11.8.0
	fake_toolkit 12.4.1
	mkdir -p real/proj links
	ln -s ../real/proj links/proj
	echo 11.8.0 >real/.cuda-version
	echo 12.4.1 >links/.cuda-version
	cd links/proj
	capture "$S/nvcc"
	assert_runs 11.8.0
}

@test "shared roots: the newest of all, own one first among equals" {
	fake_toolkit 12.4.0
	FAKE_ROOT="$T/site root" fake_toolkit 12.4.1
	FAKE_ROOT="$T/site root" fake_toolkit 12.4.0
	pin 12.4
	CUDAENV_SHARED_ROOTS=":$T/none:$T/site root/" capture "$S/nvcc"
	assert_stdout "nvcc 12.4.1"$'\n'"$T/site root/versions/12.4.1/bin/nvcc"
	CUDAENV_SHARED_ROOTS="$T/site root" capture "$S/nvcc" +12.4.0
	assert_stdout_has "$CUDAENV_ROOT/versions/12.4.0/bin/nvcc"
}

@test "a linked tree and an alias" {
	fake_toolkit 12.4.1
	mkdir -p "$T/tree" "$CUDAENV_ROOT/aliases"
	mv "$prefix/bin" "$T/tree"
	ln -s "$T/tree" "$CUDAENV_ROOT/versions/conda"
	ln -s conda "$CUDAENV_ROOT/aliases/stable"
	pin stable
	capture "$S/nvcc"
	assert_stdout_has "$CUDAENV_ROOT/versions/conda/bin/nvcc"
	ln -s b "$CUDAENV_ROOT/aliases/a"
	ln -s a "$CUDAENV_ROOT/aliases/b"
	capture "$S/nvcc" +a
	assert_status 2
	assert_stderr_has 'leads back to itself'
	rm -r "$T/tree"
	capture "$S/nvcc"
	assert_status 3
	assert_stderr_has "$CUDAENV_ROOT/versions/conda' is not a folder"
}

@test "fallbacks of a version file" {
	fake_toolkit 12.4.1
	pin '13.0 12.4 # newest first'
	capture "$S/nvcc"
	assert_runs 12.4.1
}

@test "a version that is not installed: who asked, what is there, what to do; nothing else is run" {
	fake_toolkit 12.4.1
	fake_toolkit 11.8.0
	pin 12.9.1
	printf '#!/bin/sh\necho wrong\n' >"$T/bin/nvcc"
	chmod 755 "$T/bin/nvcc"
	capture "$S/nvcc" --version
	assert_status 3
	assert_stdout ''
	assert_stderr "nvcc: cudaenv shim: version '12.9.1' is not installed (installed: 12.4.1, 11.8.0), set by '$PWD/.cuda-version'
hint: cudaenv install 12.9.1"
	CUDAENV_VERSION=10.2 capture "$S/nvcc"
	assert_status 3
	assert_stderr_has 'set by CUDAENV_VERSION'
}

# --- version files that other tools got wrong

@test "byte order mark, blanks, comments, CRLF, no final newline, keys" {
	fake_toolkit 12.4.1
	local text
	for text in '\357\273\27712.4.1\n' '\n  \t12.4.1 \t \n\n' '# needed by the sm_70 box\n12.4.1 # do not raise\n' \
		'12.4.1\r\n' '12.4.1' 'v12.4.1\n' 'cuda-12.4\n' 'cu124\n' '12.4.x\n' '12.4.1\ncudnn=9.3\nfuture=1\n'; do
		printf "$text" >.cuda-version
		capture "$S/nvcc"
		assert_runs 12.4.1
		assert_stderr ''
	done
}

@test "refused: what is no version, before any look outside versions" {
	fake_toolkit 12.4.1
	mkdir -p "$T/evil/bin"
	cp "$prefix/bin/nvcc" "$T/evil/bin/nvcc"
	local text
	for text in '../../evil' '../../../../../../tmp/evil' '..' '/none/evil' '12.4.1/../../../evil' '12.4.1#x' '-V' '*' \
		'12.4.1;id' '$HOME' '12..4' '.'; do
		printf '%s\n' "$text" >.cuda-version
		capture "$S/nvcc"
		assert_status 2
		assert_stdout ''
		assert_stderr_has "'$text"
		assert_stderr_has "'$PWD/.cuda-version'"
	done
	needs_static
	printf '../../evil\n' >.cuda-version
	trace "$S/nvcc"
	[[ $calls == *.cuda-version* && $calls != *evil/* && $calls != *versions* ]] || fail "$calls"
}

@test "refused within a moment: endless, huge, or not a regular file" {
	fake_toolkit 12.4.1
	refuses() {
		capture timeout 10 "$S/nvcc"
		[ "$status" -eq 2 ] || [ "$status" -eq 7 ] || fail 'wanted status 2 or 7'
		assert_stdout ''
		assert_stderr_has "'$PWD/.cuda-version'"
		rm -rf .cuda-version
	}
	head -c 50000000 /dev/zero | tr '\0' 1 >.cuda-version
	refuses
	ln -s /dev/zero .cuda-version
	refuses
	mkfifo .cuda-version
	refuses
	ln -s /dev/tty .cuda-version
	refuses
	mkdir .cuda-version
	refuses
	ln -s gone .cuda-version
	refuses
	printf '12.4.1\0' >.cuda-version
	refuses
	: >.cuda-version
	refuses
}

@test "an unreadable version file is named, not passed over" {
	modes_count
	fake_toolkit 12.4.1
	echo 12.4.1 >"$CUDAENV_ROOT/version"
	pin 12.4.1
	chmod 0 .cuda-version
	capture "${as[@]}" "$S/nvcc"
	assert_status 7
	assert_stderr_has "'$PWD/.cuda-version'"
}

@test "a working folder that is gone: the global pin" {
	fake_toolkit 12.4.1
	echo 12.4 >"$CUDAENV_ROOT/version"
	mkdir d
	cd d
	rmdir ../d
	capture "$S/nvcc"
	assert_runs 12.4.1
	refute_stderr_has cudaenv
}

# --- root and PATH

@test "HOME, CUDAENV_ROOT and PATH unset, empty or relative" {
	fake_toolkit 12.4.1
	pin 12.4
	capture env -u HOME "$S/nvcc"
	assert_runs 12.4.1
	capture env -u PATH "$S/nvcc"
	assert_runs 12.4.1
	capture env PATH= "$S/nvcc"
	assert_runs 12.4.1
	capture env CUDAENV_ROOT=relative "$S/nvcc"
	assert_status 2
	assert_stderr_has "CUDAENV_ROOT is 'relative', which is not an absolute path"
	capture env CUDAENV_SHARED_ROOTS=x:/y "$S/nvcc"
	assert_status 2
	assert_stderr_has CUDAENV_SHARED_ROOTS
	mv "$CUDAENV_ROOT" "$HOME/.cudaenv"
	capture env CUDAENV_ROOT= "$HOME/.cudaenv/shims/nvcc"
	assert_runs 12.4.1
	pin none-such
	capture env -i "$HOME/.cudaenv/shims/nvcc" --version
	assert_status 3
}

@test "its own root where no variable names one: cron, sudo, another user" {
	fake_toolkit 12.4.1
	echo 12.4 >"$CUDAENV_ROOT/version"
	FAKE_ROOT=$HOME/.cudaenv fake_toolkit 11.8.0
	echo 11.8 >"$HOME/.cudaenv/version"
	local here=$CUDAENV_ROOT
	unset CUDAENV_ROOT
	capture env -i "$S/nvcc"
	assert_runs 12.4.1
	# shellcheck disable=SC2016
	capture env -i "HOME=$HOME" PATH=/usr/bin:/bin /bin/sh -c 'PATH=$1:$PATH; nvcc' - "$S/"
	assert_runs 12.4.1
	capture env -i "HOME=$HOME" CUDAENV_ROOT="$HOME/.cudaenv" "$S/nvcc"
	assert_runs 11.8.0
	if sudo -n true 2>/dev/null; then
		capture sudo -n env "PATH=$S:/usr/bin:/bin" nvcc
		assert_runs 12.4.1
	fi
	# A site's shims in front of a user's root.
	capture env -i "HOME=$HOME" CUDAENV_SHARED_ROOTS="/none:$here/" "$S/nvcc"
	assert_runs 11.8.0
	capture env -i "HOME=$HOME" CUDAENV_SHARED_ROOTS="$here" "$S/nvcc" +12.4
	assert_runs 12.4.1
	mkdir "$T/elsewhere"
	ln -s "$S" "$T/elsewhere/shims"
	capture env -i "HOME=$HOME" "$T/elsewhere/shims/nvcc"
	assert_runs 11.8.0
	needs_static
	mv "$S" "$HOME/.cudaenv"
	trace env -i "HOME=$HOME" "$HOME/.cudaenv/shims/nvcc"
	assert_runs 11.8.0
	[[ $calls != *'versions", F_OK'* ]] || fail "a look at the disk for it" "$calls"
}

@test "neither HOME nor a home in the password file" {
	[ "$(id -u)" -eq 0 ] || skip 'only root becomes another user'
	chmod 755 "$T"
	cp "$SHIM" "$T/nvcc"
	capture setpriv --reuid 54321 --regid 54321 --clear-groups env -i "$T/nvcc"
	assert_status 2
	assert_stderr_has 'neither CUDAENV_ROOT nor HOME is set'
}

@test "system: the first tool on PATH that is not a shim" {
	fake_toolkit 12.4.1
	mkdir "$T/sys" "$T/sys2" "$T/plain" "$T/folder" "$T/folder/nvcc"
	printf '#!/bin/sh\necho "system $0"\n' | tee "$T/sys/nvcc" >"$T/sys2/nvcc"
	chmod 755 "$T/sys/nvcc" "$T/sys2/nvcc"
	echo text >"$T/plain/nvcc"
	ln -s "$S" "$T/other name"
	ln -s "$S/nvcc" "$T/bin/nvcc"
	PATH="$S:$T/bin:$T/other name:$CUDAENV_ROOT/versions/12.4.1/bin:$S/:$T/plain:$T/folder:$T/sys:$T/sys2:$PATH"
	capture "$S/nvcc"
	assert_status 0
	assert_stdout "system $T/sys/nvcc"
	pin '13.0 system'
	capture "$S/nvcc"
	assert_stdout "system $T/sys/nvcc"
	capture "$S/nvcc" +12.4
	assert_runs 12.4.1
}

@test "system: empty and relative parts of PATH are never searched" {
	printf '#!/bin/sh\necho planted\n' >nvcc
	chmod 755 nvcc
	mkdir rel
	cp nvcc rel
	local path
	for path in '' ':' ':/usr/bin' '/usr/bin::/bin' '/usr/bin:' '.' './' 'rel:.:..' '~'; do
		capture env PATH="$path" "$S/nvcc"
		assert_status 127
		assert_stdout ''
		assert_stderr_has "no 'nvcc' on PATH besides the shim"
	done
	capture env -u PATH "$S/nvcc"
	assert_status 127
}

@test "nothing selected and nothing on PATH: what could be selected" {
	fake_toolkit 12.4.1
	fake_toolkit 11.8.0 ptxas
	capture "$S/nvcc"
	assert_status 127
	assert_stderr "nvcc: cudaenv shim: no 'nvcc' on PATH besides the shim (versions that have it: 12.4.1), nothing selects a version
hint: nvcc +12.4.1, or cudaenv global 12.4.1"
}

# --- tools that cannot be run

@test "not in this version: those that have it" {
	fake_toolkit 12.4.1
	fake_toolkit 11.8.0 nvcc ptxas
	fake_toolkit 12.1.0 nvcc ptxas
	pin 12.4
	capture "$S/ptxas"
	assert_status 127
	assert_stderr "ptxas: cudaenv shim: version '12.4.1' has no 'ptxas' (versions that have it: 12.1.0, 11.8.0), set by '$PWD/.cuda-version'
hint: ptxas +12.1.0, or cudaenv global 12.1.0"
	ln -s gone "$CUDAENV_ROOT/versions/12.4.1/bin/ptxas"
	capture "$S/ptxas"
	assert_status 127
	assert_stderr_has "12.4.1/bin/ptxas' is a link to a file that is not there"
}

@test "not executable, empty, no #! line, a folder" {
	fake_toolkit 12.4.1
	pin 12.4
	cannot() {
		capture "$S/nvcc"
		assert_status 126
		assert_stdout ''
		[[ $err == "nvcc: cudaenv shim: '$prefix/bin/nvcc' $1"* ]] || fail "wanted: $1"
	}
	chmod 644 "$prefix/bin/nvcc"
	cannot 'is not executable'
	tool 'echo no line'
	cannot "is neither a program nor a script with a '#!' line"
	: >"$prefix/bin/nvcc"
	cannot 'is empty'
	rm "$prefix/bin/nvcc"
	mkdir "$prefix/bin/nvcc"
	cannot 'is a folder, not a program'
	rmdir "$prefix/bin/nvcc"
	mkfifo "$prefix/bin/nvcc"
	cannot 'is not a regular file, not a program'
}

@test "for another processor, damaged, interpreter missing" {
	fake_toolkit 12.4.1
	pin 12.4
	cannot() {
		capture "$S/nvcc"
		assert_status 126
		assert_stderr_has "'$prefix/bin/nvcc' $1"
	}
	# An ELF header for 64-bit PowerPC.
	{ printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0\25\0\1\0\0\0' && head -c 100 /dev/zero; } >"$prefix/bin/nvcc"
	cannot 'is a program for ppc64, this machine is'
	head -c 70 "$SHIM" >"$prefix/bin/nvcc"
	capture "$S/nvcc"
	assert_status 126
	assert_stderr_has "'$prefix/bin/nvcc'"
	tool '#!/none/such interpreter'
	cannot "needs the interpreter '/none/such', which is not there"
	printf '#!/bin/sh\r\necho\r\n' >"$prefix/bin/nvcc"
	cannot "needs the interpreter '/bin/sh?', which is not there"
	assert_stderr_has 'CRLF'
	command -v cc >/dev/null || return 0
	echo 'int main(void) { return 0; }' >x.c
	cc -o "$prefix/bin/nvcc" -Wl,--dynamic-linker=/none/ld.so x.c
	cannot "needs the interpreter '/none/ld.so', which is not there"
}

@test "never itself: as a link, a copy, or a script that calls it" {
	fake_toolkit 12.4.1
	pin 12.4
	ln -sf "$S/nvcc" "$prefix/bin/nvcc"
	capture "$S/nvcc"
	assert_status 126
	assert_stderr_has "12.4.1/bin/nvcc' is the shim itself"
	rm "$prefix/bin/nvcc"
	cp "$SHIM" "$prefix/bin/nvcc"
	capture timeout 20 "$S/nvcc"
	assert_status 126
	assert_stderr_has "12.4.1/bin/nvcc' is the shim itself"
	tool '#!/bin/sh
exec nvcc "$@"'
	PATH="$S:$PATH" capture timeout 20 "$S/nvcc" -V
	assert_status 126
	assert_stderr_has "'nvcc' leads back to itself"
}

@test "one write for a message, also with control characters in the name" {
	needs_static
	fake_toolkit 12.4.1
	pin 99
	trace "$S/nvcc"
	[ "$(grep -c 'write(2,' "$T/trace")" -eq 1 ]
	ln "$S/nvcc" "$S/x"$'\033[31m'
	capture "$S/x"$'\033[31m'
	[[ $err == 'x?[31m: cudaenv shim: '* ]] || fail
}

# --- by its own name

@test "cudaenv-shim which, version, --help" {
	fake_toolkit 12.4.1
	fake_toolkit 11.8.0
	pin 12.4
	capture "$SHIM" which nvcc
	assert_status 0
	assert_stdout "$CUDAENV_ROOT/versions/12.4.1/bin/nvcc"
	capture "$SHIM" which +11.8 nvcc
	assert_stdout "$CUDAENV_ROOT/versions/11.8.0/bin/nvcc"
	capture "$SHIM" which ncu
	assert_status 127
	assert_stdout ''
	assert_stderr_has "version '12.4.1' has no 'ncu'"
	capture "$SHIM" which ../bin/nvcc
	assert_status 127
	capture "$SHIM" version
	assert_stdout 12.4.1
	CUDAENV_VERSION=system capture "$SHIM" version
	assert_stdout system
	CUDAENV_VERSION=9 capture "$SHIM" version
	assert_status 3
	capture "$SHIM" --help
	assert_status 0
	assert_stdout_has 'usage: TOOL [+SPEC]'
	local args
	for args in '' 'x' 'which' 'which a b' 'version x' '--help x'; do
		capture "$SHIM" $args
		assert_status 2
		assert_stdout ''
	done
}

@test "an empty argv[0]" {
	capture bash -c 'exec -a "" "$0"' "$SHIM"
	assert_status 2
	capture bash -c 'exec -a "x/" "$0"' "$SHIM"
	assert_status 2
}
