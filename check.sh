#!/usr/bin/env bash
# Installs what testing needs, builds in several ways and runs the tests. Ends with
#   N passed, N failed, N skipped
# and fails when one failed. usage: ./check.sh [gcc] [clang] [sanitizers] [toolkit]   (default: all)
#   gcc         release build, the whole suite
#   clang       built and run by a user without rights (when this is root), without what depends on neither
#   sanitizers  address and undefined behaviour, likewise
#   toolkit     real toolkits from the package index of this machine
set -u
cd "$(dirname "$0")" || exit
[ $# -gt 0 ] || set -- gcc clang sanitizers toolkit

. tools/packages.sh
# shellcheck disable=SC2086 # a list of names
need $build_needs pip pc:cmocka python3 bats clang? zsh? fish? dash? shellcheck? clang-format-14? strace? \
	cmake? expect? g++-11? tmux? nginx? makeself? zstd? gpgv gpg? xz? direnv? pyvenv? modulecmd? lmod? sudo? faketime? chromium? && meson_serves || exit

# Everything is built from a copy, in a path with blanks. This one is kept, so that a second run is quick.
work="$PWD/build-check/a path with blanks"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/cudaenv-tests
mkdir -p "$work/logs" "$cache"
rm -rf "$work/logs"/*
# Wheels that are at hand are for the real toolkits alone; no other test may see the caller's CUDA.
wheels=${CUDAENV_TEST_WHEELS:-}
for v in $(compgen -e | grep -E '^(CUDA|CUDNN|NVCC|MESON_)'); do
	unset "$v"
done

# copy_source FOLDER: what git would commit, times kept; all but build folders where there is no git.
copy_source() {
	rm -rf "$1"
	mkdir -p "$1"
	if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
		git ls-files -z --cached --others --exclude-standard
	else
		find . -path './build*' -prune -o -path ./.git -prune -o ! -type d -print0
	fi | tar --null --ignore-failed-read -cf - -T - 2>/dev/null | tar -xf - -C "$1"
}

# build NAME MESON_OPTION...: false and a log when it fails.
build() {
	local name=$1 dir=$where/$1 log=$work/logs/$1-build.txt how
	shift
	echo "==> build: $name"
	# meson does not take other options over into a folder that is there already.
	how=$(printf '%s\n' "${compiler[@]}" "$@" && cat tests/dev.ini)
	[ "$how" = "$(cat "$dir/how" 2>/dev/null)" ] || rm -rf "$dir"
	{
		if [ -f "$dir/build.ninja" ]; then
			"${run_as[@]}" ninja -C "$dir" reconfigure
		else
			"${run_as[@]}" env "${compiler[@]}" meson setup "$dir" "$where/src" -Dtests=enabled "$@"
		fi && { [ -f "$dir/how" ] || echo "$how" >"$dir/how"; } &&
			"${run_as[@]}" ninja -k 0 -C "$dir"
	} >"$log" 2>&1 && return
	grep -A 12 -E "^FAILED|ERROR:" "$log" | head -n 100
	tail -n 5 "$log"
	failed_builds+=("$name")
	return 1
}

# run NAME BUILD MESON_TEST_OPTION...: the log of each test goes into logs/NAME.json.
run() {
	local name=$1 dir=$where/$2
	shift 2
	if ! "${run_as[@]}" meson test -C "$dir" --no-rebuild --list "$@" 2>/dev/null | grep -q .; then
		skipped+=("$name: there are no such tests")
		return
	fi
	echo "==> test: $name"
	"${run_as[@]}" env "${test_env[@]}" meson test -C "$dir" --no-rebuild --print-errorlogs \
		--logbase "$name" --timeout-multiplier "$patience" --num-processes "$processes" "$@"
	cp "$dir/meson-logs/$name.json" "$work/logs/" || failed_builds+=("$name: no test ran")
}

where=$work
processes=$((2 * $(nproc))) # many tests wait for a server
patience=3 # times the limit of a test: they only end what hangs, on machines that do other work as well
run_as=()
compiler=(CC=gcc CXX=g++)
test_env=()
failed_builds=()
skipped=()
copy_source "$work/src"

part_gcc() {
	build gcc -Dwerror=true && run gcc gcc --no-suite toolkit
}

part_toolkit() {
	local processes=2 test_env=("CUDAENV_TESTS_CACHE=$cache" "CUDAENV_TEST_WHEELS=$wheels")
	build gcc -Dwerror=true && run toolkit gcc --suite toolkit
}

part_sanitizers() {
	local patience=8 test_env=(ASAN_OPTIONS=detect_leaks=1:abort_on_error=0
		UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1)
	build sanitizers --native-file "$where/src/tests/dev.ini" &&
		run sanitizers sanitizers --suite unit --suite net --suite fuzz --suite cli --no-suite once
}

part_clang() {
	local where=$where run_as=() compiler=(CC=clang CXX=clang++) home
	if ! there clang; then
		skipped+=("clang: it is not here")
		return
	fi
	if [ "$(id -u)" -eq 0 ] && there setpriv; then
		# The source tree may be in a place that only root can read.
		home=$(mktemp -d "${TMPDIR:-/tmp}/cudaenv check XXXXXX")
		where=$home/tree
		copy_source "$where/src"
		mkdir "$home/home" "$home/tmp"
		chown -R 65534:65534 "$home"
		run_as=(setpriv --reuid=65534 --regid=65534 --clear-groups
			env "HOME=$home/home" "TMPDIR=$home/tmp" USER=nobody)
	else
		skipped+=("tests as another user: this is not root")
	fi
	build clang -Dwerror=true && run clang clang --suite unit --suite fuzz --suite cli --no-suite once --no-suite servers
	[ -z "${home:-}" ] || rm -rf "$home"
}

for part; do
	case $part in
	gcc | clang | sanitizers | toolkit) "part_$part" ;;
	*)
		echo "unknown part: $part" >&2
		exit 2
		;;
	esac
done
echo
python3 tests/summary.py "$work/logs" "${failed_builds[@]/#/--failed=}" "${skipped[@]/#/--skipped=}"
