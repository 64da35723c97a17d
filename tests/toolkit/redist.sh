#!/usr/bin/env bash
# Runs .bats files against a mirror in NVIDIA's form that nginx serves from this machine (tests/mirror): real
# toolkits of 11.8.0, 12.4.1, 13.0.2 and a 13.0.1. What cannot be had is skipped, with the reason.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/toolkit/wheels.sh
. "$here/wheels.sh"

PATH=$PATH:/usr/sbin command -v nginx >/dev/null || skip "no nginx to serve the test mirror"
[ "$(df -Pk "${TMPDIR:-/tmp}" | awk 'NR == 2 { print $4 }')" -gt 4000000 ] ||
	skip "less than 4 GB of space in ${TMPDIR:-/tmp}"

export TESTS_CACHE=$tests_cache TESTS_CUDNN=${CUDAENV_TESTS_CUDNN:-} MIRROR REDIST MIRROR_TOOLS=$here/../mirror
MIRROR=$(bash "$MIRROR_TOOLS/ensure.sh" "$tests_cache" "$wheels") || skip "no test mirror could be built"
REDIST=$(mktemp -d "${TMPDIR:-/tmp}/cudaenv-redist.XXXXXX")
REDIST=$(cd "$REDIST" && pwd -P)
finish() {
	[ -z "${nginx:-}" ] || kill "$nginx" 2>/dev/null || :
	wait
	chmod -R u+w "$REDIST"
	rm -rf "$REDIST"
}
trap finish EXIT
trap 'exit 1' TERM INT

python3 "$MIRROR_TOOLS/mirror.py" --pin "$CUDAENV_CATALOG" "$MIRROR" >"$REDIST/versions.ini"
mkdir "$REDIST/nginx"
bash "$MIRROR_TOOLS/nginx.sh" "$MIRROR" "$REDIST/nginx" &
nginx=$!
until [ -f "$REDIST/nginx/port" ]; do
	kill -0 "$nginx" 2>/dev/null || skip "nginx does not start"
	sleep 0.1
done
SERVER=http://127.0.0.1:$(<"$REDIST/nginx/port")
export SERVER REAL_CATALOG=$CUDAENV_CATALOG
CUDAENV_CATALOG=$REDIST/versions.ini bats --tap "$@"
