#!/usr/bin/env bats
# Which packages bootstrap.sh and check.sh ask for: tools/packages.sh on a machine made of scripts.
load lib

setup() {
	setup_root
	local tool
	for tool in sh awk grep sort tr cat env; do
		ln -s "$(command -v $tool)" "$T/bin/$tool"
	done
	plant pkg-config '[ "$2" = libcurl ]'
	plant id 'echo ${FAKE_UID:-0}'
	plant cc
	plant meson 'echo ${FAKE_MESON:-1.0.1}'
	: >"$T/log"
}
teardown() { teardown_root; }

# plant NAME [BODY]: a program that logs how it was called.
plant() {
	printf '#!/bin/sh\necho "%s $*" >>"$T/log"\n%s\n' "$1" "${2-}" >"$T/bin/$1"
	chmod 755 "$T/bin/$1"
}

with_apt() {
	plant apt-get
	plant apt-cache 'case $2 in musl-tools) echo "  Candidate: 1.2" ;; *) echo "  Candidate: (none)" ;; esac'
}

# need NAME...; $log: what package managers were asked.
need() {
	capture env PATH="$T/bin" sh -c '. "$0/tools/packages.sh"; need "$@"' "$SOURCE_ROOT" "$@"
	log=$(grep -E '^(apt|sudo|dnf)' "$T/log" || :)
}

@test "no package manager is asked while everything is there" {
	with_apt
	need cc pc:libcurl meson
	assert_status 0
	[ -z "$log" ]
}

@test "what is missing is installed, nothing else, each package once" {
	with_apt
	need cc pc:libcurl ninja c++ pc:jansson scdoc?
	assert_status 0
	[ "$log" = "apt-get update
apt-cache policy scdoc
apt-get install -y --no-install-recommends --no-remove ninja-build build-essential libjansson-dev" ] || fail "$log"
}

@test "what may stay away is installed where the system has it, without news from the network" {
	with_apt
	need cc musl-gcc?
	assert_status 0
	[ "$log" = "apt-cache policy musl-tools
apt-get install -y --no-install-recommends --no-remove musl-tools" ] || fail "$log"
	: >"$T/log"
	need cc g++-11?
	assert_status 0
	[ "$log" = "apt-cache policy g++-11" ] || fail "$log"
}

@test "what may stay away and excludes another is left out; what must be there stops" {
	plant apt-get 'case "$*" in *zsh*dash* | *" fish"*) exit 100 ;; esac'
	plant apt-cache 'echo "  Candidate: 1"'
	need ninja zsh? dash? fish?
	assert_status 0
	assert_stderr_has "going on without fish"
	local install="apt-get install -y --no-install-recommends --no-remove"
	[ "$(grep install <<<"$log")" = "$install ninja-build zsh dash fish
$install ninja-build
$install zsh
$install dash
$install fish" ] || fail "$log"
	plant apt-get 'case "$*" in *ninja*) exit 100 ;; esac'
	need ninja zsh?
	[ "$status" -ne 0 ]
	need ninja
	[ "$status" -ne 0 ]
}

@test "a user goes by sudo, and is told what to ask for where there is none" {
	with_apt
	FAKE_UID=1000 need ninja
	assert_status 1
	assert_stderr_has "as root: apt-get install ninja-build"
	plant sudo
	FAKE_UID=1000 need ninja
	assert_status 0
	[ "$log" = "sudo apt-get update
sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends --no-remove ninja-build" ] || fail "$log"
}

@test "other systems are told the names that they use" {
	plant dnf
	need cc ninja pc:libcrypto
	assert_status 1
	assert_stderr_has "dnf install ninja-build openssl-devel"
	need cc scdoc?
	assert_status 0
	rm "$T/bin/dnf"
	plant apk
	need ninja
	assert_stderr_has "apk add samurai"
}

@test "an index asker is pip or uv, whichever is there" {
	plant uv
	need pip
	assert_status 0
	rm "$T/bin/uv"
	plant apk
	need pip
	assert_stderr_has "apk add py3-pip"
}

@test "a meson that is too old is refused with the way to a newer one" {
	for FAKE_MESON in 0.56.2 0.60.3 0.61.0 1.0.1 2.0; do
		export FAKE_MESON
		capture env PATH="$T/bin" sh -c '. "$0/tools/packages.sh"; meson_serves' "$SOURCE_ROOT"
		case $FAKE_MESON in
		0.5* | 0.60*)
			assert_status 1
			assert_stderr_has "this is $FAKE_MESON"
			;;
		*) assert_status 0 ;;
		esac
	done
}

@test "the build asks for every library that meson looks for" {
	local dep
	for dep in $(sed -n "s/.*dependency('\([a-z0-9.-]*\)'.*/\1/p" "$SOURCE_ROOT/src/ext/meson.build"); do
		grep -q "pc:$dep\b" "$SOURCE_ROOT/tools/packages.sh" || fail "no package for '$dep'"
	done
	for dep in $(sed -n "s/^pc:\([^ ]*\) .*/\1/p" "$SOURCE_ROOT/tools/packages.sh"); do
		grep -qrF "dependency('$dep'" "$SOURCE_ROOT/src" "$SOURCE_ROOT/tests" --include=meson.build ||
			fail "nothing needs '$dep'"
	done
}

@test "bootstrap.sh explains itself and refuses what it does not know" {
	capture "$SOURCE_ROOT/bootstrap.sh" --help
	assert_status 0
	assert_stdout_has "--prefix FOLDER"
	capture "$SOURCE_ROOT/bootstrap.sh" --nope
	assert_status 2
	capture "$SOURCE_ROOT/bootstrap.sh" --prefix
	assert_status 2
	capture env -u HOME "$SOURCE_ROOT/bootstrap.sh"
	assert_status 2
	assert_stderr_has "--prefix"
}
