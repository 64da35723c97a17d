#!/usr/bin/env bats
# The list of variables, for shells and programs.
load lib
setup() {
	setup_root
	fake_toolkit 12.4.1
	fake_toolkit 11.8.0
}
teardown() { teardown_root; }

prefix_of() { printf '%s\n' "$CUDAENV_ROOT/versions/$1"; }

@test "all variables point at one toolkit" {
	cudaenv env 12.4
	assert_status 0
	assert_stderr ""
	local p
	p=$(prefix_of 12.4.1)
	assert_stdout "export PATH='$p/bin:$T/bin:/usr/bin:/bin'
export CUDA_HOME='$p'
export CUDA_PATH='$p'
export CUDA_ROOT='$p'
export CUDAToolkit_ROOT='$p'
export CUDACXX='$p/bin/nvcc'
export LD_LIBRARY_PATH='$p/lib64'"
}

# leave_and_compare SHELL...: enters 12.4, 11.8, leaves, and prints the environment before and after.
round_trip() {
	cat >"$T/try" <<-'EOS'
		env | grep -v '^_=' | sort >"$T/before"
		eval "$("$CUDAENV" env 12.4)"
		eval "$("$CUDAENV" env 11.8)"
		echo "$PATH"
		eval "$("$CUDAENV" env --unset)"
		env | grep -v '^_=' | sort >"$T/after"
	EOS
	capture "$@" "$T/try"
	assert_status 0
	assert_stderr ""
	cmp "$T/before" "$T/after" || fail "$(diff "$T/before" "$T/after")"
}

@test "what env changed, env --unset gives back" {
	local shell
	for shell in bash "zsh -f" dash; do
		command -v "${shell%% *}" >/dev/null || continue
		# shellcheck disable=SC2086
		round_trip $shell
		assert_stdout "$(prefix_of 11.8.0)/bin:$T/bin:/usr/bin:/bin"
		# shellcheck disable=SC2086
		CUDA_HOME="/usr/local/it's cuda" CUDACXX=mine LD_LIBRARY_PATH=/a::/b round_trip $shell
	done
}

@test "in fish too" {
	command -v fish >/dev/null || skip "no fish"
	cat >"$T/try" <<-'EOS'
		env | grep -v '^_=' | sort >"$T/before"
		$CUDAENV env 12.4 --shell fish | source
		$CUDAENV env 11.8 --format fish | source
		string join : $PATH
		echo $CUDA_HOME
		$CUDAENV env --unset --shell fish | source
		env | grep -v '^_=' | sort >"$T/after"
	EOS
	CUDA_HOME="/usr/local/it's \\cuda" LD_LIBRARY_PATH=/a:/b capture fish --no-config "$T/try"
	assert_status 0
	assert_stdout "$(prefix_of 11.8.0)/bin:$T/bin:/usr/bin:/bin
$(prefix_of 11.8.0)"
	cmp "$T/before" "$T/after" || fail "$(diff "$T/before" "$T/after")"
}

@test "values are quoted, whatever they hold" {
	mv "$CUDAENV_ROOT" "$T/ro'ot \$(touch x)\"\`\\"
	export CUDAENV_ROOT="$T/ro'ot \$(touch x)\"\`\\"
	local shell
	for shell in bash dash; do
		# shellcheck disable=SC2016
		capture $shell -c 'eval "$("$CUDAENV" env 12.4)"; printf "%s\n" "$CUDA_HOME"'
		assert_status 0
		assert_stdout "$CUDAENV_ROOT/versions/12.4.1"
	done
	if command -v fish >/dev/null; then
		# shellcheck disable=SC2016
		capture fish --no-config -c '$CUDAENV env 12.4 --shell fish | source; echo $CUDA_HOME'
		assert_stdout "$CUDAENV_ROOT/versions/12.4.1"
	fi
	refute_exists x
}

