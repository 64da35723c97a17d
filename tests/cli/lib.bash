# Helpers of the program's tests. A .bats file begins with
#   load lib
#   setup() { setup_root; }
#   teardown() { teardown_root; }
# and then has a fresh home, root and working folder, all with a blank in their names, and nothing of
# the caller's CUDA. No command named here needs a network.

: "${CUDAENV:?is not set: meson test --suite cli sets what these tests need}"

# The three variables by which the build tells the program where its own files are stay.
clean_environment() {
	local v
	for v in $(compgen -e); do
		case $v in
		CUDAENV | CUDAENV_CATALOG | CUDAENV_PRODUCTS | CUDAENV_SHIM | CUDAENV_KERNELS) ;;
		CUDA* | CUDNN* | NVCC* | NV_* | PIP_* | UV_* | CONDA* | VIRTUAL_ENV | XDG_* | LD_LIBRARY_PATH | \
			LIBRARY_PATH | LD_RUN_PATH | CPATH | C_INCLUDE_PATH | CPLUS_INCLUDE_PATH | PKG_CONFIG_* | CMAKE_* | \
			NETRC | NO_COLOR | PROMPT_COMMAND | BASH_ENV | ENV | ZDOTDIR) unset "$v" ;;
		esac
	done
	export LC_ALL=C TERM=dumb
}

# $T: the test's own folder. $T/bin is first on PATH, for tools that a test plants; /usr/local is not on
# it, since a real toolkit may be there.
setup_root() {
	clean_environment
	T=$(mktemp -d "${TMPDIR:-/tmp}/cudaenv test.XXXXXX")
	T=$(cd "$T" && pwd -P)
	export T HOME="$T/home" CUDAENV_ROOT="$T/the root" PATH="$T/bin:/usr/bin:/bin"
	mkdir "$HOME" "$T/bin" "$T/work"
	# Apt knows no repository here.
	echo "Dir \"$T/apt/\";" >"$T/apt.conf"
	export APT_CONFIG="$T/apt.conf"
	cd "$T/work" || return 1
}

teardown_root() {
	cd / || return 1
	[ -n "${T:-}" ] || return 0
	chmod -R u+rwX "$T" 2>/dev/null || :
	rm -rf "$T"
}

# fake_toolkit VERSION [TOOL...]: an installed version whose tools (nvcc alone unless named) are scripts
# that print "TOOL VERSION", the path they run as, and each argument between brackets, and end with
# $FAKE_STATUS. $FAKE_ROOT: another root than CUDAENV_ROOT. Sets $prefix.
fake_toolkit() {
	local version=$1 tool
	shift
	prefix=${FAKE_ROOT:-$CUDAENV_ROOT}/versions/$version
	mkdir -p "$prefix/bin" "$prefix/targets/x86_64-linux/include" "$prefix/targets/x86_64-linux/lib" \
		"$prefix/nvvm/bin" "$prefix/.cudaenv"
	ln -sfn targets/x86_64-linux/include "$prefix/include"
	ln -sfn targets/x86_64-linux/lib "$prefix/lib64"
	ln -sfn targets/x86_64-linux/lib "$prefix/lib"
	for tool in "${@:-nvcc}"; do
		cat >"$prefix/bin/$tool" <<-EOF
			#!/bin/sh
			printf '%s\n' "$tool $version" "\$0"
			for a; do printf '[%s]\n' "\$a"; done
			exit \${FAKE_STATUS:-0}
		EOF
		chmod 755 "$prefix/bin/$tool"
	done
	printf '{"cuda": {"name": "CUDA SDK", "version": "%s"}}\n' "$version" >"$prefix/version.json"
	cat >"$prefix/.cudaenv/record.json" <<-EOF
		{
		  "format": 1, "label": "$version", "source": "wheels", "arch": "x86_64",
		  "profile": "minimal", "installed": "2025-01-02T03:04:05Z",
		  "manifest": {"file": "cuda_toolkit-$version-py2.py3-none-any.whl",
		    "sha256": "$(printf '%064d' 0)", "pinned": false},
		  "components": [
		    {"name": "cuda_nvcc", "package": "nvidia-cuda-nvcc", "version": "$version",
		     "file": "nvidia_cuda_nvcc-$version-py3-none-any.whl",
		     "sha256": "$(printf '%064d' 1)", "size": 1000, "unpacked": 2000}
		  ]
		}
	EOF
}

# fake_cudnn NAME: a cuDNN such as 9.3.0-cuda12. Sets $cudnn.
fake_cudnn() {
	local v
	IFS=.- read -ra v <<<"$1"
	cudnn=${FAKE_ROOT:-$CUDAENV_ROOT}/cudnn/$1
	mkdir -p "$cudnn/include" "$cudnn/lib"
	ln -sfn lib "$cudnn/lib64"
	echo '#include "cudnn_version.h"' >"$cudnn/include/cudnn.h"
	printf '#define CUDNN_MAJOR %s\n#define CUDNN_MINOR %s\n#define CUDNN_PATCHLEVEL %s\n' "${v[@]:0:3}" \
		>"$cudnn/include/cudnn_version.h"
	: >"$cudnn/lib/libcudnn.so.${v[0]}"
}

# capture COMMAND...: runs it with stdin from /dev/null; $status, $out and $err (final newlines gone) are
# its results, $T/stdout and $T/stderr the exact bytes.
capture() {
	status=0
	"$@" </dev/null >"$T/stdout" 2>"$T/stderr" || status=$?
	out=$(tr -d '\0' <"$T/stdout")
	err=$(tr -d '\0' <"$T/stderr")
}

cudaenv() { capture "$CUDAENV" "$@"; }

# Sets $as to what makes the modes of files count, for root too.
modes_count() {
	as=()
	[ "$(id -u)" -eq 0 ] || return 0
	as=(setpriv "--bounding-set=-dac_override,-dac_read_search")
	"${as[@]}" true 2>/dev/null || skip "root reads everything"
}

# Whether a namespace of mounts is to be had: not for users without rights, and not in each chroot and container.
can_mount() { [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; }

fail() {
	printf '%s\n' "$@" "status: ${status-}" "stdout: ${out-}" "stderr: ${err-}"
	return 1
}

assert_status() { [ "$status" -eq "$1" ] || fail "wanted status $1"; }
assert_stdout() { [ "$out" = "$1" ] || fail "wanted stdout: $1"; }
assert_stderr() { [ "$err" = "$1" ] || fail "wanted stderr: $1"; }
assert_stdout_has() { [[ $out == *"$1"* ]] || fail "wanted in stdout: $1"; }
assert_stderr_has() { [[ $err == *"$1"* ]] || fail "wanted in stderr: $1"; }
refute_stdout_has() { [[ $out != *"$1"* ]] || fail "not wanted in stdout: $1"; }
refute_stderr_has() { [[ $err != *"$1"* ]] || fail "not wanted in stderr: $1"; }
assert_exists() { [ -e "$1" ] || [ -L "$1" ] || fail "'$1' should be there"; }
refute_exists() { { [ ! -e "$1" ] && [ ! -L "$1" ]; } || fail "'$1' should not be there"; }
