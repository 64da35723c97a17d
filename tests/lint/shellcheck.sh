#!/usr/bin/env bash
set -eu
cd "${SOURCE_ROOT:-.}"
if ! command -v shellcheck >/dev/null; then
	echo 'shellcheck is not here'
	exit 77
fi
scripts=$(find . -path './build*' -prune -o -path ./.git -prune -o -name '*.sh' -print)
[ ! -f .ci/run ] || scripts+=' .ci/run'
# shellcheck disable=SC2086 # names of ours, none has a blank
shellcheck -x $scripts
shellcheck -s bash -e SC2034,SC2154 tests/cli/lib.bash
