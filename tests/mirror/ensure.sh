#!/usr/bin/env bash
# The test mirror, built once and kept: nothing is fetched or packed again while it is whole.
# usage: ensure.sh CACHE WHEELS
# Prints the mirror's folder. CACHE/mirror-N/LABEL.why holds the reason where a release cannot be had.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cache=$1 wheels=$2
mirror=$cache/mirror-$(python3 "$here/mirror.py" --stamp)
has() { [ -f "$mirror/cuda/redist/redistrib_$1.json" ]; }

# from_packages LABEL
from_packages() {
	local status=0
	has "$1" && return
	bash "$here/debs.sh" "$1" "$cache/debs" 2>"$mirror/$1.why" || status=$?
	[ $status -ne 0 ] || nice python3 "$here/mirror.py" "$mirror" "$1" "$cache/debs/$1" 2>"$mirror/$1.why" || status=$?
	[ $status -ne 0 ] || rm "$mirror/$1.why"
}

if has 11.8.0 && has 12.4.1 && has 13.0.2 && has 13.0.1; then
	echo "$mirror"
	exit
fi
echo "building the test mirror in '$mirror'" >&2
mkdir -p "$mirror"
# A run in another place waits for the one that builds.
exec 9>"$mirror/lock"
flock 9
rm -rf "$mirror"/tmp* # of a build that was killed
for old in "$cache"/mirror-*; do
	[ "$old" = "$mirror" ] || rm -rf "$old"
done

from_packages 11.8.0 9>&- &
from_packages 12.4.1 9>&- &
wait
for label in 13.0.2 13.0.1; do
	has $label || python3 "$here/mirror.py" "$mirror" $label "$wheels" >&2
done
echo "$mirror"
