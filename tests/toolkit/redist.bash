# shellcheck shell=bash
# Helpers of the tests that install from the local mirror. $REDIST/the root has each release of the mirror, installed
# once for all tests; $ROOT is that place.

# shellcheck source=tests/cli/lib.bash
. "$TESTLIB"

# Bits and bytes of umask 077 must not reach what others are to use. What fails here fails in the first test.
install_all() {
	[ ! -d "$REDIST/the root" ] || return 0
	local label
	clean_environment
	mkdir -m 755 "$REDIST/home" "$REDIST/the root"
	for label in 11.8.0 12.4.1 13.0.2; do
		in_mirror "$label" || continue
		(
			export HOME=$REDIST/home CUDAENV_ROOT=$REDIST/the\ root PATH=/usr/bin:/bin
			umask 077
			"$CUDAENV" install --source redist --mirror "$SERVER/first-$label" "$label" </dev/null \
				>"$REDIST/out.$label" 2>"$REDIST/err.$label" || echo $? >"$REDIST/status.$label"
		)
	done
	chmod 755 "$REDIST"
}

in_mirror() { [ -f "$MIRROR/cuda/redist/redistrib_$1.json" ]; }

# Whether a compiler is here that this release takes, and a libc whose headers it knows; else why not, in $refusal.
compiles_here() {
	local newest oldest=4 c libc
	case $1 in
	11.8.0) newest=11 ;;
	12.4.1) newest=13 ;;
	*) return 0 ;;
	esac
	libc=$(getconf GNU_LIBC_VERSION)
	refusal="glibc ${libc#* } is newer than $1"
	[ "$(printf '%s\n' 2.41 "${libc#* }" | sort -V | head -n 1)" != 2.41 ] || return 1
	refusal="no gcc up to $newest"
	[ "$(gcc -dumpversion | cut -d . -f 1)" -gt "$newest" ] || return 0
	for ((c = newest; c >= oldest; c--)); do
		[ ! -x /usr/bin/g++-$c ] || return 0
	done
	return 1
}

redist_setup() {
	setup_root
	ROOT=$REDIST/the\ root
	export CUDAENV_SOURCE=redist CUDAENV_ACCEPT_EULA=1 ROOT
	local tool
	for tool in cmake ninja meson pkg-config; do
		[ -x /usr/bin/$tool ] || ! command -v $tool >/dev/null || ln -s "$(command -v $tool)" "$T/bin/"
	done
}

redist_teardown() {
	[ -z "${HTTPD_PID:-}" ] || kill "$HTTPD_PID" 2>/dev/null || :
	teardown_root
}

need() {
	local label
	for label; do
		in_mirror "$label" || skip "the mirror has no $label: $(tail -n 1 "$MIRROR/$label.why")"
		compiles_here "$label" || skip "$refusal"
	done
}

# each COMMAND...: for each release, with $V (12.4), $LABEL (12.4.1) and $P (its prefix), in a folder of its own.
each() {
	local lacking=
	for LABEL in 11.8.0 12.4.1 13.0.2; do
		if ! in_mirror $LABEL; then
			lacking+="$LABEL ($(tail -n 1 "$MIRROR/$LABEL.why")) "
			continue
		fi
		if ! compiles_here $LABEL; then
			lacking+="$LABEL ($refusal) "
			continue
		fi
		echo "# $LABEL" >&2
		V=${LABEL%.*} P=$ROOT/versions/$LABEL
		mkdir "$T/work/$LABEL"
		cd "$T/work/$LABEL" || return 1
		"$@"
	done
	[ -z "$lacking" ] || skip "done without $lacking"
}

# served NAME: "STATUS BYTES RANGE PATH" of each answer below $SERVER/NAME/.
served() { grep " /$1/" "$REDIST/nginx/access.log"; }

# bytes NAME: those of archives.
bytes() { served "$1" | awk '$4 ~ /xz$/ { n += $2 } END { printf "%d\n", n }'; }

# misbehave: $BAD is a server of the mirror that misbehaves as its path says, see tests/httpd.py.
misbehave() {
	coproc HTTPD { exec python3 "${TESTLIB%/*/*}/httpd.py" --root "$MIRROR" --log "$T/httpd.log" 2>/dev/null; }
	local port
	read -r port <&"${HTTPD[0]}"
	BAD=http://127.0.0.1:$port
}

refute() { ! "$@" || fail "should not hold: $*"; }