@test "JSON has every variable and no bookkeeping" {
	CUDA_HOME=/mine cudaenv env 12.4 --format json
	assert_status 0
	[ "$(python3 -c '
import json, sys
e = json.load(sys.stdin)
print(*sorted(e))
assert e["CUDA_HOME"] == e["CUDA_PATH"]' <<<"$out")" = \
		"CUDACXX CUDAToolkit_ROOT CUDA_HOME CUDA_PATH CUDA_ROOT LD_LIBRARY_PATH PATH" ]
	local json=$out
	CUDA_HOME=/mine cudaenv --json env 12.4
	assert_stdout "$json"
	CUDA_HOME=$(prefix_of 12.4.1) cudaenv --json env --unset
	assert_stdout_has '"CUDA_HOME": null'
}

@test "LD_LIBRARY_PATH by setting, and not in virtual environments" {
	VIRTUAL_ENV=/venv cudaenv env 12.4
	refute_stdout_has LD_LIBRARY_PATH
	CONDA_PREFIX=/conda cudaenv env 12.4
	refute_stdout_has LD_LIBRARY_PATH
	cudaenv config set ld_library_path always
	assert_status 0
	VIRTUAL_ENV=/venv cudaenv env 12.4
	assert_stdout_has LD_LIBRARY_PATH
	cudaenv config set ld_library_path never
	cudaenv env 12.4
	refute_stdout_has LD_LIBRARY_PATH
}

@test "CUDAHOSTCXX where the default compiler does not serve, or the file says so" {
	cudaenv env 12.4
	refute_stdout_has CUDAHOSTCXX
	mkdir -p "$(prefix_of 11.8.0)/.cudaenv/ccbin"
	ln -s /bin/true "$(prefix_of 11.8.0)/.cudaenv/ccbin/g++"
	cudaenv env 11.8
	assert_stdout_has "export CUDAHOSTCXX='$(prefix_of 11.8.0)/.cudaenv/ccbin/g++'"
	printf '12.4\nccbin=/opt/my gcc/bin/g++\n' >.cuda-version
	cudaenv env
	assert_stdout_has "export CUDAHOSTCXX='/opt/my gcc/bin/g++'"
}

@test "system: what is ours goes, what is not stays" {
	PATH="$(prefix_of 12.4.1)/bin:$PATH" CUDA_HOME=$(prefix_of 12.4.1) CUDA_PATH=/mine cudaenv env system
	assert_status 0
	assert_stdout "export PATH='$T/bin:/usr/bin:/bin'
unset CUDA_HOME"
}

@test "wrong words" {
	cudaenv env 13
	assert_status 3
	assert_stdout ""
	cudaenv env --shell bsh 12.4
	assert_status 2
	assert_stderr_has "did you mean 'bash'?"
	cudaenv env --format jsn
	assert_status 2
	assert_stderr_has "did you mean 'json'?"
	cudaenv env --unset 12.4
	assert_status 2
}

@test "dotenv and github: lines with whole lists" {
	cudaenv env 12.4 --format dotenv
	assert_status 0
	assert_stdout_has "CUDA_HOME='$(prefix_of 12.4.1)'"
	assert_stdout_has "PATH='$(prefix_of 12.4.1)/bin:$T/bin:/usr/bin:/bin'"
	mv "$CUDAENV_ROOT" "$T/ro'ot\\"
	CUDAENV_ROOT="$T/ro'ot\\" cudaenv env 12.4 --format dotenv
	assert_stdout_has "CUDA_HOME='$T/ro\\'ot\\\\/versions/12.4.1'"
	mv "$T/ro'ot\\" "$T/plain"
	CUDAENV_ROOT=$T/plain cudaenv env 12.4 --format github
	assert_status 0
	assert_stdout_has "CUDACXX=$T/plain/versions/12.4.1/bin/nvcc"
	assert_stdout_has "PATH=$T/plain/versions/12.4.1/bin:$T/bin:/usr/bin:/bin"
	mv "$T/plain" "$T/new"$'\n'"line"
	CUDAENV_ROOT="$T/new"$'\n'"line" cudaenv env 12.4 --format github
	assert_stdout_has "CUDA_HOME<<__cudaenv_end
$T/new
line/versions/12.4.1
__cudaenv_end"
	# A value cannot end itself and set others.
	local mine=$'/a\n__cudaenv_end\nPATH=/evil\n__cudaenv_end0'
	CUDAENV_ROOT="$T/new"$'\n'"line" LD_LIBRARY_PATH=$mine cudaenv env 12.4 --format github
	assert_stdout_has "LD_LIBRARY_PATH<<__cudaenv_end1
$T/new
line/versions/12.4.1/lib64:$mine
__cudaenv_end1"
	CUDAENV_ROOT="$T/new"$'\n'"line" cudaenv env 12.4 --format dotenv
	assert_status 2
}

@test "cmake: a file with fixed paths, whatever is in them" {
	mv "$CUDAENV_ROOT" "$T/a]=]\$x \"r"
	export CUDAENV_ROOT="$T/a]=]\$x \"r"
	cudaenv env 12.4 --format cmake
	assert_status 0
	command -v cmake >/dev/null || skip 'cmake is not here'
	cp "$T/stdout" "$T/toolchain.cmake"
	printf '%s\n' 'include("${F}")' 'message("${CMAKE_CUDA_COMPILER}|${CUDAToolkit_ROOT}|${CUDA_TOOLKIT_ROOT_DIR}|$ENV{CUDA_HOME}")' >"$T/x.cmake"
	capture cmake "-DF=$T/toolchain.cmake" -P "$T/x.cmake"
	assert_status 0
	local p=$CUDAENV_ROOT/versions/12.4.1
	assert_stderr "$p/bin/nvcc|$p|$p|$p"
}

# load_module INIT: the modulefile loaded and unloaded with what INIT defines.
load_module() {
	cat >"$T/try" <<-EOF
		. "$1" >/dev/null 2>&1
		module use "$modules"
		env -0 | sort -z | grep -zavE '^(_|SHLVL|_?LM|_ModuleTable|__LMOD|__MODULES|LOADEDMODULES|_LMFILES_)' >"\$T/before"
		module load cuda/12.4.1
		printf '%s\n' "\$CUDA_HOME" "\$PATH" "\$LD_LIBRARY_PATH"
		module unload cuda/12.4.1
		env -0 | sort -z | grep -zavE '^(_|SHLVL|_?LM|_ModuleTable|__LMOD|__MODULES|LOADEDMODULES|_LMFILES_)' >"\$T/after"
	EOF
	LD_LIBRARY_PATH=/mine capture bash --norc "$T/try"
	local q=$CUDAENV_ROOT/versions/12.4.1
	[[ $out == "$q
$q/bin:"*"
$q/lib64:/mine" ]] || fail "$1"
	cmp "$T/before" "$T/after" || fail "$(diff <(tr '\0' '\n' <"$T/before") <(tr '\0' '\n' <"$T/after"))"
}

@test "modulefile: loaded and unloaded by Environment Modules and by Lmod" {
	mv "$CUDAENV_ROOT" "$T/a [b] \$x {r"
	export CUDAENV_ROOT="$T/a [b] \$x {r"
	cudaenv env 12.4 --format modulefile
	assert_status 0
	# Lmod takes no blank in the path of a modulefile; in what it says it does.
	local init n=0 modules
	modules=$(mktemp -d /tmp/cudaenv-modules.XXXXXX)
	mkdir "$modules/cuda"
	cp "$T/stdout" "$modules/cuda/12.4.1"
	for init in /usr/share/modules/init/bash /usr/share/Modules/init/bash /usr/share/lmod/lmod/init/bash; do
		[ -e "$init" ] || continue
		load_module "$init" || { rm -r "$modules" && false; }
		n=$((n + 1))
	done
	rm -r "$modules"
	[ "$n" -gt 0 ] || skip 'neither Environment Modules nor Lmod is here'
}

@test "dotenv: sourced by sh, bash and dash with everything exported" {
	mv "$CUDAENV_ROOT" "$T/a \$(touch hacked) \"r"
	export CUDAENV_ROOT="$T/a \$(touch hacked) \"r"
	LD_LIBRARY_PATH='/x y:/z' cudaenv env 12.4 --format dotenv
	assert_status 0
	cp "$T/stdout" "$T/dotenv"
	local shell q=$CUDAENV_ROOT/versions/12.4.1
	for shell in sh bash dash; do
		command -v "$shell" >/dev/null || continue
		# shellcheck disable=SC2016
		capture "$shell" -c 'set -a; . "$T/dotenv"; printenv CUDA_HOME PATH LD_LIBRARY_PATH'
		assert_stdout "$q
$q/bin:$T/bin:/usr/bin:/bin
$q/lib64:/x y:/z"
	done
	refute_exists hacked
}

@test "github: lines as the runner reads them" {
	mv "$CUDAENV_ROOT" "$T/new"$'\n'"line"
	export CUDAENV_ROOT="$T/new"$'\n'"line"
	cudaenv env 12.4 --format github
	assert_status 0
	[ "$(python3 - "$T/stdout" <<-'EOF'
		import sys
		lines = iter(open(sys.argv[1]).read().splitlines())
		read = {}
		for line in lines:
		    equals, here = line.find("="), line.find("<<")
		    if here >= 0 and (equals < 0 or here < equals):
		        name, end = line.split("<<", 1)
		        value = []
		        while (line := next(lines)) != end:
		            value.append(line)
		        read[name] = "\n".join(value)
		    else:
		        name, read[name] = line.split("=", 1)[0], line.split("=", 1)[1]
		print(read["CUDA_HOME"], read["CUDACXX"], sep="\n")
	EOF
	)" = "$CUDAENV_ROOT/versions/12.4.1
$CUDAENV_ROOT/versions/12.4.1/bin/nvcc" ]
}

@test "cmake: a project configured with the file as its toolchain" {
	command -v cmake >/dev/null || skip 'cmake is not here'
	cudaenv env 12.4 --format cmake
	cp "$T/stdout" "$T/toolchain.cmake"
	mkdir "$T/project"
	printf '%s\n' 'cmake_minimum_required(VERSION 3.18)' 'project(x LANGUAGES NONE)' \
		'message("${CMAKE_CUDA_COMPILER}|$ENV{CUDACXX}|${CUDAToolkit_ROOT}")' >"$T/project/CMakeLists.txt"
	capture cmake -S "$T/project" -B "$T/project/build" "-DCMAKE_TOOLCHAIN_FILE=$T/toolchain.cmake"
	assert_status 0
	local p
	p=$(prefix_of 12.4.1)
	assert_stderr_has "$p/bin/nvcc|$p/bin/nvcc|$p"
	grep -qF "CMAKE_CUDA_COMPILER:FILEPATH=$p/bin/nvcc" "$T/project/build/CMakeCache.txt"
}

@test "dockerfile: every line is one that a builder's parser takes" {
	mv "$CUDAENV_ROOT" "$T/a \$x \\y \"r"
	export CUDAENV_ROOT="$T/a \$x \\y \"r"
	cudaenv env 12.4 --format dockerfile
	assert_status 0
	[ "$(grep -cvE '^ENV [A-Za-z_][A-Za-z0-9_]*="([^"\\$]|\\["\\$]|\$\{[A-Z_]+(:\+:\$\{[A-Z_]+\})?\})*"$' "$T/stdout")" -eq 0 ] || fail
	# Its quoting and ${X:+...} are those of sh.
	sed 's/^ENV /export /' "$T/stdout" >"$T/lines"
	# shellcheck disable=SC2016
	capture env -i PATH=/usr/bin "T=$T" sh -c '. "$T/lines"; printenv CUDA_HOME PATH LD_LIBRARY_PATH'
	local q=$CUDAENV_ROOT/versions/12.4.1
	assert_stdout "$q
$q/bin:/usr/bin
$q/lib64"
}

@test "dockerfile: ENV lines, lists in front of the image's" {
	CUDAENV_ROOT=$CUDAENV_ROOT cudaenv env 12.4 --format dockerfile
	assert_status 0
	assert_stdout_has "ENV CUDA_HOME=\"$(prefix_of 12.4.1)\""
	assert_stdout_has "ENV PATH=\"$(prefix_of 12.4.1)/bin\${PATH:+:\${PATH}}\""
	refute_stdout_has "$T/bin"
	mv "$CUDAENV_ROOT" "$T/a\"\$x"
	CUDAENV_ROOT="$T/a\"\$x" cudaenv env 12.4 --format dockerfile
	assert_stdout_has "ENV CUDA_HOME=\"$T/a\\\"\\\$x/versions/12.4.1\""
	cudaenv env --unset --format cmake
	assert_status 2
}
