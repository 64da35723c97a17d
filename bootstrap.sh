#!/bin/sh
# From nothing to a working nvcc: installs what building needs, builds and installs cudaenv, and lets it
# install a CUDA toolkit, which is proved by compiling a kernel with its own nvcc.
set -eu

usage() {
	cat <<-'EOF'
		usage: ./bootstrap.sh [--prefix FOLDER] [VERSION]

		  VERSION          as 'cudaenv install' takes it: 13.0.2, 13.0, 13 (default: latest)
		  --prefix FOLDER  where cudaenv itself goes (default: ~/.local)
	EOF
}

version=latest
prefix=${HOME:+$HOME/.local}
while [ $# -gt 0 ]; do
	case $1 in
	-h | --help)
		usage
		exit
		;;
	--prefix)
		[ $# -gt 1 ] || { usage >&2; exit 2; }
		prefix=$2
		shift
		;;
	--prefix=*) prefix=${1#*=} ;;
	-*)
		usage >&2
		exit 2
		;;
	*) version=$1 ;;
	esac
	shift
done
if [ -z "$prefix" ]; then
	echo "bootstrap: HOME is not set: say --prefix FOLDER" >&2
	exit 2
fi
case $prefix in
/*) ;;
*) prefix=$PWD/$prefix ;;
esac

cd "$(dirname "$0")"
build='build-bootstrap'
. tools/packages.sh
mkdir -p "$build"
log=$build/bootstrap.log
: >"$log"

# step WHAT HOW_TO_GO_ON COMMAND...: its output is kept, and shown only when it fails.
step() {
	what=$1 advice=$2
	shift 2
	echo "==> $what"
	before=$(wc -c <"$log")
	"$@" >>"$log" 2>&1 && return
	status=$?
	tail -c "+$((before + 1))" "$log" | tail -n 25 >&2
	echo "bootstrap: this failed: $what (all of its output: $PWD/$log)" >&2
	echo "hint: $advice" >&2
	exit "$status"
}

prepare() {
	# cudaenv asks pip or uv for the package index that this machine is set to.
	# shellcheck disable=SC2086 # a list of names
	need $build_needs pip && meson_serves
}

configure() {
	set -- --buildtype=release -Dtests=disabled --prefix "$prefix"
	if [ -f "$build/meson/build.ninja" ]; then
		meson configure "$build/meson" --buildtype=release -Dtests=disabled -Dprefix="$prefix" && return
		rm -rf "$build/meson"
	fi
	meson setup "$build/meson" "$@"
}

put_in_place() {
	mkdir -p "$prefix" 2>/dev/null || :
	if [ -w "$prefix" ]; then
		meson install -C "$build/meson" --no-rebuild
	elif there sudo; then
		sudo meson install -C "$build/meson" --no-rebuild
	else
		echo "cannot write to '$prefix'"
		return 7
	fi
}

step "what building needs" "install what is named above, then run this again" prepare
step "configure" "mend what is named above, then run this again; $PWD/$build may be removed" configure
step "build" "run this again; if it stays, please report it with the log" ninja -C "$build/meson"
step "install into $prefix" "choose another place with --prefix, then run this again" put_in_place

cudaenv=$prefix/bin/cudaenv
echo "==> $("$cudaenv" --version) installs CUDA $version"
status=0
"$cudaenv" install --skip-existing --profile minimal "$version" >/dev/null || status=$?
if [ "$status" -ne 0 ]; then
	echo "bootstrap: cudaenv is ready, but CUDA $version is not (status $status, the reason is above)" >&2
	echo "hint: when that is mended: '$cudaenv' install --profile minimal $version" >&2
	exit "$status"
fi

toolkit=$("$cudaenv" prefix "$version")
label=$(basename "$toolkit")
shell=$(basename "${SHELL:-bash}")
case $shell in
bash | zsh | fish) ;;
*) shell=bash ;;
esac
say=cudaenv
case :$PATH: in
*":$prefix/bin:"*) ;;
*) say="$prefix/bin/cudaenv" ;;
esac
case $say in
*' '*) say="'$say'" ;;
esac
cat <<EOF

What was proved
  $("$toolkit/bin/nvcc" --version | grep -i release)
  $("$cudaenv" versions | grep -F -- "$label" | sed 's,^[* ]*,,')
  in $toolkit

The rest of this toolkit: libraries and profilers
  $say component add $label --profile default

How to go on
EOF
[ "$say" = cudaenv ] || echo "  export PATH=\"$prefix/bin:\$PATH\"    # in your shell's start file"
cat <<EOF
  cudaenv init $shell --install    # new shells: nvcc and the other tools, of the version that applies
  cudaenv local $label           # that one here and below
  cudaenv list-remote            # what else there is
  man cudaenv
EOF
